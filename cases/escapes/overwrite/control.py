# The program's own folder can be written, changed, renamed and emptied.
import os

with open("out/table.csv", "w") as file:
    file.write("a;b\n")
with open("out/table.csv", "a") as file:
    file.write("1;2\n")
os.truncate("out/table.csv", 4)
os.replace("out/table.csv", "out/kept.csv")
os.makedirs("out/deep/er")
os.removedirs("out/deep/er")
with open("out/kept.csv") as file:
    assert file.read() == "a;b\n"

print("control: ok")
