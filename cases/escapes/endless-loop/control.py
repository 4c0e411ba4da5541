# A long loop that ends, and a helper that is waited for.
import os

total = 0
for number in range(2_000_000):
    total += number
assert total == 1_999_999_000_000

child = os.fork()
if child == 0:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

print("control: ok")
