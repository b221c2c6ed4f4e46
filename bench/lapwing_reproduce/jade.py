# SPDX-License-Identifier: Apache-2.0
"""The Jade paper: recordings of the four applications with the paper's inputs, on 1 to 32 simulated processors, beside Tables 2
to 5 and 7 to 14."""
import types
from dataclasses import replace

from lapwing_bench import jade, jade_paper, jade_replay

from . import judge, machine as this
from .model import Absent, Entry, Grid, Measurement
from .svg import Chart

XS = jade_paper.PROCESSORS
NAMES = {"water": "Water", "string": "String", "ocean": "Ocean", "cholesky": "Panel Cholesky"}
MACHINES = {"dash": "DASH", "ipsc": "the iPSC/860"}
FIELDS = ("seconds", "locality_percent", "task_seconds", "management_percent", "mbytes_per_task_second", "messages", "broadcasts",
          "object_latency", "task_latency", "object_latency_over_task_time")
# Experiments: one thing is another one. The words for replay_tasks, whether idle processors take what an end lets run, and how the
# page says it.
EXPERIMENTS = {"patient": ([], False, "where the ending processor has the first look"),
               "dear": (["--communication", "3"], True, "where moving data costs three times as much"),
               "cheap": (["--communication", "0.33"], True, "where it costs a third"),
               "reluctant": (["--communication", "3", "--patience", "0.03"], False,
                             "where it costs three times as much and idle processors leave the only task of another one alone for 30 ms")}
FREE = ["--costs", "350,150,0,0,0"]   # to create and run a task; nothing to assign, accept and complete it
LEVELS = ("placement", "locality", "no locality")


def levels(name):
    return LEVELS if name in jade_replay.OMIT_MAIN else LEVELS[1:]


def best(name):
    return levels(name)[0]


def _replayed(name):
    def run(context):
        options = types.SimpleNamespace(quick=False, matrix=context.matrix)
        recordings = jade_replay.Recordings(jade.Applications(context.build), context.work, options, context.quick)
        runs = {level: jade_replay.LEVELS[level] for level in levels(name)}
        switches = {level: [*jade_replay.LEVELS[best(name)], *words] for level, words in jade_replay.SWITCHES.items()}
        series = {}
        for machine in MACHINES:
            wanted = {level: (words, True, False) for level, words in {**runs, **(switches if machine == "ipsc" else {})}.items()}
            if name in jade_replay.OMIT_MAIN:
                for key, (more, eager, _) in EXPERIMENTS.items():
                    wanted.update({f"{level}, {key}": ([*words, *more], eager, False) for level, words in runs.items()})
            else:
                wanted["locality, tasks add up"] = (runs["locality"], True, True)
            if (name, machine) == ("cholesky", "ipsc"):
                wanted.update({f"{level}, free": ([*words, *FREE], True, False)
                               for level, words in (("placement", runs["placement"]), ("two tasks each", switches["two tasks each"]))})
            series[machine] = {}
            for level, (words, eager, apart) in wanted.items():
                got = [recordings.replay(name, machine, p, words, eager, apart) for p in XS]
                series[machine][level] = {field: [one[field] for one in got] for field in FIELDS}
        return {"xs": XS, "series": series, "inputs": " ".join(recordings.inputs(name, 32)).replace(context.matrix or "", "bcsstk15.mtx")
                if name == "cholesky" else " ".join(recordings.inputs(name, 32)),
                "command": f"lapwing bench jade --cases {name}" + (" --matrix bcsstk15.mtx" if name == "cholesky" else ""),
                "where": f"simulated DASH and iPSC/860, tasks recorded with the paper's inputs on one core of a {this.words()}"}
    return run


def part(name):
    return f"jade.replay.{name}"


def column(parts, name, machine, level, field="seconds"):
    return parts[part(name)]["series"][machine][level][field]


def paper(machine, name, level):
    return jade_paper.SECONDS[machine, name, level][1]


def grid(parts, name, machine, shown):
    rows = []
    for level in shown:
        rows.append((level + ", paper", *paper(machine, name, level)))
        rows.append((level + ", here", *column(parts, name, machine, level)))
    return Grid(("processors", *map(str, XS)), tuple(rows))


