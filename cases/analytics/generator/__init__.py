"""The parts of the analytics case's generator: shop (what there is), sales, people, writing, answers."""
