"""Plots of tables with matplotlib; the kind of chart follows from the data.

A numeric x with four or more values makes lines with a point at each simulated
value; with a numeric `by`, both of three or more values, it makes a heat map.
Fewer values, and texts, make dots, sorted by y.  Times begin at zero, a speed-up
has a line at 1, and x is logarithmic if its values grow by ratios.
"""
import math

_MIN_LINE_VALUES = 4
_MIN_HEAT_VALUES = 3
_MAX_CELLS_WITH_FIGURES = 12  # of a row or a column of a heat map
_MIN_LOG_RATIO = 8
_MAX_SERIES = 7
_MAX_PANELS = 12


def _is_number(table, name):
    return table.columns[name].type in (int, float)


def _text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _figure(value):
    """Three digits, or all digits of a whole number, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _tick(column, value):
    if column.unit == "bytes":
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value >= size:
                return f"{value / size:g} {unit}"
    return _text(value)


def _distinct(values):
    return list(dict.fromkeys(values))


def _grows_by_ratios(values):
    """Returns whether steps are ratios more nearly than differences."""
    values = sorted(values)
    if len(values) < 3 or values[0] <= 0:
        return False
    if values[-1] / values[0] < _MIN_LOG_RATIO:
        return False
    ratios = [math.log(b / a) for a, b in zip(values, values[1:])]
    return max(ratios) <= 3 * min(ratios)


def _select(table, by, panels, y):
    """Returns the rows with a value, as {panel: {series: [row]}}."""
    chosen = {}
    for row in table.rows:
        if row[y] is None:
            continue
        panel = chosen.setdefault(row[panels] if panels else None, {})
        panel.setdefault(row[by] if by else None, []).append(row)
    return chosen


def _check_columns(table, x, y, by, panels):
    for name in filter(None, (x, y, by, panels)):
        table[name]
    if not _is_number(table, y):
        raise ValueError(f"column '{y}' holds no numbers")


def _finish_axes(table, axes, x, y, title):
    column = table.columns[y]
    axes.set_ylabel(column.label)
    axes.set_xlabel(table.columns[x].label)
    if column.unit in ("us", "bytes"):
        axes.set_ylim(bottom=0)
    if "speedup" in y or "speed_up" in y:
        axes.axhline(1, color="0.6", linewidth=1, zorder=0)
    if title is not None:
        axes.set_title(_text(title))


def _label_line_ends(axes, ends):
    """Writes the name of each line at its end; labels do not overlap."""
    if not ends:
        return
    axes.figure.canvas.draw()
    height = 1.3 * axes.figure.dpi * 9 / 72
    placed = []
    for x, y, text, color in sorted(ends, key=lambda end: end[1]):
        pixel = axes.transData.transform((x, y))[1]
        at = max([pixel] + [placed[-1] + height] if placed else [pixel])
        placed.append(at)
        axes.annotate(
            text,
            (x, y),
            xytext=(6, (at - pixel) * 72 / axes.figure.dpi),
            textcoords="offset points",
            color=color,
            fontsize=9,
            va="center",
            annotation_clip=False,
        )


def _draw_lines(table, axes, series, x, y):
    ends = []
    for name, rows in series.items():
        rows = sorted(
            (row for row in rows if row[x] is not None), key=lambda r: r[x]
        )
        if not rows:
            continue
        line = axes.plot(
            [row[x] for row in rows], [row[y] for row in rows], marker="o"
        )[0]
        if name is not None:
            end = rows[-1]
            ends.append((end[x], end[y], _text(name), line.get_color()))
    if _grows_by_ratios(_distinct(v for v in table[x] if v is not None)):
        axes.set_xscale("log", base=2)
        ticks = _distinct(v for v in table[x] if v is not None)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    return ends


def _draw_dots(axes, series, x, y):
    rows = [row for rows in series.values() for row in rows]
    order = _distinct(
        row[x] for row in sorted(rows, key=lambda row: row[y])
    )
    for name, rows_of_series in series.items():
        axes.plot(
            [order.index(row[x]) for row in rows_of_series],
            [row[y] for row in rows_of_series],
            "o",
            label=None if name is None else _text(name),
        )
    axes.set_xticks(
        range(len(order)), [_text(value) for value in order], rotation=30,
        ha="right",
    )
    if len(series) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def _numeric_values(table, name):
    if name is None or not _is_number(table, name):
        return []
    return sorted(_distinct(v for v in table[name] if v is not None))


def _draw_cells(table, axes, series, x, y, by):
    """Draws a cell for each row, with its figure; returns the image."""
    columns, rows = _numeric_values(table, x), _numeric_values(table, by)
    cells = [[math.nan] * len(columns) for _ in rows]
    for row in (row for rows_of_value in series.values() for row in rows_of_value):
        if row[x] is None or row[by] is None:
            continue
        line = cells[rows.index(row[by])]
        if not math.isnan(line[columns.index(row[x])]):
            raise ValueError(
                f"several rows have the same '{x}' and '{by}': give panels=, "
                "or select rows"
            )
        line[columns.index(row[x])] = row[y]
    image = axes.pcolormesh(cells, edgecolors="white", linewidth=1)
    axes.set_xticks(
        [i + 0.5 for i in range(len(columns))],
        [_tick(table.columns[x], value) for value in columns],
    )
    axes.set_yticks(
        [i + 0.5 for i in range(len(rows))],
        [_tick(table.columns[by], value) for value in rows],
    )
    axes.set_xlabel(table.columns[x].label)
    axes.set_ylabel(table.columns[by].label)
    if max(len(columns), len(rows)) <= _MAX_CELLS_WITH_FIGURES:
        _write_figures(axes, cells, image)
    return image


def _write_figures(axes, cells, image):
    for i, line in enumerate(cells):
        for j, value in enumerate(line):
            if math.isnan(value):
                continue
            is_light = image.norm(value) > 0.6
            axes.text(
                j + 0.5, i + 0.5, _figure(value), ha="center", va="center",
                fontsize=9, color="black" if is_light else "white",
            )


def plot(table, x, y, by=None, panels=None, ax=None):
    """Draws column y of a table over column x and returns the axes.

    by        a column: one line for each of its values, at most 7; or a row of
              cells for each, if x and by are numeric with 3 or more values
    panels    a column: one panel for each of its values, at most 12; the result
              is then a list of axes
    ax        axes to draw on, if there are no panels
    """
    import matplotlib.pyplot

    _check_columns(table, x, y, by, panels)
    chosen = _select(table, by, panels, y)
    if not chosen:
        raise ValueError(f"no row has a value of '{y}'")
    if len(chosen) > _MAX_PANELS or (ax is not None and panels):
        raise ValueError(f"give at most {_MAX_PANELS} panels and no ax")
    is_heat_map = all(
        len(_numeric_values(table, name)) >= _MIN_HEAT_VALUES for name in (x, by)
    )
    if not is_heat_map and any(
        len(series) > _MAX_SERIES for series in chosen.values()
    ):
        raise ValueError(f"column '{by}' has more than {_MAX_SERIES} values")
    n_columns = min(3, len(chosen))
    if ax is None:
        figure, grid = matplotlib.pyplot.subplots(
            math.ceil(len(chosen) / n_columns),
            n_columns,
            squeeze=False,
            figsize=(1 + 4.5 * n_columns, 3.4 * math.ceil(len(chosen) / n_columns)),
            layout="constrained",
        )
        all_axes = list(grid.flat)
    else:
        all_axes = [ax]
    is_line = len(_numeric_values(table, x)) >= _MIN_LINE_VALUES
    for axes, (title, series) in zip(all_axes, chosen.items()):
        ends = []
        if is_heat_map:
            image = _draw_cells(table, axes, series, x, y, by)
            axes.figure.colorbar(image, ax=axes, label=table.columns[y].label)
            axes.set_title("" if title is None else _text(title))
            continue
        if is_line:
            ends = _draw_lines(table, axes, series, x, y)
        else:
            _draw_dots(axes, series, x, y)
        _finish_axes(table, axes, x, y, title)
        _label_line_ends(axes, ends)
    for axes in all_axes[len(chosen):]:
        axes.remove()
    return all_axes[: len(chosen)] if panels else all_axes[0]
