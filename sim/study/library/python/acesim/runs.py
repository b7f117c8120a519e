"""Run: a run file with values set in place of its own; Result, Explanation."""
import collections.abc
import json
import os

from . import _library
from .tables import Table


def as_yaml(value):
    """Returns a value as YAML, of which JSON is a part.  A text is YAML
    already: "8 MiB"."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return json.dumps(value)


class Run:
    """A run file with values set in place of its own.

    A run is never changed: set() returns a new one.  Nothing is read before the
    run is simulated.
    """

    def __init__(self, path, values=None, fold="auto"):
        """path is a run file.  values is a dict from key to value.  fold is
        "auto", "off" or "require": whether equivalent NPUs are simulated as
        one."""
        if fold not in _library.FOLDS:
            raise _library.Error(
                f"fold is {', '.join(_library.FOLDS)}, not {fold!r}"
            )
        self.path = os.fspath(path)
        self.fold = fold
        self.settings = tuple(
            (key, as_yaml(value)) for key, value in (values or {}).items()
        )

    def __repr__(self):
        settings = "".join(f" --set {k}={v!r}" for k, v in self.settings)
        return f"<acesim run {self.path}{settings}>"

    def set(self, key, value):
        """Returns a run that also has a value for a key, as `--set KEY=VALUE`
        sets it.  A later value of a key replaces an earlier one."""
        run = Run(self.path, fold=self.fold)
        run.settings = (*self.settings, (key, as_yaml(value)))
        return run

    def _open(self, record=0):
        return _library.LibraryRun(self.path, self.settings, self.fold, record)

    def run(self, progress=None, utilisation=False):
        """Simulates the run and returns its Result.

        progress(n_done, n_iterations) is called every few milliseconds.  With
        utilisation the result has the table of that name.
        """
        record = _library.RECORD_UTILISATION if utilisation else 0
        with self._open(record) as run:
            return Result(run.simulate(progress))

    def explain(self, what_ifs=False, progress=None):
        """Simulates the run and returns an Explanation of its time.  With
        what_ifs, it also simulates one run for each resource that could be
        twice as good."""
        with self._open(_library.RECORD_ATTRIBUTION) as run:
            result = run.simulate(progress)
        if what_ifs:
            result.run_what_ifs(progress)
        return Explanation(Result(result), what_ifs)

    def solve(self, key, least, most, until, progress=None):
        """Returns the smallest value of a key from least to most for which a
        condition holds, as a text: "652 KiB".  The condition is as in
        "iteration_time_us <= 110 % of ideal"."""
        with self._open() as run:
            return run.solve(key, as_yaml(least), as_yaml(most), until, progress)


class Result(collections.abc.Mapping):
    """The row of a run: result["iteration_time_us"].

    columns    a dict of Column, by name
    The other tables are layers, links, jobs, memory, config and, if it was
    recorded, utilisation.
    """

    def __init__(self, result):
        self._result = result
        self.table = self._read("runs")
        self._row = self.table.rows[0]

    def _read(self, name):
        return Table.from_csv(self._result.rows(name), name)

    def __getitem__(self, name):
        self.table[name]  # names the columns in its error
        return self._row[name]

    def __iter__(self):
        return iter(self._row)

    def __len__(self):
        return len(self._row)

    def __repr__(self):
        return f"<{', '.join(f'{k}={v}' for k, v in self._row.items())}>"

    def _repr_html_(self):
        return self.table._repr_html_()

    @property
    def columns(self):
        return self.table.columns

    @property
    def layers(self):
        return self._read("layers")

    @property
    def links(self):
        return self._read("links")

    @property
    def jobs(self):
        return self._read("jobs")

    @property
    def memory(self):
        return self._read("memory")

    @property
    def config(self):
        return self._read("config")

    @property
    def utilisation(self):
        return self._read("utilisation")

    def close(self):
        """Frees the memory of all NPUs and links.  The row stays."""
        self._result.close()


class Explanation:
    """Where the time of an iteration went, and what would shorten it.

    result         the Result of the run
    attribution    a Table of the parts of the iteration time, which add up to
                   it
    what_ifs       a Table of runs in which one resource is twice as good, or
                   None if they were not asked for
    """

    def __init__(self, result, has_what_ifs):
        self.result = result
        self._html = result._result.html()
        self.attribution = result._read("attribution")
        self.what_ifs = result._read("what_ifs") if has_what_ifs else None

    def __repr__(self):
        return (
            f"<{self.result['workload']}: "
            f"{self.result['iteration_time_us']} us in "
            f"{len(self.attribution)} parts>"
        )

    def _repr_html_(self):
        """Returns the bar and the tables of a report, for notebooks."""
        return self._html
