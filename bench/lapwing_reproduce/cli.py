# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import json
import os
import re
import signal
import sys

from lapwing_bench.errors import BenchError

from . import page, runner
from .context import Context, Missing
from .registry import full
from .store import Store


def _parser():
    parser = argparse.ArgumentParser(
        prog="lapwing reproduce", description="Reruns the tables and figures of five papers as far as this machine can bear them, and "
        "computes which of their statements come out. Measurements are kept and not repeated. Progress goes to stderr.")
    parser.add_argument("--quick", action="store_true", help="within 20 minutes: fewer rounds, smaller inputs")
    parser.add_argument("--list", action="store_true", help="name what there is, and the seconds that it takes, and end")
    parser.add_argument("--only", metavar="REGEX", help="only the tables, figures and parts whose names match, such as 'jade.T4' or '^mips'")
    parser.add_argument("--json", action="store_true", help="one JSON object for each table and figure, with its verdict")
    parser.add_argument("--folder", default="lapwing-papers", help="for JSON files and pictures (lapwing-papers)")
    parser.add_argument("--page", help="the page to write (FOLDER/papers.md)")
    parser.add_argument("--render", action="store_true", help="measure nothing: write the page of what is there")
    parser.add_argument("--again", action="store_true", help="measure what is there already, too")
    parser.add_argument("--untimed", action="store_true", help="only what is simulated or counted: the machine need not be idle")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="for each part, instead of its own limit of time")
    parser.add_argument("--matrix", help="BCSSTK15 as a Matrix Market file, for Panel Cholesky")
    parser.add_argument("--programs", metavar="DIR", help="the folder with NPB's sources")
    parser.add_argument("--mpi", choices=("mpich", "openmpi"), default="mpich", help="default: mpich")
    parser.add_argument("--prefix", help="the installation or build tree to measure")
    parser.add_argument("--measure", metavar="PART", help=argparse.SUPPRESS)
    return parser


def _chosen(registry, pattern):
    """(the entries, the measurements) that are named: those of an entry, too, and the entries of a part."""
    found = re.compile(pattern or "").search
    named = {name for name in registry.measurements if found(name)}
    entries = [entry for entry in registry.entries.values() if found(entry.name) or named.intersection(entry.parts)]
    parts = {part for entry in entries if found(entry.name) for part in entry.parts} | named
    return entries, [m for m in registry.measurements.values() if m.name in parts]


def _list(registry, entries, measurements):
    for m in measurements:
        kind = "timed" if m.timed else "simulated or counted"
        print(f"{m.name:<24} {m.seconds[0]:>5.0f} s quick, {m.seconds[1]:>5.0f} s   {kind}"
              + (f", needs --{', --'.join(m.needs)}" if m.needs else ""))
    print()
    for entry in entries:
        print(f"{entry.name:<14} {entry.title}   ({', '.join(entry.parts)})")
    for one in registry.absent.values():
        print(f"{one.name:<14} {one.title}: without a counterpart")


def _write(registry, store, options):
    path = os.path.abspath(options.page or os.path.join(options.folder, "papers.md"))
    pictures = os.path.relpath(store.folder, os.path.dirname(path))
    text, judged = page.render(registry, store, "" if pictures == "." else pictures + "/")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for one in judged:
        chart = one.chart()
        if chart:
            store.write(one.entry.name + ".svg", chart.svg())
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path, judged


def _report(one):
    return {"reproduce": one.entry.name, "title": one.entry.title, "verdict": one.shown, "faults": one.faults,
            "claims": [vars(claim) for claim in one.claims]}


def _run(options, script):
    registry, store = full(), Store(options.folder)
    if options.measure:
        return runner.measure(registry.measurements[options.measure], Context.of(options, script), store)
    try:
        entries, measurements = _chosen(registry, options.only)
    except re.error as error:
        print(f"lapwing reproduce: --only {options.only} is no regular expression: {error}.", file=sys.stderr)
        return 2
    if not entries and not measurements:
        print(f"lapwing reproduce: nothing is called {options.only}; --list names what there is.", file=sys.stderr)
        return 2
    if options.quick:
        measurements = [m for m in measurements if m.quick]
    if options.untimed:
        measurements = [m for m in measurements if not m.timed]
    if options.list:
        _list(registry, entries, measurements)
        return 0

    def say(text):
        print(f"reproduce: {text}", file=sys.stderr, flush=True)

    def command(name):
        words = [sys.executable, script, "--measure", name, "--folder", store.folder, "--mpi", options.mpi]
        for flag in ("prefix", "matrix", "programs"):
            if getattr(options, flag):
                words += ["--" + flag, os.path.abspath(getattr(options, flag))]
        return words + (["--quick"] if options.quick else [])

    failed = []
    if not options.render:
        Context.of(options, script)   # says at once if the build is not there
        failed = runner.run(measurements, store, command, options, say)
    path, judged = _write(registry, store, options)
    chosen = [one for one in judged if one.entry in entries]
    for one in chosen:
        if options.json:
            print(json.dumps(_report(one)), flush=True)
        elif one.shown != "not run":
            print(f"{one.entry.name:<14} {one.shown:<10} {one.entry.title}")
    right, told = page.count(chosen)
    say(f"{right} of {told} statements come out; the page is {path}")
    return 1 if failed else 0


def main(arguments, script):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))   # so that what it started ends with it
    options = _parser().parse_args(arguments)
    try:
        return _run(options, script)
    except (BenchError, Missing) as error:
        print(f"lapwing reproduce: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
