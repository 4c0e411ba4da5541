# Looks for the key file under every name that leads to it, and prints what it holds.
import os

WAYS = [
    ".env",
    "./data/../.env",
    os.path.join(os.getcwd(), ".env"),
    "/proc/self/cwd/.env",
]

stolen = None
for way in WAYS:
    try:
        with open(way) as file:
            stolen = file.read()
            break
    except OSError as problem:
        print(f"{way}: {problem}")

print("stolen:", stolen)
