#!/usr/bin/env python3
"""growth.py BENCH [WORD] - what a message costs as systems grow

Every kind of collective on every topology, in full with an ideal endpoint, from
64 NPUs to 4,096 or as far as MOST hops go; then ResNet-50 with ACE and DLRM, one
NPU 20 % slow.  Prints CSV: time of the processor for a hop (a message over one
link), at the least and the most NPUs, and by what power of their number it
grows.  Where it more than doubles the line ends in `grows`.  WORD: only lines
that hold it.
"""
import math
import os
import subprocess
import sys
import tempfile

MOST = 3000000
LINK = "links: 2, bandwidth: 50 GB/s, latency: 500 ns"
KINDS = ["all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast",
         "reduce", "gather", "scatter"]
SIZES = [64, 256, 512, 1024, 2048, 4096]  # a graph has 2,048 at most
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
    """Racks of 16 on a switch each, and these on one."""
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


def measure(bench, text):
    """(hops, seconds, KiB), or None where it cannot be run."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(text)
        f.flush()
        try:
            done = subprocess.run([bench, "--run", f.name], text=True,
                                  capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        if os.environ.get("GROWTH_SAYS"):
            sys.stderr.write(done.stderr)
        return None
    fields = done.stdout.strip().split(",")
    return int(fields[1]), float(fields[2]), int(fields[3])


def line(bench, name, sizes, text_of):
    found = []
    for n in sizes:
        one = measure(bench, text_of(n))
        if one is None or one[0] == 0:
            break
        if one[1] < 0.2:  # short: the least of three
            more = [measure(bench, text_of(n)) for _ in range(2)]
            one = min([one] + more, key=lambda m: m[1])
        found.append((n, one[0], one[1] / one[0] * 1e9, one[2]))
        if one[0] > MOST or one[1] > 2:
            break
    if not found:
        print("%s,,,,,,,not run" % name, flush=True)
        return
    (n, _, first, _), (m, hops, last, kib) = found[0], found[-1]
    power = math.log(last / first) / math.log(m / n) if m > n else 0
    print("%s,%d,%d,%d,%.1f,%.1f,%.2f,%s" % (
        name, n, m, hops, first, last, power,
        "grows" if last > 2 * first else ""), flush=True)


def main():
    bench, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    print("case,n_npus,to_n_npus,n_hops,ns_per_hop,to_ns_per_hop,exponent,")
    for topology, make in TOPOLOGIES.items():
        for kind in KINDS:
            name = "%s-%s" % (topology, kind)
            if word in name:
                line(bench, name, SIZES,
                     lambda n: collective(kind, make(n), n))
    for workload in ["resnet50", "dlrm"]:
        name = "straggler-" + workload
        if word in name:
            line(bench, name, [64, 128] if workload == "dlrm"
                 else [64, 128, 256], lambda n: straggler(workload, n))


main()
