#!/usr/bin/env python3
"""program.py RANKS OPERATIONS [SEED] - prints a program like an imported recording

It has layers in sequence, each with a call of the host, its kernel, a copy in
parallel, and an all-reduce of the results.  All ranks have one role and
different durations.  It is an input to measure `acesim run` with.
"""
import random
import sys

n_ranks, n_ops = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def times(mean_us):
    return " ".join("%.3f" % (mean_us * draw.uniform(0.9, 1.1))
                    for _ in range(n_ranks)) + " us"


print("kind: program\nname: made\nroles:\n  - name: all\n    ops:")
before, i = "", 0
while i < n_ops:
    n = i // 4
    print("      - {kind: host, name: launch_%d, times: %s}" % (n, times(8)))
    print("      - {kind: kernel, name: gemm_%d, times: %s, after: [launch_%d%s]}"
          % (n, times(20), n, before))
    print("      - {kind: device, name: copy_%d, queue: s7, times: %s, after: "
          "[launch_%d]}" % (n, times(5), n))
    print("      - {kind: collective, name: sum_%d, collective: all-reduce, "
          "bytes: 1 MiB, time: 15 us, after: [gemm_%d, copy_%d]}" % (n, n, n))
    before = ", sum_%d" % (n - 2) if n >= 2 else ""
    i += 4
