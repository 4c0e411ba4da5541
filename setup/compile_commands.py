"""Reads the commands of `make -Bn V=1` and writes a compilation database (clang's JSON format)."""
import json
import os
import re
import sys

entries = []
for line in sys.stdin:
    match = re.search(r" -c -o (\S+) (\S+\.c)$", line.rstrip())
    if match:
        entries.append({"directory": os.getcwd(), "command": line.strip(), "file": match.group(2)})
json.dump(entries, sys.stdout, indent=1)
