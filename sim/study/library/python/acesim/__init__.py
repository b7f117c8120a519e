"""Simulates a training step of a neural network on many accelerators.

    import acesim
    run = acesim.Run("configs/runs/isca21.yaml").set("endpoint.sram", "1 MiB")
    print(run.run()["iteration_time_us"])

docs/python.md shows sweeps, tables, explanations and plots.
"""
from ._library import Error, version
from .runs import Explanation, Result, Run
from .sweeps import files, read, sweep, sweep_file
from .tables import Column, Table

__version__ = version()
__all__ = [
    "Column",
    "Error",
    "Explanation",
    "Result",
    "Run",
    "Table",
    "files",
    "read",
    "sweep",
    "sweep_file",
]
