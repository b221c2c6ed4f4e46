# SPDX-License-Identifier: Apache-2.0
"""`thresholds`: the sizes that `lapwing tune` derives from the costs of a link, beside the best ones that a sweep finds.

Each link is measured by tune's own program; then messages of all sizes are deferred, whole and in strips, and the least size
from which on all of them gain 2 % over the plain way is the best threshold of that kind."""
import functools
import json
import os
import subprocess
import sys
import tempfile

from . import places, table
from .errors import BenchError

GAIN = 1.02
NEVER = "never"
# A bucket that lets whole messages through at once would hide the link's rate from them. One of 10 Gbit/s must hold what the
# kernel hands over at a time.
BURSTS = {"100mbit": "4kb", "1gbit": "8kb", "10gbit": "80kb"}
LINKS = (*BURSTS, "shm")
_SIZES = ("12K", "16K", "24K", "32K", "48K", "64K", "96K", "128K", "192K", "256K", "384K", "512K", "768K", "1M", "2M", "4M", "16M")
_MOST = {"100mbit": "1M", "1gbit": "4M"}
_QUICK = ("16K", "32K", "64K", "128K", "256K", "1M")
# The smallest message that can be deferred at all, and a size that none has.
_LEAST, _NONE = "8288", "1G"
# A sweep of each threshold: the case of `overlap`, and from where on messages are decomposed.
KINDS = {"strip": ("scan_up", _LEAST), "guard": ("independent", _NONE)}


def best_threshold(speeds):
    """`speeds`: bytes to speed over plain. The least size from which on all gain, or NEVER."""
    best = NEVER
    for size in sorted(speeds, reverse=True):
        if speeds[size] <= GAIN:
            break
        best = size
    return best


def factor(derived, best, speeds):
    """How far the two lie apart, at least 1; None where only one of them is NEVER. A derived threshold beyond the swept sizes, or
    below them, counts as the nearest of them."""
    if NEVER in (derived, best):
        return 1.0 if derived == best else None
    within = min(max(derived, min(speeds)), max(speeds))
    return max(within / best, best / within)


def measure(options, build, _where, emit):
    wanted = ["shm"] if options.local else options.cases.split(",") if options.cases else list(LINKS)
    for name in wanted:
        if name not in LINKS:
            raise BenchError(f"There is no link {name}; there are {', '.join(LINKS)}.")
    for name in wanted:
        place = _place(options, name)
        if place is None:
            continue
        with place:
            for mpi in options.mpis:
                _measure(options, build, place, name, mpi, emit)


def _place(options, name):
    best = options.transport == "best"
    if name == "shm":
        return places.Local(best)
    lab_class, lab_error = places.import_netlab(options.script)
    if lab_class is None:
        print(f"bench: netlab is not installed beside the driver; no figures for {name}.", file=sys.stderr)
        return None
    place = places.TwoHosts(functools.partial(lab_class, burst=BURSTS[name]), name, options.pin, best)
    try:
        with place:
            pass
    except lab_error as error:
        print(f"bench: no emulated hosts here, and no figures for {name}. {error}", file=sys.stderr)
        return None
    return places.TwoHosts(functools.partial(lab_class, burst=BURSTS[name]), name, options.pin, best)


def _sizes(options, name):
    if options.sizes:
        return options.sizes
    sizes = _QUICK if options.quick else _SIZES
    last = _MOST.get(name)
    return ",".join(sizes[:sizes.index(last) + 1] if last in sizes else sizes)


def _derived(build, lines, profile):
    """The thresholds of the record that tune's program has printed, by the guard that the engine takes; and the record."""
    record = next((line for line in lines if line.startswith("{")), None)
    if record is None:
        raise BenchError(f"tune's program printed no record: {' '.join(lines)}")
    with open(profile, "w", encoding="utf-8") as file:
        file.write(f'{{"lapwing_profile": 2, "records": [{record}]}}')
    done = subprocess.run([os.path.join(build.prefix, "bin", "lapwing"), "tune", "--show", "--json", "--profile", profile],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise BenchError(f"lapwing tune --show: {done.stderr.strip()}")
    shown = json.loads(done.stdout)
    thresholds = shown.pop("thresholds", {})
    return next((thresholds[guard] for guard in ("userfaultfd", "mprotect") if guard in thresholds), None), shown


def _measure(options, build, place, name, mpi, emit):
    under_lapwing = build.preload(mpi)
    if not under_lapwing:
        raise BenchError(f"Lapwing was not built for {mpi}.")
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        print(f"bench: thresholds, {mpi}, {name}: measuring the link", file=sys.stderr)
        lines = places.run(place, mpi, [build.program(mpi, "tune")], {}, 180, first=options.first)
        derived, costs = _derived(build, lines, profile)
        if derived is None:
            raise BenchError("No guard could be measured, so no threshold follows.")
        for kind, (case, strip_from) in KINDS.items():
            print(f"bench: thresholds, {mpi}, {name}: {kind}", file=sys.stderr)
            env = {**under_lapwing, "LAPWING_DEFER": "on", "LAPWING_PROFILE": profile, "LAPWING_THRESHOLD_GUARD": _LEAST,
                   "LAPWING_THRESHOLD_STRIP": strip_from}
            argv = [build.program(mpi, "overlap"), "--no-hand", "--cases", case, "--ratios", "1", "--sizes", _sizes(options, name),
                    "--pairs", str(options.pairs or (5 if options.quick else 15)), "--transport", place.transport]
            found = [json.loads(line) for line in places.run(place, mpi, argv, env, 1800, first=options.first)
                     if line.startswith("{")]
            emit(_record(mpi, name, kind, derived, costs, found))


def _record(mpi, name, kind, derived, costs, found):
    speeds = {line["bytes"]: line["vs_plain"] for line in found}
    best, wanted = best_threshold(speeds), derived[kind + "_bytes"]
    apart = factor(wanted, best, speeds)
    return {"bench": "thresholds", "case": kind, "mpi": mpi, "link": name, "derived_bytes": wanted, "best_bytes": best,
            "factor": apart, "within_two": apart is not None and apart <= 2.0,
            "speeds": {str(size): round(speed, 3) for size, speed in sorted(speeds.items())},
            "controls": {str(line["bytes"]): round(line["control"], 3) for line in found},
            "spare_cores": costs["spare_cores"], "costs": costs, "verified": all(line["verified"] for line in found)}


def _size(value):
    return value if value == NEVER else table.size(value)


def _row_of_speeds(speeds):
    return " ".join(f"{table.size(int(size)).replace(' KiB', 'K').replace(' MiB', 'M')}:{speed:.2f}" for size, speed in speeds.items())


COLUMNS = (("mpi", "mpi", str), ("link", "link", str), ("threshold", "case", str), ("derived", "derived_bytes", _size),
           ("best", "best_bytes", _size), ("factor", "factor", table.two), ("within two", "within_two", table.yes),
           ("spare", "spare_cores", str), ("right", "verified", table.yes), ("speed over plain, by size", "speeds", _row_of_speeds))
EXPLANATION = ("strip: data are used in order as they land; guard: after an independent computation, deferred whole. Each computation is as "
               "long as the transfer. best: from there on all swept sizes gain 2 % over the plain way.")
