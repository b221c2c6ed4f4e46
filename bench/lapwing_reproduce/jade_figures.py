# SPDX-License-Identifier: Apache-2.0
"""Figures 2 to 21 of the Jade paper, which are pictures there: their statements, and ours as pictures."""
from . import judge
from .jade import MACHINES, NAMES, XS, best, column, levels, part
from .model import Entry, Grid
from .svg import Chart


def _figure(number, title, y_title, statement, machine, name, field, shown, claims):
    def grid(parts):
        return Grid(("processors", *map(str, XS)), tuple((level, *column(parts, name, machine, level, field)) for level in shown))

    def picture(parts):
        return Chart(f"Figure {number}. {title}", "processors", y_title, XS,
                     [(level, column(parts, name, machine, level, field), False) for level in shown])

    return Entry(f"jade.F{number}", f"Figure {number}. {title}", statement, (part(name),), claims, grid, picture)


def _locality(number, machine, name):
    shown = levels(name)

    def values(parts, level):
        return column(parts, name, machine, level, "locality_percent")

    def claims(parts):
        at = {level: values(parts, level) for level in shown}
        told = [judge.holds("no locality: drops quickly as processors increase", "drops", f"{at['no locality'][-1]:.0f} % on 32",
                            at["no locality"][-1] < 20 and at["no locality"][2] < 60, "it stays high")]
        if name in ("water", "string"):
            least = min(at["locality"])
            told.append(judge.holds("locality: all tasks run on their target processors", "100 %", f"at least {least:.0f} %", least > 95,
                                    "idle processors take some"))
            apart = values(parts, "locality, tasks add up")
            told.append(judge.Claim("the same if tasks of their own added the arrays up", "", f"at least {min(apart):.0f} %", None,
                                    "an end enables them, so idle processors take some: the paper's 100 % says that there are none"))
        else:
            expected = 92 if (machine, name) == ("ipsc", "cholesky") else 100
            least = min(at["placement"][1:])
            told.append(judge.holds("placement: tasks run on their target processors", f"{expected} %", f"at least {least:.0f} %",
                                    abs(least - expected) < 3, "another share"))
            # Section 5.2.1 says "substantially less" of DASH, 5.2.2 "somewhat less" of the iPSC/860.
            word, less = ("substantially", 5) if machine == "dash" else ("somewhat", 1)
            told.append(judge.holds(f"locality: {word} less than that", "less", f"{max(at['locality'][2:]):.1f} % at most from 4 processors on",
                                    max(at["locality"][2:]) < expected - less, "as many"))
        return told

    return _figure(number, f"Tasks on their target processors: {NAMES[name]} on {MACHINES[machine]}", "%",
                   "The heuristic keeps tasks on their target processors where the load is balanced by itself.", machine, name,
                   "locality_percent", shown, claims)


def _task_time(number, name):
    shown = levels(name)

    def claims(parts):
        series = [column(parts, name, "dash", level, "task_seconds") for level in shown]
        spread = series[-1][-1] / series[0][-1]
        told = [judge.holds("grows with the processors", "grows", f"{series[-1][-1] / series[-1][0]:.2f} times on 32",
                            all(s[-1] >= s[0] * 0.999 for s in series), "it does not")]
        if name in ("water", "string"):
            told.append(judge.holds("levels differ very little", "little", f"{spread - 1:.1%}", spread < 1.05, "they differ"))
        else:
            told.append(judge.holds("levels differ much, in the order placement, locality, no locality", "much", f"{spread - 1:.0%}",
                                    spread > 1.2 and series[0][-1] <= series[1][-1] <= series[2][-1], "another order, or little"))
        return told

    return _figure(number, f"Time in tasks: {NAMES[name]} on DASH", "seconds", "Time in tasks shows the communication on shared memory.",
                   "dash", name, "task_seconds", shown, claims)


def _management(number, machine, name, statement, least):
    def claims(parts):
        shares = column(parts, name, machine, "placement", "management_percent")
        return [judge.holds("grows with the processors", "rises", f"{shares[1]:.0f} % on 2, {shares[-1]:.0f} % on 32",
                            shares[-1] > 1.2 * shares[1], "it does not rise"),
                judge.holds("on 32 processors it limits the performance", "substantial", f"{shares[-1]:.0f} %", shares[-1] >= least,
                            f"less than {least} %")]

    return _figure(number, f"Task management: {NAMES[name]} on {MACHINES[machine]}", "%", statement, machine, name, "management_percent",
                   ("placement",), claims)


def _ratio(number, name):
    shown = levels(name)

    def claims(parts):
        series = {level: column(parts, name, "ipsc", level, "mbytes_per_task_second") for level in shown}
        middle = [x for x in XS if x >= 4]
        told = [judge.order("lower with more locality", XS, shown, [series[level] for level in shown], middle, 0.02)]
        top = max(series[best(name)])
        if name in ("water", "string"):
            told.append(judge.holds("very small beside a link's 2.8 MB/s", "very small", f"{top:.3f} MB a second at most", top < 0.28, "more than a tenth"))
        else:
            told.append(judge.holds("much larger than of Water and String", "much larger", f"{max(series['locality']):.2f} MB a second", max(series["locality"]) > 0.5,
                                    "small"))
        return told

    return _figure(number, f"Communication over computation: {NAMES[name]} on the iPSC/860", "MB a second in tasks",
                   "The level of locality changes the communication; how much there is differs by application.", "ipsc", name,
                   "mbytes_per_task_second", shown, claims)


def register(registry):
    order = ("water", "string", "ocean", "cholesky")
    for i, name in enumerate(order):
        registry.add(_locality(2 + i, "dash", name))
    for i, name in enumerate(order):
        registry.add(_task_time(6 + i, name))
    registry.add(_management(10, "dash", "ocean", "Managing tasks rises dramatically with the processors.", 50),
                 _management(11, "dash", "cholesky", "A substantial amount of time goes into managing tasks.", 30))
    for i, name in enumerate(order):
        registry.add(_locality(12 + i, "ipsc", name))
    for i, name in enumerate(order):
        registry.add(_ratio(16 + i, name))
    registry.add(_management(20, "ipsc", "ocean", "From 16 processors on managing tasks is the limiting factor.", 50),
                 _management(21, "ipsc", "cholesky", "Managing tasks significantly limits the performance.", 30))
