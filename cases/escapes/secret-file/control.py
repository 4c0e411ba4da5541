# An allowed file is read in the same ways.
import os

WAYS = [
    "data/catalog/products.csv",
    "./data/../data/catalog/products.csv",
    os.path.join(os.getcwd(), "data/catalog/products.csv"),
    "/proc/self/cwd/data/catalog/products.csv",
]

for way in WAYS:
    with open(way, "rb") as file:
        assert len(file.read()) > 1000, way

print("control: ok")
