"""Sweeps: runs with all combinations of some values, and folders of results."""
import concurrent.futures
import itertools
import json
import os
import shutil
import subprocess
import threading

from . import _library
from .runs import as_yaml
from .tables import Table, parse_csv


def files(folder, names):
    """Returns the paths of YAML files in a folder: files("configs/endpoints",
    "comp-opt ace").  names is a list, or a text with blanks between."""
    names = names.split() if isinstance(names, str) else names
    return [os.path.join(folder, f"{name}.yaml") for name in names]


class _AxisColumn:
    """The column of a key that an axis changes: its name and a cell for each
    value of the axis, as `acesim sweep` writes them."""

    def __init__(self, number, key, values):
        self.number, self.key = number, key
        text = _library.axis(key, "\n".join(map(as_yaml, values)))
        (self.name,), rows = parse_csv(text)
        self.cells = [row[0] if row else "" for row in rows]


class _Points:
    """The combinations of the values of axes; the first axis is slowest."""

    def __init__(self, axes):
        self.keys = []  # for each axis, a tuple of keys
        values = []  # for each axis, a list of tuples of values
        for key, choices in axes.items():
            choices = list(choices)
            if not isinstance(key, tuple):
                key, choices = (key,), [(choice,) for choice in choices]
            if not choices or any(len(c) != len(key) for c in choices):
                raise _library.Error(
                    f"axis {', '.join(key)}: give a list of values, or for "
                    "several keys a list of tuples of that many values"
                )
            self.keys.append(key)
            values.append(choices)
        indices = itertools.product(*(range(len(v)) for v in values))
        self.indices = list(indices)
        self.values = values

    def settings(self, point):
        """Returns the (key, value) of a point."""
        for axis, i in enumerate(self.indices[point]):
            yield from zip(self.keys[axis], self.values[axis][i])

    def columns(self):
        """Returns the column of each key."""
        return [
            _AxisColumn(number, key, [value[k] for value in self.values[number]])
            for number, keys in enumerate(self.keys)
            for k, key in enumerate(keys)
        ]


def sweep(run, axes, workers=None, progress=None):
    """Simulates a run with all combinations of values and returns a Table.

    axes        a dict from key to list of values: the first key varies slowest.
                A tuple of keys has tuples of values that change together.
    workers     how many runs are simulated at a time; one for each processor by
                default
    progress    progress(n_done, n) is called when a point ends

    A point that fails has the reason in the column status.  If all points fail,
    the error of the first is raised.
    """
    points = _Points(axes)
    n = len(points.indices)
    stopped = threading.Event()

    def simulate(point):
        run_of_point = run
        for key, value in points.settings(point):
            run_of_point = run_of_point.set(key, value)
        with run_of_point._open() as opened:
            result = opened.simulate(is_stopped=stopped.is_set)
        try:
            return parse_csv(result.rows("runs"))
        finally:
            result.close()

    workers = workers or len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(max(1, workers)) as pool:
        futures = [pool.submit(simulate, point) for point in range(n)]
        try:
            ended = concurrent.futures.as_completed(futures)
            for n_done, _ in enumerate(ended, 1):
                if progress:
                    progress(n_done, n)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return _join_points(points, futures)


def _join_points(points, futures):
    """Returns the table of all points, of which some may have failed."""
    failures = [future.exception() for future in futures]
    for failure in failures:
        if failure and not isinstance(failure, _library.Error):
            raise failure
    if all(failures):
        raise failures[0]
    results = [None if failure else future.result()
               for future, failure in zip(futures, failures)]
    # Some columns are those of language models only.
    names = max((result[0] for result in results if result), key=len)
    # An axis of which the rows have a column needs no other one.
    axes = [axis for axis in points.columns() if axis.key not in names]
    cells = []
    for indices, result, failure in zip(points.indices, results, failures):
        if result:
            known = dict(zip(result[0], result[1][0]))
        else:
            known = {"status": str(failure).replace("\n", " ")}
        cells.append([axis.cells[indices[axis.number]] for axis in axes]
                     + [known.get(name, "") for name in names])
    return Table([axis.name for axis in axes] + names, cells)


class Folder:
    """The results of `acesim sweep`: runs, compare, attribution, config and any
    other table of the folder, each a Table."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.isfile(os.path.join(self.path, "runs.csv")):
            raise _library.Error(
                f"{self.path}: there is no runs.csv; `acesim sweep` makes one"
            )

    def __repr__(self):
        return f"<results in {self.path}: {', '.join(self.tables)}>"

    def __dir__(self):
        return [*super().__dir__(), *self.tables]

    @property
    def tables(self):
        """The names of the tables in the folder."""
        return sorted(
            name[:-4] for name in os.listdir(self.path) if name.endswith(".csv")
        )

    @property
    def info(self):
        """The contents of info.json."""
        path = os.path.join(self.path, "info.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def __getattr__(self, name):
        if name.startswith("_") or name == "path":
            raise AttributeError(name)
        path = os.path.join(self.path, f"{name}.csv")
        if not os.path.isfile(path):
            raise AttributeError(
                f"{self.path} has no {name}.csv, but {', '.join(self.tables)}"
            )
        with open(path, encoding="utf-8", newline="") as file:
            table = Table.from_csv(file.read(), name)
        setattr(self, name, table)
        return table


def read(folder):
    """Returns the results in a folder that `acesim sweep` wrote."""
    return Folder(folder)


def _find_program():
    """Returns the program acesim: that of the environment variable ACESIM, that
    of `make install`, or the one on the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(here, "..", "..", "..", "bin", "acesim")
    for path in os.environ.get("ACESIM"), installed, shutil.which("acesim"):
        if path and os.access(path, os.X_OK):
            return path
    raise _library.Error(
        "there is no program acesim on the path; name it in the environment "
        "variable ACESIM"
    )


def sweep_file(path, folder, workers=None, options=()):
    """Simulates a sweep file with the program acesim and returns its results.

    The program continues an interrupted sweep and survives points that crash.
    options are further options of `acesim sweep`, such as "--per-layer".
    """
    command = [_find_program(), "sweep", os.fspath(path), "-q"]
    command += ["-o", os.fspath(folder), *options]
    if workers:
        command += ["-j", str(workers)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as program:
        try:
            _, text = program.communicate()
        except BaseException:
            program.terminate()
            raise
    # Points may have failed, which their rows say.
    if program.returncode != 0 and not os.path.isfile(
        os.path.join(folder, "runs.csv")
    ):
        raise _library.Error(text.strip())
    return Folder(folder)
