#!/usr/bin/env python3
"""language.py ACESIM - measures how a run of a language model grows

Runs the shipped language models with more micro-batches, and on more NPUs.
Prints CSV: processor seconds of the whole command at both ends, start-up and
report included, the exponent with which they grow, and the peaks of memory.  An
exponent of 1 over micro-batches says that time follows the operations; one of 0
over NPUs, that NPUs are folded.
"""
import math
import os
import subprocess
import sys

TIMES = 3  # the shortest counts, as noise only adds
here = os.path.dirname(os.path.abspath(__file__))
runs = os.path.join(here, "..", "..", "configs", "runs")

# Name, file, the two values of what grows, and the settings for a value.
CASES = [
    ("gpt3-micro-batches", "gpt3-1024", (24, 288),
     lambda n: ["workload.batch.global=%d" % (8 * n),
                "workload.schedule={kind: 1f1b}", "training.memory=ignored"]),
    ("405b-micro-batches", "llama-405b-1024", (16, 128),
     lambda n: ["workload.batch.global=%d" % (8 * n),
                "training.memory=ignored"]),
    ("mixtral-micro-batches", "mixtral-64", (2, 32),
     lambda n: ["workload.batch.global=%d" % (32 * n)]),
    ("405b-npus", "llama-405b-1024", (1024, 16384),
     lambda n: ["platform.topology.count=%d" % (n // 8),
                "workload.batch.global=%d" % (n // 4)]),
]


def run(acesim, name, settings):
    """Returns the processor seconds and the peak KiB of one run."""
    words = [acesim, "run", os.path.join(runs, name + ".yaml")]
    for s in settings:
        words += ["--set", s]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit("%s failed" % " ".join(words))
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def shortest(acesim, name, settings):
    return min(run(acesim, name, settings) for _ in range(TIMES))


def main():
    acesim = sys.argv[1]
    print("case,n,to_n,seconds,to_seconds,exponent,peak_kib,to_peak_kib")
    for case, name, (n, to_n), settings in CASES:
        seconds, kib = shortest(acesim, name, settings(n))
        to_seconds, to_kib = shortest(acesim, name, settings(to_n))
        exponent = math.log(to_seconds / seconds) / math.log(to_n / n)
        print("%s,%d,%d,%.3f,%.3f,%.2f,%d,%d" % (
            case, n, to_n, seconds, to_seconds, exponent, kib, to_kib),
            flush=True)


main()
