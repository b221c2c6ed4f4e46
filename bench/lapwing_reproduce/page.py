# SPDX-License-Identifier: Apache-2.0
"""docs/papers.md: of each table and figure the paper's statement, the paper's figures and ours, and the verdict."""
from . import judge
from .model import PAPERS

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `lapwing reproduce` from the files beside its pictures. -->
# The tables and figures of five papers

`lapwing reproduce` measured, simulated or counted all of this and computed the verdicts: the *same winner*, a *factor* of the same
direction and at least half and at most twice the size, and the same *turning point* or the next one. `lapwing reproduce --list`
names the parts; `lapwing reproduce --only jade.T4` makes one of them. A verdict is *yes* if all statements come out, *in part* if
some do, *no* if none does.
"""


def number(value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if value == 0 or 0.01 <= abs(value) < 1e6:
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}" if isinstance(value, int) else f"{value:.3g}"
    return f"{value:.2e}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


class Judged:
    """An entry with its kept parts: what is said of it."""

    def __init__(self, entry, store):
        self.entry = entry
        kept = {name: store.load(name) for name in entry.parts}
        self.faults = [f"{name}: {one['fault']}" for name, one in kept.items() if one and "data" not in one]
        self.missing = [name for name, one in kept.items() if one is None]
        self.kept = list(kept.values())
        self.parts = {name: one["data"] for name, one in kept.items() if one and "data" in one}
        self.claims = []
        if self.complete:
            try:
                self.claims = entry.claims(self.parts)
            except (KeyError, IndexError, TypeError, ZeroDivisionError, ValueError) as error:
                self.faults = [f"its figures could not be judged ({type(error).__name__}: {error})"]

    @property
    def complete(self):
        return not self.faults and not self.missing

    @property
    def verdict(self):
        return judge.verdict(self.claims) if self.complete else None

    @property
    def shown(self):
        if self.faults:
            return "failed"
        if self.missing:
            return "not run"
        return self.verdict or "not judged"

    def source(self):
        """Where the figures are from: date, machine, commands; each once."""
        words = []
        for one in self.kept:
            command = one["data"].get("command") if isinstance(one["data"], dict) else None
            text = f"{one['date']}, {one['data'].get('where', one['machine'])}{', quick' if one['quick'] else ''}"
            if command:
                text += f": `{command}`"
            if text not in words:
                words.append(text)
        return "; ".join(words)

    def chart(self):
        return self.entry.picture(self.parts) if self.complete and self.entry.picture else None

    def lines(self, pictures):
        lines = ["", f"### {self.entry.title}", "", f"{self.entry.statement} **{self.shown}**", ""]
        if self.faults or self.missing:
            said = self.faults or ["not run: " + ", ".join(self.missing)]
            return lines + [f"{fault}" for fault in said]
        rows = [(claim.text, claim.paper, claim.here, {True: "yes", False: "**no**", None: "-"}[claim.holds]
                 + (f": {claim.why}" if claim.why else "")) for claim in self.claims]
        if rows:
            lines += table(("statement", "paper", "here", "comes out"), rows)
        grid = self.entry.grid(self.parts) if self.entry.grid else None
        if grid:
            lines += [""] + table(grid.columns, [[row[0], *map(number, row[1:])] for row in grid.rows])
        if self.entry.picture:
            lines += ["", f"![{self.entry.title}]({pictures}{self.entry.name}.svg)"]
        return lines + ["", self.source() + "."]


def count(judged):
    claims = [claim for one in judged for claim in one.claims if claim.holds is not None]
    return sum(claim.holds for claim in claims), len(claims)


def render(registry, store, pictures):
    """(the page, the entries judged). `pictures`: how the page refers to the folder."""
    judged = [Judged(entry, store) for entry in registry.entries.values()]
    right, told = count(judged)
    lines = [HEAD, f"Of {told} statements {right} come out ({right / told:.0%}).\n" if told else "Nothing has been measured yet.\n"]
    rows = []
    for paper, title in PAPERS.items():
        mine = [one for one in judged if one.entry.paper == paper]
        absent = [one for one in registry.absent.values() if one.paper == paper]
        yes, of = count(mine)
        shown = [one.shown for one in mine]
        rows.append((f"[{title}](#{paper})", f"{yes} of {of}", *(shown.count(word) for word in ("yes", "in part", "no")),
                     sum(word in ("failed", "not run", "not judged") for word in shown), len(absent)))
    lines += table(("paper", "statements", "yes", "in part", "no", "not judged", "without a counterpart"), rows)
    for paper, title in PAPERS.items():
        lines += ["", f'<a id="{paper}"></a>', "", f"## {title}"]
        for one in judged:
            if one.entry.paper == paper:
                lines += one.lines(pictures)
        absent = [one for one in registry.absent.values() if one.paper == paper]
        if absent:
            lines += ["", "### Without a counterpart", ""] + table(("in the paper", "reason"), [(one.title, one.reason) for one in absent])
    return "\n".join(lines).rstrip() + "\n", judged
