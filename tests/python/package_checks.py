"""Checks of the Python package, printed as TAP; tests/test_python.sh runs it.

  python3 package_checks.py ACESIM SRCDIR

ACESIM is the program under test.  The working folder is empty but for a link to
SRCDIR/configs, and the package is on the path of modules.
"""
import csv
import io
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time

from html import escape

import acesim

PROGRAM, SRCDIR = sys.argv[1:]
RUN = "configs/runs/isca21.yaml"
MODEL = "configs/runs/llama-70b-64.yaml"
BATCH = "{global: 16}"
SMALL = """platform:
  name: pair
  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 500 ns}
  npu: configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
workload: {kind: collective, name: '%s', collective: all-reduce, payload: 1 MiB}
"""


def model_run():
    return acesim.Run(MODEL).set("workload.batch", BATCH)


def small_run(name="c"):
    with open("small.yaml", "w", encoding="utf-8") as file:
        file.write(SMALL % name)
    return acesim.Run("small.yaml")


def program(*arguments):
    """Returns what the program prints."""
    return subprocess.run(
        [PROGRAM, *arguments], check=True, capture_output=True, text=True
    ).stdout


def check_equal(got, expected):
    if got != expected:
        raise AssertionError(f"got {got!r}, expected {expected!r}")


def check_cells(table, text):
    """Checks each cell of a table against a CSV text of the program."""
    check_equal(table.to_csv(), text)
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    check_equal(list(table.columns), names)
    check_equal(len(table), len(rows))
    for values, row in zip(table.rows, rows):
        for name, cell in zip(names, row):
            value = values[name]
            if value is None:
                check_equal(cell, "")
            elif isinstance(value, bool):
                check_equal(str(value).lower(), cell)
            elif isinstance(value, (int, float)):
                check_equal(value, float(cell))
            else:
                check_equal(value, re.sub(r"^'('*[=+@\t\r-])", r"\1", cell))


# ---- tables ------------------------------------------------------------------


def test_row_equals_the_program():
    result = acesim.Run(RUN).set("endpoint.sram", "1 MiB").run()
    check_cells(
        result.table,
        program("run", RUN, "--set", "endpoint.sram=1 MiB", "--csv", "-"),
    )
    check_equal(result["n_npus"], 64)
    check_equal(result["n_tried"], None)
    check_equal(result["workload"], "resnet-50")
    check_equal(type(result["iteration_time_us"]), float)
    check_equal(result.columns["iteration_time_us"].unit, "us")
    check_equal(result.columns["net_bw_gb_per_s"].unit, "GB/s")


def test_other_tables_equal_the_program():
    result = acesim.Run(RUN).run(utilisation=True)
    for table, option in (
        (result.layers, "--per-layer"),
        (result.links, "--per-link"),
        (result.utilisation, "--utilisation"),
    ):
        check_cells(table, program("run", RUN, option, "-"))
    check_cells(
        model_run().run().memory,
        program("run", MODEL, "--set", f"workload.batch={BATCH}",
                "--memory", "-"),
    )


def test_explanation_equals_the_program():
    why = acesim.Run(RUN).explain(what_ifs=True)
    check_cells(why.what_ifs, program("run", RUN, "--what-if-csv", "-"))
    check_equal(
        round(sum(why.attribution["time_us"]), 6),
        why.result["iteration_time_us"],
    )
    rows = csv.DictReader(
        io.StringIO(program("run", RUN, "--explain-csv", "-"))
    )
    check_equal(
        [(f"{row['part']}.{row['resource']}", float(row["time_us"]))
         for row in rows],
        list(zip(why.attribution["part"], why.attribution["time_us"])),
    )
    model = model_run().explain()
    check_equal(
        round(sum(model.attribution["time_us"]), 6),
        model.result["iteration_time_us"],
    )
    page = why._repr_html_()
    for label in why.attribution["label"]:
        assert f"</span>{escape(label)}</td>" in page.replace("&#39;", "&#x27;")
    assert f"<td>{why.what_ifs['set'][0]}</td>" in page, page
    assert "<script" not in page
    widths = re.findall(r'<i class="g-[a-z]+" style="--w:([0-9.]+)">', page)
    assert len(widths) > 1 and abs(sum(map(float, widths)) - 100) < 0.5, widths


SWEEP = """base: configs/runs/isca21.yaml
axes:
  - zip:
      endpoint: [configs/endpoints/comp-opt.yaml, configs/endpoints/tuned.yaml, configs/endpoints/ace.yaml]
      training.overlap: [true, true, false]
  - platform.npu.hbm.bandwidth: [600 GB/s, 1.8 TB/s]
  - collectives.window: [4, auto]
"""


