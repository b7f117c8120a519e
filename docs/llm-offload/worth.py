#!/usr/bin/env python3
"""Prints docs/llm-offload/worth.csv from the results of the sweeps of its page.

usage: worth.py MACHINE=DIR...   DIR has compare-any.csv (each endpoint takes its fastest
plan and overlap), and may have compare-plan.csv (its fastest plan of each overlap)
       worth.py --table CSV      prints the table of results of the page from worth.csv
"""
import csv
import sys

COLUMNS = ["machine", "model", "n_npus", "compute", "overlap", "gb_per_s", "pieces",
           "engine", "worth", "verdict", "expected_error_percent", "plan",
           "plan_overlap", "step_us", "best", "best_plan", "best_overlap",
           "best_step_us"]
# The engines of the table of results, in the order of its columns.
ENGINES = ["nccl-ce", "nvls", "deepep", "sdma-mi300x", "ace-450", "ideal", "ideal-own",
           "hiding"]
MACHINES = {"h100": "H100", "gb200": "GB200", "mi300x": "MI300X"}
MODELS = {"70b": "Llama 70B", "405b": "Llama 405B", "mixtral": "Mixtral 8x7B",
          "deepseek": "DeepSeek-V3"}
PEAK = "platform.npu.language.bf16.flops_tflop_per_s"


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compute_of(row):
    """Returns the FLOP/s of products as a multiple of the data sheet's."""
    if "compute" in row:
        return row["compute"]
    return "%g" % (float(row[PEAK]) / 989.4) if PEAK in row else "1"


def convert(machine, row, overlap):
    return {
        "machine": machine,
        # The two sweeps of break-even have one model and no name for it.
        "model": row["workload"].replace("transformer", "70b"), "n_npus": row["n_npus"],
        "compute": compute_of(row), "overlap": overlap or row.get("overlap", ""),
        "gb_per_s": row.get("endpoint.memory_bandwidth_gb_per_s", ""),
        "pieces": row.get("workload.parallel.tp_pieces", ""),
        "engine": row["offload"], "worth": row["speedup"], "verdict": row["verdict"],
        "expected_error_percent": row["expected_error_percent"],
        "plan": row.get("plan", ""), "plan_overlap": row.get("overlap", ""),
        "step_us": row["offload_iteration_time_us"], "best": row["best_baseline"],
        "best_plan": row.get("best_baseline.plan", ""),
        "best_overlap": row.get("best_baseline.overlap", overlap or row.get("overlap", "")),
        "best_step_us": row["best_baseline_iteration_time_us"]}


def hiding(all_rows):
    """Returns a row for each system: its best exposed step over its best hidden one."""
    best = {}
    for row in all_rows:
        if row["overlap"] not in ("exposed", "hidden-2", "hidden"):
            continue
        key = (row["machine"], row["model"], row["n_npus"], row["compute"])
        kind = "exposed" if row["overlap"] == "exposed" else "hidden"
        known = best.setdefault(key, {}).get(kind)
        if not known or float(row["best_step_us"]) < float(known["best_step_us"]):
            best[key][kind] = row
    out = []
    for pair in best.values():
        if len(pair) == 2:
            hidden, exposed = pair["hidden"], pair["exposed"]
            worth = float(exposed["best_step_us"]) / float(hidden["best_step_us"])
            out.append(dict(hidden, engine="hiding", worth="%.4f" % worth, verdict="",
                            expected_error_percent="",
                            overlap="any", plan=hidden["best_plan"],
                            plan_overlap=hidden["overlap"],
                            step_us=hidden["best_step_us"], best=exposed["best"],
                            best_plan=exposed["best_plan"], best_overlap="exposed",
                            best_step_us=exposed["best_step_us"]))
    return out


def print_table(path):
    systems = {}
    for row in rows(path):
        if row["overlap"] == "any":
            key = (row["machine"], row["model"], row["n_npus"], row["compute"])
            systems.setdefault(key, {})[row["engine"]] = row
    columns = ["machine", "model", "NPUs", "compute", "best without an engine"]
    columns += ["`%s`" % e if e != "hiding" else e for e in ENGINES]
    print("| %s |" % " | ".join(columns))
    print("|" + "---|" * len(columns))
    for (machine, model, n_npus, compute), found in systems.items():
        best = next(row for engine, row in found.items() if engine != "hiding")
        cells = [MACHINES[machine], MODELS[model], "{:,}".format(int(n_npus)), compute,
                 "%.4g s: `%s`, %s, %s" % (float(best["best_step_us"]) / 1e6, best["best"],
                                           best["best_plan"], best["best_overlap"])]
        for engine in ENGINES:
            row = found.get(engine)
            uncertain = row and row["verdict"] == "no measurable difference"
            cells.append("%.2f%s" % (float(row["worth"]), "~" if uncertain else "")
                         if row else "")
        print("| %s |" % " | ".join(cells))


def main():
    if sys.argv[1:2] == ["--table"]:
        print_table(sys.argv[2])
        return
    out = []
    for argument in sys.argv[1:]:
        machine, folder = argument.split("=", 1)
        for row in rows(folder + "/compare-any.csv"):
            out.append(convert(machine, row, "any" if "plan" in row else ""))
        try:
            found = rows(folder + "/compare-plan.csv")
        except FileNotFoundError:
            continue
        out += [convert(machine, row, "") for row in found]
    out += hiding(out)
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(out)


main()
