#!/usr/bin/env python3
"""Prints the tables of docs/hgx-h100/README.md from the results of its sweep.

usage: tables.py RUNS_CSV   (results/hgx-h100/runs.csv)
"""
import csv
import sys

WITHOUT_ENGINE = ["sms-8", "sms-16", "sms-8-free", "sms-8-hd"]
MODELS = {"resnet-50": "ResNet-50", "gnmt": "GNMT", "dlrm": "DLRM"}
PAYLOADS = {"all-reduce-1MiB": "1 MiB", "all-reduce-16MiB": "16 MiB",
            "all-reduce-128MiB": "128 MiB", "all-reduce-1GiB": "1 GiB"}
WORKLOADS = {**MODELS, **PAYLOADS}
FIRST_PAYLOAD = "1 MiB"
COUNTS = [32, 128, 512, 1024]


def read_times(path):
    """Returns the microseconds of each (workload, number of NPUs, case)."""
    with open(path, newline="") as file:
        return {(row["workload"], int(row["n_npus"]), row["who"]):
                float(row["iteration_time_us"])
                for row in csv.DictReader(file) if row["status"] == "ok"}


def digits(value):
    """Returns VALUE with three significant digits, or all before the point."""
    text = "%.1f" % value if value < 100 else "%d" % round(value)
    return "{:,}".format(int(text)) if "." not in text else text


def span(values, form="%.2f"):
    """Returns "1.00 to 1.02" of VALUES, or one number where all look the same."""
    least, most = form % min(values), form % max(values)
    return least if least == most else "%s to %s" % (least, most)


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_head(cells):
    print("| " + " | ".join(cells).lstrip() + " |")
    print("|" + "---|" * len(cells))


def name_of(workload, prefix):
    """Returns the name of a row; the first payload has PREFIX."""
    name = WORKLOADS[workload]
    return prefix + name if name == FIRST_PAYLOAD else name


def factor_form(values):
    return "%.3f" if max(abs(v - 1) for v in values) < .02 else "%.2f"


def main():
    times = read_times(sys.argv[1])

    def time(workload, n, case):
        return times.get((workload, n, case))

    def best(workload, n):
        return min(time(workload, n, case) for case in WITHOUT_ENGINE
                   if time(workload, n, case))

    print_head(["workload", "over NCCL", "over the best without an engine",
                "over 8 SMs that start as kernels do today"])
    for workload in WORKLOADS:
        cells = [name_of(workload, "all-reduce of ")]
        for reference in (lambda n: time(workload, n, "nccl"),
                          lambda n: best(workload, n),
                          lambda n: time(workload, n, "sms-8")):
            values = [reference(n) / time(workload, n, "ace-600") for n in COUNTS
                      if reference(n)]
            cells.append(span(values, factor_form(values)))
        print_row(cells)
    print()

    print_head(["microseconds", "NPUs", "NCCL", "best without", "ace, 128 GB/s", "ace-600",
                "ideal", "ace-600 over NCCL", "over best without"])
    for workload in WORKLOADS:
        for n in COUNTS:
            nccl, ace = time(workload, n, "nccl"), time(workload, n, "ace-600")
            form = "%.3f" if workload in ("resnet-50", "gnmt") else "%.2f"
            name = name_of(workload, "all-reduce, ") if n == COUNTS[0] else ""
            print_row([name, "{:,}".format(n),
                       digits(nccl) if nccl else "", digits(best(workload, n)),
                       digits(time(workload, n, "ace")), digits(ace),
                       digits(time(workload, n, "ideal")),
                       form % (nccl / ace) if nccl else "",
                       "%.3f" % (best(workload, n) / ace)])
    print()

    cases = ["nccl", "ideal-nccl", "ace-600-nccl", "sms-8-hd", "ace-600-hd", "ideal-hd",
             "sms-8", "sms-8-free", "ace-600", "ideal"]
    print_head(["", "NPUs", "NCCL", "NVLSTree without costs, ideal", "by ace-600",
                "halving, 8 SMs", "by ace-600", "by ideal", "direct, 8 SMs",
                "by 8 that start without delay", "by ace-600", "by ideal"])
    for workload, payload in PAYLOADS.items():
        for n in (COUNTS[0], COUNTS[-1]):
            values = [time(workload, n, case) for case in cases]
            print_row([payload if n == COUNTS[0] else "", "{:,}".format(n)] +
                      [digits(v) if v else "" for v in values])


main()
