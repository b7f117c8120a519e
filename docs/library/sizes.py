"""What ACE's SRAM is worth, asked of libacesim by ctypes; several runs at once.

  python3 sizes.py configs/runs/isca21.yaml [libacesim.so.0]
"""
import concurrent.futures
import csv
import ctypes
import io
import re
import sys


class Acesim:
    """The library; each text that it gives is copied and freed."""

    def __init__(self, path="libacesim.so.0"):
        self.lib = ctypes.CDLL(path)
        for name in "load simulate rows solve".split():
            getattr(self.lib, "acesim_" + name).restype = ctypes.c_void_p

    def _text(self, pointer):
        text = ctypes.string_at(pointer).decode()
        self.lib.acesim_free(ctypes.c_void_p(pointer))
        return text

    def _call(self, name, *args):
        error = ctypes.c_void_p()
        args = [a.encode() if isinstance(a, str) else a for a in args]
        got = getattr(self.lib, "acesim_" + name)(*args, ctypes.byref(error))
        if not got:
            raise ValueError(self._text(error.value))
        return got

    def _load(self, path, values):
        run = ctypes.c_void_p(self._call("load", path))
        try:
            for key, value in values.items():
                self._call("set", run, key, str(value))
        except ValueError:
            self.lib.acesim_run_free(run)
            raise
        return run

    def run(self, path, values):
        """The row of a run with values in place: a dict by column."""
        run = self._load(path, values)
        try:
            result = ctypes.c_void_p(self._call("simulate", run))
        finally:
            self.lib.acesim_run_free(run)
        try:
            text = self._text(self._call("rows", result, "runs"))
        finally:
            self.lib.acesim_result_free(result)
        row = next(csv.DictReader(io.StringIO(text)))
        # A text that begins as a formula does has an apostrophe before it.
        return {key: re.sub(r"^'('*[=+@\t\r-])", r"\1", cell)
                for key, cell in row.items()}

    def solve(self, path, values, key, least, most, until):
        """The least value of a key from least to most at which until holds."""
        run = self._load(path, values)
        try:
            return self._text(self._call("solve", run, key, least, most, until))
        finally:
            self.lib.acesim_run_free(run)


def main():
    acesim = Acesim(*sys.argv[2:])
    sizes = ["512 KiB", "1 MiB", "4 MiB"]

    # The library keeps nothing between calls, and Python lets go of its lock
    # in them: so threads run side by side.
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        rows = threads.map(
            lambda size: acesim.run(sys.argv[1], {"endpoint.sram": size}), sizes
        )
        for size, row in zip(sizes, rows):
            print(f"{size}: {float(row['iteration_time_us']):.3f} us")
    print(
        "enough:",
        acesim.solve(
            sys.argv[1],
            {"endpoint.sram": sizes[-1]},
            "endpoint.sram",
            "64 KiB",
            "4 MiB",
            "iteration_time_us <= 110 % of ideal",
        ),
    )


if __name__ == "__main__":
    main()