def chart(parts, name, machine, shown, title):
    lines = []
    for level in shown:
        lines.append((level, column(parts, name, machine, level), False))
        lines.append((level, paper(machine, name, level), True))
    return Chart(title, "processors", "seconds", XS, lines, logarithmic=True)


def explained(parts, name, machine, judged):
    """The claim that `judged(column)` makes; if it does not come out, with what the experiments make of it."""
    claim = judged(lambda level: column(parts, name, machine, level))
    if claim.holds is not False or name not in jade_replay.OMIT_MAIN:
        return claim
    tried = []
    for key, (_, _, where) in EXPERIMENTS.items():
        other = judged(lambda level, key=key: column(parts, name, machine, f"{level}, {key}"))
        tried.append(f"{other.here} {where}" + (" (as in the paper)" if other.holds else ""))
    return replace(claim, why=f"{claim.why}; {'; '.join(tried)}")


def compare(parts, name, machine, first, second, slack=2.5, where=None):
    """Claims that the first level is faster than the second, where it is, and by what factor."""
    told = [paper(machine, name, level) for level in (first, second)]
    where = where or [x for x in XS if x >= 8]

    def winner(of):
        return judge.winner(f"{first} against {second}: which is faster", XS[1:], [t[1:] for t in told], [of(level)[1:] for level in (first, second)])

    def factor(of):
        return judge.factor(f"time at {second} over {first}, {where[0]} to {where[-1]} processors", XS, told, [of(level) for level in (first, second)], where, slack)

    return [explained(parts, name, machine, judged) for judged in (winner, factor)]


def turns(parts, name, machine, shown):
    """From two processors on: one processor of the iPSC/860 broadcasts to itself."""
    return [explained(parts, name, machine, lambda of, level=level: judge.turn(
        f"{level}: where more processors stop helping", XS[1:], paper(machine, name, level)[1:], of(level)[1:])) for level in shown]


def speedup(parts, name, machine, level):
    told, ours = paper(machine, name, level), column(parts, name, machine, level)
    there, here = told[0] / told[-1], ours[0] / ours[-1]
    return judge.holds(f"{level}: speed-up on 32 processors", f"{there:.1f}", f"{here:.1f}", 0.75 <= here / there <= 1.33, "another speed-up")


def _locality_table(number, machine, name):
    shown = levels(name)
    title = f"Table {number}. Times of {NAMES[name]} on {MACHINES[machine]}"
    if name in ("water", "string"):
        statement = "The level of locality has little impact, and the speed-up is almost linear."

        def claims(parts):
            pair = [column(parts, name, machine, level) for level in shown]
            return [judge.no_effect("locality against no locality: no impact (9 %, the paper's own)", XS, pair, [paper(machine, name, level) for level in shown], 0.09),
                    *(speedup(parts, name, machine, level) for level in shown)]
    else:
        statement = ("Placement is substantially faster than the locality heuristic, and that than no locality; the management of tasks "
                     "limits all three. As sections 3.2.1 and 3.4.3 have it, idle processors take what an end lets run before the ending "
                     "one is free.")

        def claims(parts):
            return [*compare(parts, name, machine, "placement", "locality"), *compare(parts, name, machine, "locality", "no locality"),
                    *turns(parts, name, machine, shown)]
    return Entry(f"jade.T{number}", title, statement, (part(name),), claims,
                 lambda parts: grid(parts, name, machine, shown), lambda parts: chart(parts, name, machine, shown, title))


