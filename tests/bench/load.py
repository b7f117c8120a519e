#!/usr/bin/env python3
"""load.py ACESIM - measures how long program files take to load, and the memory

Checks programs of kernels, of 62,500 to 1,000,000 operations on a line each, of
which every fourth waits for the one before it.  Prints CSV: operations, bytes
of the file, processor seconds, largest resident set, and the exponent with
which the time grows from the line before.  With --program N it prints the
program of N operations; with --peak ACESIM FILE, the largest resident set in
KiB of a check of FILE.
"""
import math
import os
import subprocess
import sys
import tempfile

SIZES = [62500, 125000, 250000, 500000, 1000000]


def write_program(n, out):
    out.write("kind: program\nname: large\nroles:\n  - name: all\n    ops:\n")
    for i in range(n):
        after = ", after: [kernel%d]" % (i - 1) if i % 4 == 3 else ""
        out.write("      - {kind: kernel, name: kernel%d, pass: forward, "
                  "flop: 1000000, read: 1 MiB, write: 1 MiB%s}\n" % (i, after))


def check(acesim, name):
    """Returns the processor seconds and KiB of a check of a file."""
    child = subprocess.Popen([acesim, "check", name],
                             stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit("%s check %s failed" % (acesim, name))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    before = None
    print("n_operations,n_bytes,seconds,peak_kib,exponent")
    for n in SIZES:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            write_program(n, f)
            f.flush()
            n_bytes = os.path.getsize(f.name)
            seconds, peak = min(check(sys.argv[1], f.name) for _ in range(3))
        power = "%.2f" % math.log2(seconds / before) if before else ""
        print("%d,%d,%.3f,%d,%s" % (n, n_bytes, seconds, peak, power),
              flush=True)
        before = seconds


if sys.argv[1] == "--program":
    write_program(int(sys.argv[2]), sys.stdout)
elif sys.argv[1] == "--peak":
    print(check(sys.argv[2], sys.argv[3])[1])
else:
    main()
