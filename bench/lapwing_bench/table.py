# SPDX-License-Identifier: Apache-2.0
"""Records as a table for people."""


def size(value):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit and value % unit == 0:
            return f"{value // unit} {name}"
    return f"{value} B"


def ms(value):
    return f"{1e3 * value:.3f}"


def us(value):
    return f"{1e6 * value:.2f}"


def one(value):
    return f"{value:.1f}"


def two(value):
    return f"{value:.2f}"


def three(value):
    return f"{value:.3f}"


def yes(value):
    return "yes" if value else "NO"


def render(records, columns):
    """The columns that at least one record has; missing values are a dash."""
    columns = [c for c in columns if any(r.get(c[1]) is not None for r in records)]
    rows = [[title for title, _, _ in columns]]
    for record in records:
        rows.append([show(record[name]) if record.get(name) is not None else "-" for _, name, show in columns])
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    text = [columns[i][2] is str for i in range(len(columns))]
    lines = ["  ".join(cell.ljust(w) if left else cell.rjust(w) for cell, w, left in zip(row, widths, text)).rstrip()
             for row in rows]
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