def _broadcast_table(number, name):
    shown = (best(name), "no broadcast")
    title = f"Table {number}. Adaptive broadcast: {NAMES[name]} on the iPSC/860"

    def pair(parts):
        return [column(parts, name, "ipsc", level) for level in shown]

    told = [paper("ipsc", name, level) for level in shown]
    if name == "water":
        statement = ("The broadcast of the positions has a large impact, which grows with the processors. They change before each of the 16 "
                     "parallel phases: predicted, then corrected.")

        def claims(parts):
            return [judge.winner("with broadcast against without", XS[1:], [t[1:] for t in told], [o[1:] for o in pair(parts)], 0.025),
                    judge.factor("without over with, 32 processors", XS, told, pair(parts), (32,), 2.5),
                    judge.holds("the impact grows with the processors", "yes", "yes" if _grows(pair(parts)) else "no", _grows(pair(parts)),
                                "it does not grow"),
                    _distribution(told, pair(parts))]
    elif name == "string":
        statement = "The broadcast has a much smaller impact than on Water."

        def claims(parts):
            return [judge.no_effect("without against with: small", XS[1:], [o[1:] for o in pair(parts)], [t[1:] for t in told])]
    else:
        statement = ("Above one processor the broadcast has no effect; on one it degenerates, since every processor has then accessed "
                     "every version.")

        def claims(parts):
            above = [x for x in XS if x >= 4]
            return [judge.no_effect("no effect above two processors", XS, pair(parts), told, 0.085, above),
                    judge.factor("on one processor: with over without", XS, told[::-1], pair(parts)[::-1], (1,), 2.5)]
    return Entry(f"jade.T{number}", title, statement, (part(name),), claims,
                 lambda parts: grid(parts, name, "ipsc", shown), lambda parts: chart(parts, name, "ipsc", shown, title))


def _distribution(told, ours):
    """Section 5.3: 31 sends of .07 s less a broadcast of .31 s, for each version."""
    there, here = (each[1][-1] - each[0][-1] for each in (told, ours))
    expected = 16 * (31 * 0.07 - 0.31)
    return judge.holds("on 32 processors the difference is that of the times to distribute the versions",
                       f"{there:.0f} s of {expected:.0f} s", f"{here:.0f} s of {expected:.0f} s", 0.6 < here / expected < 1.4,
                       "another difference")


def _few(kept, pair):
    """Section 5.4 on few processors."""
    few = slice(1, 3)
    claim = judge.no_effect("the same on 2 and 4 processors", XS[few], [o[few] for o in pair])
    if claim.holds:
        return claim
    free = judge.no_effect("", XS[few], [column(kept, "cholesky", "ipsc", f"{level}, free")[few] for level in ("placement", "two tasks each")])
    return replace(claim, why=f"{claim.why}: a processor waits for its next task while the main one hears of the end of the last; {free.here} where "
                   "assigning and completing a task costs the processors nothing")


def _grows(pair):
    gains = [b / a for a, b in zip(*pair)]
    return gains[-1] > gains[-3] > gains[2]


