#!/usr/bin/env python3
"""growth.py BENCH [WORD] - measures how the cost of a message grows with systems

Runs each kind of collective on each topology, in full with an ideal endpoint,
from 64 to 4,096 NPUs or until MOST hops; then ResNet-50 and DLRM with ACE and
one NPU that is 20 % slower.  Prints CSV: processor time per hop (a message on
one link) at the smallest and the largest number of NPUs, and the exponent with
which it grows; instructions per hop at the smallest number and at the largest
that MOST_COUNTED hops allow; and the time to build the system and to add up its
counters, per NPU.

If the time per hop more than doubles, the line ends with `grows`.  It ends with
`misses` if instructions were counted at two numbers of NPUs and grow by less
than half: then the additional time is waiting for memory.  With WORD only
matching lines are measured.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

MOST = 10000000
# Limits for counting instructions: hops (more at the second size, so that there
# are two counts), and NPUs.
MOST_COUNTED, MOST_SECOND, MOST_NPUS_COUNTED = 100000, 2000000, 1024
LINK = "links: 2, bandwidth: 50 GB/s, latency: 500 ns"
KINDS = ["all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast",
         "reduce", "gather", "scatter"]
SIZES = [64, 256, 512, 1024, 2048, 4096]  # graphs have at most 2,048 NPUs
here = os.path.dirname(os.path.abspath(__file__))
configs = os.path.join(here, "..", "..", "configs")


def cube(n):
    bits = n.bit_length() - 1
    return [1 << (bits + 2 - d) // 3 for d in range(3)]


def grid(kind, sizes):
    return "{kind: %s, dims: [%s]}" % (kind, ", ".join(
        "{size: %d, %s}" % (size, LINK) for size in sizes))


def servers(n):
    return ("{kind: nested, count: %d, inner: {kind: switch, npus: 8, %s}, "
            "nics: 1, nic: {%s}, outer: {kind: switch, %s}}"
            % (n // 8, LINK, LINK, LINK))


def graph(n):
    """Returns racks of 16 NPUs with a switch each, joined by another switch."""
    names = ["g%d" % i for i in range(n)]
    nodes = ["{name: %s, kind: npu}" % name for name in names]
    nodes += ["{name: s%d, kind: switch}" % i for i in range(n // 16 + 1)]
    ends = [(name, "s%d" % (i // 16)) for i, name in enumerate(names)]
    ends += [("s%d" % i, "s%d" % (n // 16)) for i in range(n // 16)]
    return "{kind: graph, nodes: [%s], links: [%s]}" % (
        ", ".join(nodes), ", ".join("{from: %s, to: %s, %s}" % (a, b, LINK)
                                    for a, b in ends))


TOPOLOGIES = {
    "torus": lambda n: grid("torus", cube(n)),
    "mesh": lambda n: grid("mesh", cube(n)),
    "ring": lambda n: grid("torus", [n]),
    "switch": lambda n: "{kind: switch, npus: %d, %s}" % (n, LINK),
    "fully-connected": lambda n: "{kind: fully-connected, npus: %d, %s}"
                                 % (n, LINK),
    "servers": servers,
    "graph": graph,
}


def collective(kind, topology, n):
    return """platform: {topology: %s, npu: {sms: 80, clock: 1 GHz,
  flops: 100 TFLOPS, hbm: {bandwidth: 900 GB/s}}}
endpoint: {kind: ideal}
training: {iterations: %d}
collectives: {chunk: 1 MiB, message: 1 MiB}
workload: {kind: collective, name: w, collective: %s, payload: 4 MiB}
""" % (topology, max(1, 256 // n), kind)


def straggler(workload, n):
    sizes = cube(n)
    return """platform: {npu: %s/npus/ace-v100-like.yaml, topology: %s}