def test_sweep_equals_the_program():
    with open("sweep.yaml", "w", encoding="utf-8") as file:
        file.write(SWEEP)
    results = acesim.sweep_file("sweep.yaml", "results")
    endpoints = acesim.files("configs/endpoints", "comp-opt tuned ace")
    table = acesim.sweep(
        acesim.Run(RUN),
        {
            ("endpoint", "training.overlap"): list(
                zip(endpoints, [True, True, False])
            ),
            "platform.npu.hbm.bandwidth": ["600 GB/s", "1.8 TB/s"],
            "collectives.window": [4, "auto"],
        },
    )
    with open("results/runs.csv", encoding="utf-8", newline="") as file:
        check_cells(table, file.read())
    check_equal(results.runs.to_csv(), table.to_csv())
    program("compare", "results", "--baselines", "comp-opt", "--best", "tuned",
            "--offload", "ace")
    with open("results/compare.csv", encoding="utf-8", newline="") as file:
        check_cells(
            table.compare(offload="ace", best="tuned", baselines=["comp-opt"]),
            file.read(),
        )


def test_failed_point_has_its_reason():
    table = acesim.sweep(
        small_run(), {"workload.payload": ["1 MiB", "1 mile"]}
    )
    check_equal(table["status"][0], "ok")
    assert "mile" in table["status"][1], table["status"]
    check_equal(table["iteration_time_us"][1], None)
    try:
        acesim.sweep(small_run(), {"workload.pay": ["1 MiB", "2 MiB"]})
        raise AssertionError("a sweep without any result is no error")
    except acesim.Error as error:
        assert "unknown key 'pay'" in str(error), error


def test_text_is_never_a_formula_or_a_tag():
    result = small_run("=<b>1 & 2").run()
    check_equal(result["workload"], "=<b>1 & 2")
    assert "'=<b>1 & 2" in result.table.to_csv()
    assert "=&lt;b&gt;1 &amp; 2" in result._repr_html_()
    check_equal(small_run("12").run()["workload"], "12")


def test_pandas_has_numbers():
    table = acesim.sweep(
        small_run(), {"workload.payload": ["1 MiB", "auto", "4 MiB"]}
    )
    frame = table.to_pandas()
    check_equal(
        list(frame.columns[frame.dtypes == object]),
        [name for name, c in table.columns.items() if c.type is str],
    )
    for name in "n_tried", "cut_error_percent", "workload.payload_bytes":
        check_equal(str(frame[name].dtype), "float64")
    check_equal(
        list(frame["workload.payload_bytes"].dropna()), [2.0**20, 2.0**22]
    )


# ---- errors, interrupts, threads, memory -------------------------------------


def test_mistake_has_the_message_and_place_of_the_program():
    said = subprocess.run(
        [PROGRAM, "run", RUN, "--set", "endpoint.srma=1 MiB"],
        capture_output=True,
        text=True,
    ).stderr
    try:
        acesim.Run(RUN).set("endpoint.srma", "1 MiB").run()
        raise AssertionError("no error")
    except acesim.Error as error:
        check_equal(f"{error}\n", said)
    small_run()
    with open("small.yaml", "a", encoding="utf-8") as file:
        file.write("trainign: {iterations: 2}\n")
    try:
        acesim.Run("small.yaml").run()
        raise AssertionError("no error")
    except acesim.Error as error:
        check_equal((error.file, error.line, error.column), ("small.yaml", 7, 1))


def long_run():
    """Returns a run that takes minutes; no iteration repeats another."""
    return (
        acesim.Run(RUN, fold="off")
        .set("training.iterations", 400)
        .set("perturb.jitter", "1 %")
        .set("platform", "configs/platforms/ace-4x8x4.yaml")
    )


def check_interrupt(work):
    """Checks that ^C ends work() within a second after it is sent."""
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin_s = time.monotonic()
    try:
        work()
        raise AssertionError("it was not interrupted")
    except KeyboardInterrupt:
        pass
    finally:
        timer.cancel()
    # The machine may be busy; a run that goes on takes minutes.
    assert time.monotonic() - begin_s < 6, time.monotonic() - begin_s


def test_interrupt_ends_a_run():
    check_interrupt(long_run().run)


def test_interrupt_ends_a_sweep_in_threads():
    check_interrupt(
        lambda: acesim.sweep(
            long_run(), {"endpoint.sram": ["1 MiB", "2 MiB", "4 MiB"]}, workers=2
        )
    )


def test_interrupt_ends_a_search():
    check_interrupt(
        lambda: long_run().solve(
            "endpoint.sram", "64 KiB", "4 MiB",
            "iteration_time_us <= 110 % of ideal",
        )
    )


def test_exception_in_progress_ends_a_run():
    def progress(n_done, n_iterations):
        check_equal((n_done, n_iterations), (0, 400))
        raise RuntimeError("enough")

    try:
        long_run().run(progress)
        raise AssertionError("it was not ended")
    except RuntimeError as error:
        check_equal(str(error), "enough")


def test_other_threads_go_on_during_a_run():
    run = acesim.Run(RUN, fold="off")
    thread = threading.Thread(target=run.run)
    n = 0
    thread.start()
    while thread.is_alive():
        n += 1
        time.sleep(0.001)
    assert n > 20, n