def _sections():
    parts = tuple(part(name) for name in NAMES)

    def replication(kept):
        claims = []
        for name in NAMES:
            serial, without = column(kept, name, "ipsc", best(name))[0], column(kept, name, "ipsc", "no replication")
            gain = serial / min(without)
            claims.append(judge.holds(f"{NAMES[name]} without replication: no speed-up", "serial", f"{gain:.2f}", gain < 1.3, "it still speeds up"))
        return claims

    def hiding(kept):
        pair = [column(kept, "cholesky", "ipsc", level) for level in ("placement", "two tasks each")]
        ratio = column(kept, "cholesky", "ipsc", "placement", "object_latency_over_task_time")
        return [judge.no_effect("two tasks for each processor against one, from 8 processors on: virtually no effect", XS[3:], [o[3:] for o in pair]),
                _few(kept, pair),
                judge.holds("mean latency of an object over mean time of a task, 8 to 32 processors", "more than 2",
                            f"{min(ratio[3:]):.1f} to {max(ratio[3:]):.1f}", min(ratio[3:]) > 2, "less than 2")]

    def less_eager(kept):
        above, gains = slice(3, None), {}
        for machine in MACHINES:
            for name in jade_replay.OMIT_MAIN:
                eager, patient = (column(kept, name, machine, level)[above] for level in ("locality", "locality, patient"))
                gains[f"{NAMES[name]} on {MACHINES[machine]}"] = judge.mean_ratio(eager, patient)
        return [judge.holds("the heuristic is faster where ending processors have the first look, 8 to 32 processors", "should be",
                            "; ".join(f"{gain:.2f} times, {what}" for what, gain in gains.items()), min(gains.values()) > 1 and max(gains.values()) > 1.1,
                            "it is not")]

    def fetches(kept):
        claims = []
        for name in NAMES:
            objects, tasks = (column(kept, name, "ipsc", best(name), field)[1:] for field in ("object_latency", "task_latency"))
            ratio, most = sum(objects) / sum(tasks), max((a / b, x) for x, a, b in zip(XS[1:], objects, tasks))
            claims.append(judge.holds(f"{NAMES[name]}: latency of objects over latency of tasks, all runs", "very close to 1",
                                      f"{ratio:.2f} (at most {most[0]:.2f}, at {most[1]})", ratio < 1.15, "objects are fetched side by side"))
        for name in NAMES:
            pair = [column(kept, name, "ipsc", level) for level in (best(name), "no concurrent fetches")]
            claims.append(judge.no_effect(f"{NAMES[name]}: one fetch after the other", XS[1:], [o[1:] for o in pair]))
        return claims

    def phases(kept):
        told = []
        for name, count, there in (("water", 16, (5.4, 7.3)), ("string", 6, (106.0, 108.0))):
            ours = [column(kept, name, "ipsc", level)[-1] / count for level in ("locality", "no broadcast")]
            longer, longer_here = (b / a - 1 for a, b in (there, ours))
            told.append(judge.holds(f"{NAMES[name]}: a parallel phase without broadcast is longer by", f"{longer:.0%} ({there[0]:g} to {there[1]:g} s)",
                                    f"{longer_here:.1%} ({ours[0]:.1f} to {ours[1]:.1f} s)", longer / 2 - 0.02 <= longer_here <= 2 * longer + 0.02,
                                    "another length"))
        return told

    return (Entry("jade.S5.3", "Section 5.3. Lengths of the parallel phases, 32 processors",
                  "The broadcast shortens the phases of Water much more than those of String. (The paper's text has its two figures the other way round. "
                  "Ours are the run's time over the number of phases, the short serial phases included.)", parts[:2], phases),
            Entry("jade.S5.1", "Section 5.1. Replication", "Without replication all applications would be serial.", parts, replication),
            Entry("jade.S5.4", "Section 5.4. Hiding latency with concurrency", "Two tasks for each processor do not help Panel Cholesky.",
                  (part("cholesky"),), hiding,
                  lambda kept: Grid(("processors", *map(str, XS)), tuple(
                      (level, *column(kept, "cholesky", "ipsc", level)) for level in ("placement", "two tasks each")))),
            Entry("jade.S5.6", "Section 5.6. Moving tasks less eagerly",
                  "The scheduler should be improved by making it less eager to move tasks off their target processors.",
                  tuple(part(name) for name in jade_replay.OMIT_MAIN), less_eager),
            Entry("jade.S5.5", "Section 5.5. Concurrent fetches", "Fetching the objects of a task side by side has no effect.", parts, fetches))


def register(registry):
    seconds = {"water": (50, 120), "string": (80, 180), "ocean": (50, 60), "cholesky": (45, 50)}
    for name in NAMES:
        registry.add(Measurement(part(name), _replayed(name), seconds[name],
                                 needs=("matrix",) if name == "cholesky" else ()))
    for number, (machine, name) in {2: ("dash", "water"), 3: ("dash", "string"), 4: ("dash", "ocean"), 5: ("dash", "cholesky"),
                                    7: ("ipsc", "water"), 8: ("ipsc", "string"), 9: ("ipsc", "ocean"), 10: ("ipsc", "cholesky")}.items():
        registry.add(_locality_table(number, machine, name))
    for number, name in {11: "water", 12: "string", 13: "ocean", 14: "cholesky"}.items():
        registry.add(_broadcast_table(number, name))
    registry.add(*_sections())
    registry.add(Absent("jade.F1", "Figure 1", "A drawing of the queues: `src/tasks/scheduler.hpp` has them."))
