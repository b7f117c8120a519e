"""Tables: the rows of a CSV file, as the simulator writes them, with types."""
import csv
import html
import io
import json
import re

from . import _library

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool}
_MAX_HTML_ROWS = 60


class Column:
    """A column of a table.

    name           as in the CSV
    type           int, float, bool or str: the type of its values
    unit           "us", "GB/s", "bytes" ... or None
    title          a few words, without the unit
    better         "less", "more" or None
    description    one sentence
    """

    def __init__(self, field):
        """Makes a column of an object of acesim_columns()."""
        self.name = field["name"]
        self.type = _TYPES[field["type"]]
        self.unit = field.get("unit")
        self.title = field["title"]
        self.better = field.get("better")
        self.description = field["description"]

    def __repr__(self):
        unit = f", {self.unit}" if self.unit else ""
        return f"<{self.name}: {self.type.__name__}{unit}>"

    @property
    def label(self):
        """The title with the unit, for an axis."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def value(self, cell):
        """Returns the value of a cell; None if it is empty."""
        if cell == "":
            return None
        if self.type is bool:
            return cell == "true"
        return self.type(cell)


def parse_csv(text):
    """Returns the names and the rows of a CSV text, all as texts."""
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    return names, [[_plain(cell) for cell in row] for row in rows]


def _plain(cell):
    """Returns a cell without the apostrophe that the writer puts before a text
    which a spreadsheet would take for a formula."""
    return re.sub(r"^'('*[=+@\t\r-])", r"\1", cell)


def _guarded(cell):
    """Returns a cell as the writer of CSV files writes it."""
    if cell != "-" and not _NUMBER.fullmatch(cell):
        cell = re.sub(r"^('*[=+@\t\r-])", r"'\1", cell)
    if re.search(r'[",\n\r]', cell):
        cell = '"' + cell.replace('"', '""') + '"'
    return cell


class Table:
    """Rows with named columns.

    columns    a dict of Column, by name
    rows       a list of dicts: numbers are int or float, a missing value is
               None
    table[name] is the list of the values of a column.
    """

    def __init__(self, names, cells, kind="runs"):
        """Makes a table of texts: a list of names and a list of rows.  kind is
        the name of the table in the library, such as "runs"."""
        self._names, self._cells = names, cells
        fields = json.loads(_library.columns(kind, self.to_csv()))
        self.columns = {field["name"]: Column(field) for field in fields}
        self._values = {
            column.name: [column.value(row[i]) for row in cells]
            for i, column in enumerate(self.columns.values())
        }

    @classmethod
    def from_csv(cls, text, kind="runs"):
        """Makes a table of the text of a CSV file with a header."""
        return cls(*parse_csv(text), kind)

    def __len__(self):
        return len(self._cells)

    def __iter__(self):
        return iter(self.rows)

    def __contains__(self, name):
        return name in self.columns

    def __getitem__(self, name):
        if name not in self._values:
            raise KeyError(
                f"there is no column '{name}', but {', '.join(self.columns)}"
            )
        return self._values[name]

    def __repr__(self):
        return f"<{len(self)} rows of {', '.join(self.columns)}>"

    @property
    def rows(self):
        names = list(self._values)
        return [dict(zip(names, row)) for row in zip(*self._values.values())]

    def to_csv(self, path=None):
        """Writes the table to a file, or returns its text without a path.  The
        cells are those of the simulator, to the last digit."""
        lines = [self._names, *self._cells]
        text = "".join(",".join(map(_guarded, line)) + "\n" for line in lines)
        if path is None:
            return text
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return None

    def to_pandas(self):
        """Returns a pandas.DataFrame.  It has a column of objects for texts
        only; a missing number is NaN."""
        import pandas

        series = {}
        for name, column in self.columns.items():
            values = self._values[name]
            if column.type in (int, float):
                is_whole = column.type is int and None not in values
                values = pandas.Series(values, dtype=int if is_whole else float)
            series[name] = values
        return pandas.DataFrame(series, columns=list(self.columns))

    def to_polars(self):
        """Returns a polars.DataFrame; a missing value is null."""
        import polars

        types = {
            int: polars.Int64,
            float: polars.Float64,
            bool: polars.Boolean,
            str: polars.Utf8,
        }
        return polars.DataFrame(
            self._values,
            schema={n: types[c.type] for n, c in self.columns.items()},
        )

    def compare(self, offload=None, best=None, baselines=None):
        """Returns the speed-up of each offload over the baselines and over the
        best that could be built, as `acesim compare` prints them.  Each
        argument is the name of an endpoint or a list of names."""
        return Table.from_csv(
            _library.compare(
                self.to_csv(),
                _comma_list(baselines),
                _comma_list(best),
                _comma_list(offload),
            ),
            "compare",
        )

    def plot(self, x, y, by=None, panels=None, ax=None):
        """Draws column y over column x with matplotlib; see plots.plot()."""
        from .plots import plot

        return plot(self, x, y, by=by, panels=panels, ax=ax)

    def _repr_html_(self):
        """Returns the table as HTML, for notebooks."""
        numeric = [c.type in (int, float) for c in self.columns.values()]
        head = "".join(
            f"<th>{html.escape(name)}</th>" for name in self.columns
        )
        body = ""
        for row in self._cells[:_MAX_HTML_ROWS]:
            body += "<tr>" + "".join(
                f"<td style='text-align:{'right' if is_number else 'left'}'>"
                f"{html.escape(cell)}</td>"
                for cell, is_number in zip(row, numeric)
            )
            body += "</tr>\n"
        left = len(self) - _MAX_HTML_ROWS
        note = f"<p>and {left} more rows</p>" if left > 0 else ""
        return (
            f"<table><thead><tr>{head}</tr></thead>\n"
            f"<tbody>{body}</tbody></table>{note}"
        )


def _comma_list(names):
    if names is None or isinstance(names, str):
        return names
    return ",".join(names)
