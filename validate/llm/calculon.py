"""Training steps of language models beside Calculon: time and memory.

  python3 validate/llm/calculon.py ACESIM [WORD]      in the source folder

WORD selects the configurations whose names contain it.

Calculon (CALCULON in validate/SOURCES.md) is an analytic model.  This script
evaluates its closed formulas, written anew from its publication and sources,
for ten of the configurations that come with it (validate/data/llm/calculon.csv)
on its A100 system, and simulates the same steps with the program ACESIM.  It
prints both, with the parts that differ.

That the formulas are Calculon's is checked by what is known of it: on the eight
steps of [KORTHIKANTI] that were measured, its mean error is 3.65 % and its
worst 8.87 %.

Units: seconds, bytes and FLOP, of one GPU.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

DATA = "validate/data/llm/calculon.csv"
MEASURED = "validate/data/llm/korthikanti.csv"
GIB = 2**30
LIMIT = 0.10  # a difference above this share has its reason in the table

# ---- Calculon ----------------------------------------------------------------

# Its system a100_80g: peaks, and efficiencies by the size of an operation, each
# as (at least, efficiency).
MATRIX = (312e12, ((128e9, 0.95), (16e9, 0.9), (1e9, 0.6), (0, 0.1)))
VECTOR = (78e12, ((16e9, 0.95), (1e9, 0.5), (0, 0.1)))
MEMORY = (2048e9, ((100e6, 0.9), (10e6, 0.75), (1e6, 0.6), (0, 0.3)))
# Bandwidth in use, latency, and what an operation sends for each byte of its
# payload, among n GPUs.
NODE = (300e9 * 0.65, 10e-6)
FABRIC = (25e9 * 0.9, 20e-6)
SENT = {
    "all-reduce": lambda n: 2 * (1 - 1 / n),
    "reduce-scatter": lambda n: 1.5 * (1 - 1 / n),
    "all-gather": lambda n: 1.5 * (1 - 1 / n),
    "message": lambda n: 1,
}
VALUE = 2  # bytes of a value in fp16


def rate(engine, amount):
    """Returns the rate of an engine at an operation of this size."""
    peak, steps = engine
    return peak * next(e for least, e in steps if amount >= least)


def processing_time(engine, flop, n_bytes):
    """Arithmetic and memory accesses do not overlap."""
    return flop / rate(engine, flop) + n_bytes / rate(MEMORY, n_bytes)


def network_time(network, kind, n_bytes, n_gpus):
    bandwidth, latency = network
    return latency + n_bytes * SENT[kind](n_gpus) / bandwidth


class Operation:
    """An operation of a transformer block.

    forward, backward, weights_backward    (FLOP, bytes) of its three kernels
    n_weights                              of the optimiser
    input_bytes     what it keeps for its backward kernel
    gradient_bytes  the gradients of its outputs
    is_kept         its input is kept between forward and backward
    shares_input    its input is that of an operation before it
    dropped_output  bytes of an output that is made again and not kept
    recomputed      it runs once more before the backward pass
    """

    def __init__(self, forward, backward, weights_backward=(0, 0), n_weights=0,
                 engine=VECTOR, input_bytes=0, gradient_bytes=0, is_kept=True,
                 shares_input=False, dropped_output=0, recomputed=False):
        self.forward_s = processing_time(engine, *forward)
        self.backward_s = processing_time(engine, *backward)
        self.backward_s += processing_time(engine, *weights_backward)
        self.optimiser_s = processing_time(VECTOR, 11 * n_weights, 12 * n_weights)
        self.recompute_s = self.forward_s if recomputed else 0
        self.n_weights = n_weights
        self.input_bytes = input_bytes
        self.gradient_bytes = gradient_bytes
        self.is_kept, self.shares_input = is_kept, shares_input
        self.dropped_output = dropped_output
        self.tp_forward_s = self.tp_backward_s = self.tp_again_s = 0


def fork(n_values, n_users, **more):
    """Gradients of n_users are added on the way back."""
    return Operation((0, 0), (n_users * n_values, (n_users + 1) * n_values * VALUE),
                     input_bytes=n_values * VALUE, **more)


def norm(n_values, hidden, **more):
    n_bytes = (2 * hidden + 2 * n_values) * VALUE
    return Operation((9 * n_values, n_bytes), (14 * n_values, n_bytes),
                     (7 * n_values, n_bytes), n_weights=2 * hidden,
                     input_bytes=n_values * VALUE,
                     gradient_bytes=n_values * VALUE, is_kept=False,
                     shares_input=True, **more)


def product(rows, inner, columns, **more):
    flop = 2 * rows * inner * columns
    n_bytes = (rows * inner + rows * columns + inner * columns) * VALUE
    kernel = (flop, n_bytes)
    return Operation(kernel, kernel, kernel, n_weights=inner * columns,
                     engine=MATRIX, input_bytes=rows * inner * VALUE,
                     gradient_bytes=rows * columns * VALUE, **more)


def batched_product(n, rows, inner, columns, **more):
    flop = 2 * n * rows * inner * columns
    inputs = n * (rows * inner + inner * columns)
    n_bytes = (inputs + n * rows * columns) * VALUE
    return Operation((flop, n_bytes), (2 * flop, n_bytes), engine=MATRIX,
                     input_bytes=inputs * VALUE,
                     gradient_bytes=n * rows * columns * VALUE, **more)


def pointwise(n_values, forward_flop, backward_flop, n_kept_bytes=VALUE, **more):
    """Reads and writes its values in both directions."""
    n_bytes = 2 * n_values * VALUE
    return Operation((forward_flop * n_values, n_bytes),
                     (backward_flop * n_values, n_bytes),
                     input_bytes=n_values * n_kept_bytes,
                     gradient_bytes=n_values * n_kept_bytes, **more)


def dropout(n_values, **more):
    """Its mask, a byte for each value, is read or written too, and is all that
    it keeps."""
    kernel = (n_values, 2 * n_values * VALUE + n_values)
    return Operation(kernel, kernel, input_bytes=n_values,
                     gradient_bytes=n_values, **more)


def residual(n_values, **more):
    return Operation((n_values, 3 * n_values * VALUE),
                     (2 * n_values, 3 * n_values * VALUE),
                     input_bytes=2 * n_values * VALUE,
                     gradient_bytes=n_values * VALUE, is_kept=False,
                     shares_input=True, **more)


def tp_exchange(row, n_values, is_after, again):
    """The collective before (or after) a pair of products.

    Without division by sequence it is an all-reduce after the products, forward,
    and before them, backward.  Otherwise it is an all-gather before and a
    reduce-scatter after them.  Its buffers are read and written, and sums are
    computed.  `again` says that it is repeated in the backward pass.
    """
    n_gpus, n_bytes = row["tp"], n_values * VALUE
    divided = row["sequence_parallel"]
    kinds = ("all-gather", "reduce-scatter") if divided else (None, "all-reduce")
    forward, backward = reversed(kinds) if is_after else kinds
    operation = Operation((0, 0), (0, 0), is_kept=not is_after)
    if divided:
        operation.input_bytes = operation.gradient_bytes = n_bytes / n_gpus
    elif is_after:
        operation.input_bytes = n_bytes
    else:
        operation.gradient_bytes = n_bytes

    def seconds(kind):
        if kind is None:
            return 0
        sums = 0
        if kind in ("all-reduce", "reduce-scatter"):
            sums = n_values * (n_gpus - 1) / n_gpus
        return (network_time(NODE, kind, n_bytes, n_gpus)
                + processing_time(VECTOR, sums, 2 * n_bytes))

    operation.tp_forward_s = seconds(forward)
    operation.tp_backward_s = seconds(backward)
    if again and forward:
        operation.tp_again_s = network_time(NODE, forward, n_bytes, n_gpus)
    return operation


def block_operations(row):
    """Returns the operations of a transformer block on one GPU."""
    b, s, h, f = row["micro_batch"], row["sequence"], row["hidden"], row["ffn"]
    a, t = row["heads"], row["tp"]
    full = row["recompute"] == "full"
    attention = full or row["recompute"] == "selective"
    gathers = full or row["gathers_again"]
    n = b * s * h
    own = n // t if row["sequence_parallel"] else n
    scores = a // t * s * s * b
    d = h // a
    r = {"recomputed": full}
    qkv = {"is_kept": False, "shares_input": True, **r}
    return [
        fork(own, 2, **r),
        norm(own, h, **r),
        tp_exchange(row, n, False, attention or gathers),
        fork(n, 3, is_kept=not (attention or gathers)),
        *(product(b * s, h, h // t, **qkv) for _ in range(3)),
        batched_product(b * a // t, s, d, s, recomputed=attention,
                        dropped_output=scores * VALUE * attention),
        pointwise(scores, 5, 8, recomputed=attention,
                  dropped_output=scores * VALUE * attention),
        dropout(scores, recomputed=attention, is_kept=not attention),
        batched_product(b * a // t, s, s, d, **r),
        product(b * s, h // t, h, **r),
        tp_exchange(row, n, True, full),
        dropout(own, **r),
        residual(own, **r),
        fork(own, 2, **r),
        norm(own, h, **r),
        tp_exchange(row, n, False, gathers),
        product(b * s, h, f // t, is_kept=not gathers, **r),
        pointwise(f * b * s // t, 8, 13,
                  n_kept_bytes=0 if row["fused_activation"] else VALUE, **r),
        product(b * s, f // t, h, **r),
        tp_exchange(row, n, True, full),
        dropout(own, **r),
        residual(own, **r),
    ]


def calculon(row):
    """Returns the parts of the step in seconds, and the memory by kind."""
    block = block_operations(row)
    p, v, n = row["pp"], row["chunks"], row["global_batch"] // row["micro_batch"]
    n_blocks = row["layers"] // p

    def total(name):
        return sum(getattr(operation, name) for operation in block)

    values = row["micro_batch"] * row["sequence"] * row["hidden"]
    sent = values * VALUE / (row["tp"] if row["sequence_parallel"] else 1)
    message_s = network_time(FABRIC, "message", sent, 2) if p > 1 else 0
    kernels_s = total("forward_s") + total("backward_s") + total("recompute_s")
    tp_s = total("tp_forward_s") + total("tp_backward_s") + total("tp_again_s")
    chunk_s = n_blocks // v * (kernels_s + tp_s) + 2 * message_s
    times = {
        "kernels": n * n_blocks * kernels_s + n_blocks * total("optimiser_s"),
        "tp": n * n_blocks * tp_s,
        "pp": n * v * 2 * message_s,
        "bubble": (p - 1) * chunk_s,
    }
    # The first stage holds the micro-batches of p stages, and more when stages
    # have several chunks.
    held = min(n, p) * (1 + (p - 1) / (v * p) if v > 1 else 1)
    at_work = sum(o.input_bytes for o in block if not o.shares_input)
    kept = sum(o.input_bytes * o.is_kept - o.dropped_output for o in block)
    if row["recompute"] == "full":
        activations = at_work + n_blocks * values * VALUE * held
    else:
        activations = at_work + kept * (n_blocks * held - 1)
    weights = total("n_weights")
    memory = {
        "weights": 2 * weights * n_blocks,
        # in fp32 for one block, in fp16 for the others
        "gradients": 4 * weights + 2 * weights * (n_blocks - 1),
        "optimiser": 12 * weights * n_blocks,
        "activations": activations + total("gradient_bytes"),
    }
    return times, memory


# ---- acesim ------------------------------------------------------------------

RUN = """platform:
  name: a100-80gb
  topology: %(topology)s
  npu: %(root)s/configs/npus/a100-80gb.yaml