def resident_kib():
    with open("/proc/self/status", encoding="utf-8") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def test_runs_in_two_threads_leak_nothing():
    run = small_run()

    def work(n):
        for i in range(n):
            run.set("workload.payload", f"{64 + i % 7} KiB").run()
            if i % 10 == 0:
                try:
                    run.set("workload.payload", "none").run()
                except acesim.Error:
                    pass

    # Sanitizers are slow, and find leaks by other tests.
    n_runs = 100 if os.environ.get("LD_PRELOAD") else 1000
    sizes = []
    for n in n_runs // 5, 3 * n_runs // 10:
        threads = [threading.Thread(target=work, args=(n,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sizes.append(resident_kib())
    # A result of this run takes 70 KiB, so 600 of them would take 40 MiB.
    assert n_runs < 1000 or sizes[1] - sizes[0] < 4096, sizes


# ---- the page of documentation -----------------------------------------------


def python_blocks(page):
    with open(page, encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


def test_examples_of_the_documentation_run():
    import matplotlib

    matplotlib.use("Agg")
    names = {}
    blocks = python_blocks(os.path.join(SRCDIR, "docs", "python.md"))
    assert len(blocks) >= 6
    out = sys.stdout
    sys.stdout = io.StringIO()
    try:
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), names)
        printed = sys.stdout.getvalue()
    finally:
        sys.stdout = out
    for text in "1167.203289\nus\n", "did you mean 'sram'", "652 KiB\n":
        assert text in printed, printed
    with open("hbm.svg", encoding="utf-8") as file:
        assert "</svg>" in file.read()


def test_plots_follow_the_data():
    import matplotlib

    matplotlib.use("Agg")
    table = acesim.sweep(
        small_run(),
        {
            "endpoint.kind": ["ideal"],
            "workload.payload": [f"{1 << i} MiB" for i in range(5)],
            "platform.topology.bandwidth": ["25 GB/s", "50 GB/s"],
        },
    )
    axes = table.plot(
        "workload.payload_bytes",
        "iteration_time_us",
        by="platform.topology.bandwidth_gb_per_s",
    )
    check_equal(axes.get_xscale(), "log")
    check_equal(axes.get_ylim()[0], 0)
    check_equal(axes.get_xlabel(), "workload.payload, bytes")
    check_equal(len(axes.lines), 2)
    check_equal(sorted(t.get_text() for t in axes.texts), ["25", "50"])
    dots = table.plot("platform.topology.bandwidth_gb_per_s", "iteration_time_us")
    check_equal(dots.lines[0].get_linestyle(), "None")
    panels = table.plot(
        "workload.payload_bytes",
        "iteration_time_us",
        panels="platform.topology.bandwidth_gb_per_s",
    )
    check_equal(len(panels), 2)


def test_two_numeric_axes_make_a_heat_map():
    import matplotlib

    matplotlib.use("Agg")
    table = acesim.sweep(
        small_run(),
        {
            "workload.payload": ["1 MiB", "4 MiB", "2 MiB"],
            "platform.topology.bandwidth": ["25 GB/s", "50 GB/s", "75 GB/s"],
            "endpoint.kind": ["ideal"],
        },
    )
    payload, rate = (
        "workload.payload_bytes",
        "platform.topology.bandwidth_gb_per_s",
    )
    axes = table.plot(payload, "iteration_time_us", by=rate)
    check_equal(len(axes.lines), 0)
    check_equal(axes.get_xlabel(), "workload.payload, bytes")
    times = {(row[rate], row[payload]): row["iteration_time_us"] for row in table.rows}
    check_equal(
        [text.get_text() for text in axes.texts],
        [
            f"{times[cell]:.0f}" if times[cell] >= 100 else f"{times[cell]:.3g}"
            for cell in sorted(times)
        ],
    )
    check_equal(
        [label.get_text() for label in axes.get_xticklabels()],
        ["1 MiB", "2 MiB", "4 MiB"],
    )
    axes.figure.savefig("heat.svg")
    twice = acesim.Table(table._names, table._cells + table._cells[:1])
    try:
        twice.plot(payload, "iteration_time_us", by=rate)
        assert False, "two rows in one cell were accepted"
    except ValueError as why:
        assert "several rows" in str(why), why


def main():
    os.environ["ACESIM"] = PROGRAM
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_")]
    for n, (name, test) in enumerate(tests, 1):
        begin_s = time.monotonic()
        try:
            test()
            print(f"ok {n} - {name[5:].replace('_', ' ')}", flush=True)
        except BaseException as why:
            print(f"not ok {n} - {name[5:].replace('_', ' ')}")
            text = f"{type(why).__name__}: {why}"[:2000].replace("\n", "\n# ")
            print(f"# {text}", flush=True)
        if os.environ.get("ACESIM_TIMES"):
            print(f"# {time.monotonic() - begin_s:.2f} s", flush=True)
    print(f"1..{len(tests)}")


if __name__ == "__main__":
    main()
