# Loops for ever, in this process and in helpers that left its session and ignore signals.
import os
import signal

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)

for _ in range(3):
    try:
        if os.fork() == 0:
            os.setsid()
            break
    except OSError as problem:
        print("fork:", problem, flush=True)

while True:
    pass