endpoint: {kind: baseline, name: sms-24, sms: 24, memory_bandwidth: 50 %%, only_while_communicating: true}
stack: {kind: nccl}
workload:
  kind: transformer
  name: w
  model: {name: w, layers: %(n_layers)d, hidden: %(hidden)d, heads: %(heads)d, ffn: %(ffn)d, vocabulary: 51200, positions: %(sequence)d, gated: false, tied: true, norm_bias: true, bias: all, dropout: true}
  sequence: %(sequence)d
  batch: {global: %(batch)d, micro: %(micro_batch)d}
  parallel: {tp: %(tp)d, pp: %(n_stages)d, sequence: %(divided)s}
  schedule: %(schedule)s
  shard: {kind: replicated}
  recompute: %(recompute)s
  attention: unfused
training: {precision: bf16, products: training, gradient: fp32, optimiser: adam, iterations: 1, memory: ignored}
"""

# An NVSwitch machine of 8, and machines on a fabric of rails; for memory alone,
# one switch, on which the GPUs of a stage are equivalent.
MACHINE = "{kind: nested, count: %(n_nodes)d, inner: %(root)s/configs/platforms/dgx-a100.yaml, nics: 8, nic: {bandwidth: 31.5 GB/s, latency: 250 ns, efficiency: 91 %%}, rails: true, outer: {kind: switch, bandwidth: 25 GB/s, latency: 1 us, efficiency: 96 %%}}"
SWITCH = "{kind: switch, npus: %(n_npus)d, bandwidth: 300 GB/s, latency: 1 us}"


def run_parts(row):
    """Returns smaller runs that add up to the step, as (micro-batches, stages,
    factor of the step, factor of its parts).

    validate/llm/step_runs.h says why: each further micro-batch, and each
    further inner stage, adds the same time to the step.  Its parts are means
    over the stages.  Their sums over the stages are linear in both numbers.
    """
    n, p = row["global_batch"] // row["micro_batch"], row["pp"]
    if p > 16:
        more = 8 if row["chunks"] > 1 else 6
        x, y = (n - 16) / 8, (p - 4) / (more - 4)
        return [
            (16, 4, 1 - x - y, (1 - x) * (1 - y) * 4 / p),
            (24, 4, x, x * (1 - y) * 4 / p),
            (16, more, y, (1 - x) * y * more / p),
            (24, more, 0, x * y * more / p),
        ]
    if n > 4 * p:
        x = (n - 2 * p) / p
        return [(2 * p, p, 1 - x, 1 - x), (3 * p, p, x, x)]
    return [(n, p, 1, 1)]


def run_acesim(program, folder, row, n, n_stages, topology):
    """Returns the row of runs.csv of a run, as a dict of floats."""
    n_blocks = row["layers"] // row["pp"]
    values = {
        **row,
        "root": os.getcwd(),
        "n_layers": n_blocks * n_stages,
        "n_stages": n_stages,
        "n_nodes": n_stages,
        "n_npus": row["tp"] * n_stages,
        "batch": n * row["micro_batch"],
        "divided": "true" if row["sequence_parallel"] else "false",
        "schedule": "{kind: interleaved, chunks: %(chunks)d}" % row
        if row["chunks"] > 1 and n_stages > 1 else "{kind: 1f1b}",
    }
    values["topology"] = topology % values
    path = os.path.join(folder, "run.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(RUN % values)
    text = subprocess.run([program, "run", path, "--csv", "-"], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    cells = next(csv.DictReader(io.StringIO(text)))
    return {name: float(cell) for name, cell in cells.items()
            if cell.replace(".", "", 1).isdigit()}


def acesim(program, row):
    """Returns the parts of the simulated step in seconds, and the memory by kind
    of the fullest rank."""
    times = dict.fromkeys(("kernels", "tp", "pp", "other"), 0)
    step_us = 0
    with tempfile.TemporaryDirectory() as folder:
        for n, n_stages, factor, factor_of_parts in run_parts(row):
            topology = MACHINE if n_stages > 1 else (
                "%(root)s/configs/platforms/dgx-a100.yaml")
            cells = run_acesim(program, folder, row, n, n_stages, topology)
            step_us += factor * cells["iteration_time_us"]
            for name, column in (
                ("kernels", "compute_time_us"),
                ("tp", "exposed_tp_us"),
                ("pp", "exposed_pp_us"),
                ("other", "other_wait_us"),
            ):
                times[name] += factor_of_parts * cells[column] / 1e6
        n = min(row["global_batch"] // row["micro_batch"], row["pp"])
        cells = run_acesim(program, folder, row, n, row["pp"], SWITCH)
    times["bubble"] = step_us / 1e6 - sum(times.values())
    memory = {kind: cells[f"memory_{kind}_bytes"] for kind in
              ("weights", "gradients", "optimiser", "activations", "buffers")}
    return times, memory


# ---- the table ---------------------------------------------------------------


def read_rows():
    """Returns the configurations with numbers as int and yes or no as bool."""
    with open(DATA, encoding="utf-8", newline="") as file:
        for cells in csv.DictReader(file):
            yield {
                name: int(cell) if cell.isdigit()
                else {"yes": True, "no": False}.get(cell, cell)
                for name, cell in cells.items()
            }


def measured_steps():
    """Returns the measured steps in seconds by model and recompute."""
    with open(MEASURED, encoding="utf-8", newline="") as file:
        return {(row["model"], row["recompute"]): float(row["step_ms"]) / 1e3
                for row in csv.DictReader(file)}


def measured_step(row, steps):
    """Only the steps of Table 5 were measured."""
    if not row["calculon_file"].startswith("tab5/"):
        return None
    return steps[row["model"], row["recompute"]]


# Why a part of the step, or a kind of memory, differs.
REASONS = {
    "kernels": "Large products reach 95 % of the peak in Calculon. Their rates in "
    "acesim were fitted to measured steps of smaller models (vTrain).",
    "tp": "Calculon adds the sums and the memory accesses of a collective to its "
    "time on the links, of which it has 65 % of the bandwidth. acesim simulates "
    "rings of NCCL.",
    "pp": "Calculon exposes each message between stages. acesim sends it beside "
    "the kernels of other micro-batches.",
    "bubble": "acesim's has the wait for the head and the loss, which make the "
    "last stage the longest for each micro-batch. Calculon has no embedding, "
    "head or loss, so that its stages are equal.",
    "other": "These are waits of acesim that no axis causes.",
    "weights": "Calculon has no embedding.",
    "gradients": "acesim keeps them in fp32, as Megatron-LM does, and Calculon "
    "in fp16, except for one layer.",
    "optimiser": "Calculon has no embedding.",
    "activations": "acesim has those of [KORTHIKANTI]. Calculon adds the outputs "
    "and their gradients of the block at work.",
    "buffers": "Calculon has none for collectives and messages.",
}


def main_differences(ours, theirs):
    """Returns the parts that make most of a difference, largest first, as a
    dict."""
    differences = {name: ours.get(name, 0) - theirs.get(name, 0)
                   for name in {**ours, **theirs}}
    order = sorted(differences, key=lambda name: -abs(differences[name]))
    least = abs(differences[order[0]]) / 3
    return {name: differences[name] for name in order
            if abs(differences[name]) >= least}


def table_line(row, measured_s, times, memory, named):
    """Returns a line of the table; times and memory are pairs of Calculon's and
    ours.  Adds to `named` the parts that the line names."""
    line = f"| {row['calculon_file']} | {measured_s or ''} "
    why = []
    for (theirs, ours), scale, unit in (times, 1, "s"), (memory, GIB, "GiB"):
        their_sum, our_sum = sum(theirs.values()), sum(ours.values())
        share = our_sum / their_sum - 1
        line += (f"| {their_sum / scale:.2f} | {our_sum / scale:.2f} "
                 f"| {100 * share:+.1f} % ")
        if abs(share) > LIMIT:
            parts = main_differences(ours, theirs)
            named.update(parts)
            why += [f"{name} {value / scale:+.2f} {unit}"
                    for name, value in parts.items()]
    return f"{line}| {', '.join(why)} |"


def calculon_errors(rows):
    """Returns Calculon's errors on the measured steps, as shares."""
    steps = measured_steps()
    return [
        abs(sum(calculon(row)[0].values()) / measured_step(row, steps) - 1)
        for row in rows if measured_step(row, steps)
    ]


def main(program, word):
    steps = measured_steps()
    rows = list(read_rows())
    errors = calculon_errors(rows)
    named = {}
    print("| configuration | measured, s | Calculon, s | acesim, s | difference "
          "| Calculon, GiB | acesim, GiB | difference | parts, above 10 % |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if word in row["calculon_file"]:
            pairs = zip(calculon(row), acesim(program, row))
            print(table_line(row, measured_step(row, steps), *pairs, named),
                  flush=True)
    print()
    for name in REASONS:
        if name in named:
            print(f"- **{name}**: {REASONS[name]}")
    print(f"\nCalculon's error on the {len(errors)} measured steps: mean "
          f"{100 * sum(errors) / len(errors):.2f} %, worst "
          f"{100 * max(errors):.2f} %.")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], (*sys.argv, "")[2])