endpoint: %s/endpoints/ace.yaml
workload: %s/workloads/%s.yaml
training: {iterations: 1, compute: measured}
collectives: %s/collectives/isca21.yaml
perturb: {npus: [{npu: 5, time_factor: 1.2}]}
""" % (configs, grid("torus", sizes), configs, configs, workload, configs)


def run(command, text):
    """Returns standard output and error, or None on failure or after 60 s."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(text)
        f.flush()
        try:
            done = subprocess.run(command + ["--run", f.name], text=True,
                                  capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        if os.environ.get("GROWTH_SAYS"):
            sys.stderr.write(done.stderr)
        return None
    return done.stdout, done.stderr


def measure(bench, text):
    """Returns (hops, run seconds, build seconds) of the fastest of some runs.

    Noise only adds time.  Returns None if a run fails.
    """
    hops, best, beside = 0, math.inf, math.inf
    for _ in range(5):
        done = run([bench], text)
        if done is None:
            return None
        fields = done[0].strip().split(",")
        hops = int(fields[1])
        best = min(best, float(fields[2]))
        beside = min(beside, float(fields[4]))
        if best > 0.3:
            break
    return (hops, best, beside) if hops > 0 else None


def count(bench, text, hops):
    """Returns the instructions per hop, or None on failure."""
    done = run(["valgrind", "--tool=callgrind", "--toggle-collect=bench_run",
                "--callgrind-out-file=/dev/null", bench], text)
    found = re.search(r"Collected : (\d+)", done[1]) if done else None
    return int(found.group(1)) / hops if found else None


def counted_at(bench, found, text_of):
    """Returns [(NPUs, instructions per hop)] at the fewest and the most NPUs."""
    few = [one for i, one in enumerate(found) if one[0] <= MOST_NPUS_COUNTED and
           one[1] <= (MOST_SECOND if i < 2 else MOST_COUNTED)]
    told = [(one[0], count(bench, text_of(one[0]), one[1]))
            for one in ([few[0], few[-1]] if len(few) > 1 else few)]
    return [one for one in told if one[1]] if told and told[0][1] else []


def verdict(ratio, counted):
    if ratio <= 2:
        return ""
    flat = len(counted) == 2 and counted[1][1] < 1.5 * counted[0][1]
    return "misses" if flat else "grows"


def line(bench, name, of, text_of):
    found = []
    for n in of:
        one = measure(bench, text_of(n))
        if one is None:
            break
        found.append((n,) + one)
        if one[0] > MOST or one[1] > 2:
            break
    if not found:
        print("%s%s,not run" % (name, "," * 11), flush=True)
        return
    counted = counted_at(bench, found, text_of)
    told = ["%.0f" % counted[0][1] if counted else ""]
    told += ["%d,%.0f" % one for one in counted[1:]] or [","]
    (n, hops, first, beside), (m, to_hops, last, to_beside) = found[0], found[-1]
    first, last = first / hops * 1e9, last / to_hops * 1e9
    power = math.log(last / first) / math.log(m / n) if m > n else 0
    print("%s,%d,%d,%d,%.1f,%.1f,%.2f,%s,%.1f,%.1f,%s" % (
        name, n, m, to_hops, first, last, power, ",".join(told),
        beside / n * 1e6, to_beside / m * 1e6,
        verdict(last / first, counted)), flush=True)


def main():
    bench, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    print("case,n_npus,to_n_npus,n_hops,ns_per_hop,to_ns_per_hop,exponent,"
          "instructions,at_n_npus,at_instructions,build_us_per_npu,"
          "to_build_us_per_npu,")
    for topology, make in TOPOLOGIES.items():
        for kind in KINDS:
            name = "%s-%s" % (topology, kind)
            if word in name:
                line(bench, name, SIZES,
                     lambda n: collective(kind, make(n), n))
    for workload in ["resnet50", "dlrm"]:
        name = "straggler-" + workload
        if word in name:
            line(bench, name, [64, 128, 256],
                 lambda n: straggler(workload, n))


main()
