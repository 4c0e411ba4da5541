"""Programs that need more than they may have, by Python's own means. The runner adds a call of one of them."""
import io
import re
import sys
import zipfile
import zlib

PLENTY = 2560 << 20
sys.set_int_max_str_digits(0)


def attempt(name, work):
    try:
        work()
    except (MemoryError, OSError) as error:
        print("try", name, "OSError" if isinstance(error, OSError) else type(error).__name__, flush=True)
    else:
        print("try", name, "through", flush=True)


def lists():
    print("control some", "works" if len([0] * 1000) == 1000 else "failed", flush=True)
    attempt("list", lambda: [bytearray(1 << 20) for _ in range(PLENTY >> 20)])


def number():
    print("control some", "works" if 10 ** 10 ** 2 else "failed", flush=True)
    print(len(str(7 ** 10 ** 9)))


def pattern():
    print("control some", "works" if re.match("(a|aa)+$", "a" * 10) else "failed", flush=True)
    re.match("(a|aa)+$", "a" * 100 + "b")


def packed(size):
    """A mebibyte of nothing, over and over: each block stands for itself."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (size >> 20) + packer.flush()


def archive():
    print("control some", "works" if len(zlib.decompress(packed(1 << 20), -15)) == 1 << 20 else "failed", flush=True)
    attempt("decompress", lambda: zlib.decompress(packed(PLENTY), -15))


def unpack():
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as bomb:
        for number_ in range(16):
            bomb.writestr(f"file{number_}", bytes(10 << 20))
    with zipfile.ZipFile(box) as bomb:
        bomb.extract("file0", "out/one")
        print("control one works", flush=True)
        attempt("all", lambda: bomb.extractall("out/all"))
