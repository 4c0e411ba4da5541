# Tries every plain way to change data that it may only read.
import os
import shutil

TARGET = "data/catalog/products.csv"


def overwrite():
    with open(TARGET, "w") as file:
        file.write("sku;name\n")


def append():
    with open(TARGET, "a") as file:
        file.write("X-0000;Nothing\n")


def patch():
    with open(TARGET, "r+b") as file:
        file.write(b"XXXX")


def truncate():
    os.truncate(TARGET, 0)


def permit():
    os.chmod(TARGET, 0o666)


def replace():
    with open("out/forged.csv", "w") as file:
        file.write("sku;name\n")
    os.replace("out/forged.csv", TARGET)


def rename():
    os.rename(TARGET, TARGET + ".old")


def remove():
    os.remove(TARGET)


def add():
    with open("data/catalog/more.csv", "w") as file:
        file.write("sku;name\n")


def wipe():
    shutil.rmtree("data/sales")


for attempt in (overwrite, append, patch, truncate, permit, replace, rename, remove, add, wipe):
    try:
        attempt()
        print(f"{attempt.__name__}: done")
    except OSError as problem:
        print(f"{attempt.__name__}: {problem}")
