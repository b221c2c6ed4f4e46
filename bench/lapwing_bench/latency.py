# SPDX-License-Identifier: Apache-2.0
"""`latency`: pairs of processes with and without Lapwing, each followed or preceded by one more without.

The processes differ in nothing else, so that what the preload itself costs (the thread level, say) is
measured too. Each process gives one median per case; a pair gives one ratio.
"""
import json
import sys
import time

from . import places, statistics, table

_QUICK_SIZES = "8,512,4K,64K,1M"


def _run(options, build, place, mpi, under_lapwing):
    argv = [build.program(mpi, "latency"), "--seconds", "0.01" if options.quick else "0.03"]
    sizes = options.sizes or (_QUICK_SIZES if options.quick else None)
    if sizes:
        argv += ["--sizes", sizes]
    if options.cases:
        argv += ["--what", options.cases]
    lines = places.run(place, mpi, argv, build.preload(mpi) if under_lapwing else {}, 120,
                       first=options.first)
    results = {}
    for text in lines:
        if text.startswith("{"):
            record = json.loads(text)
            results[record["case"], record["bytes"], record["count"]] = record["seconds"]
            if under_lapwing and not record["lapwing"]:
                build.note_absent()
    return results


def measure(options, build, where, emit):
    # Both transports matter; on one machine alone there is only its own.
    chosen = [where[0]] + ([places.Local(options.transport == "best")] if len(where) > 1 else [])
    for place in chosen:
        with place:
            _measure(options, build, place, 38 / len(chosen) / len(options.mpis), emit)


def _measure(options, build, place, limit, emit):
    pairs = options.pairs or 30
    for mpi in options.mpis:
        end = time.monotonic() + limit if options.quick else float("inf")
        samples = {"plain": [], "lapwing": [], "control": []}
        roles = ["plain", "lapwing", "control"] if build.has_preload(mpi) else ["plain", "control"]
        longest = 0.0
        for pair in range(pairs):
            begin = time.monotonic()
            if pair >= 2 and begin + longest > end:
                break
            turn = pair % len(roles)
            for role in roles[turn:] + roles[:turn]:
                samples[role].append(_run(options, build, place, mpi, role == "lapwing"))
            longest = max(longest, time.monotonic() - begin)
            if sys.stderr.isatty():
                print(f"\rbench: latency, {mpi}, {place.transport}: pair {pair + 1} of {pairs} ", end="",
                      file=sys.stderr, flush=True)
        print(f"\rbench: latency, {mpi}, {place.transport}: {len(samples['plain'])} pairs   ", file=sys.stderr)
        for key in samples["plain"][0]:
            if key[0] != "nonblocking":
                emit(_record(mpi, place.transport, key, samples))


def _record(mpi, transport, key, samples):
    kind, size, count = key
    kind = {"blocking": f"transfers-{count}"}.get(kind, kind)
    record = {"bench": "latency", "case": transport if kind == "pingpong" else f"{kind}-{transport}", "kind": kind,
              "mpi": mpi, "transport": transport, "bytes": size, "count": count, "ratio": 0}
    column = {role: [run[key] for run in runs] for role, runs in samples.items()}
    statistics.put(record, "plain_s", column["plain"])
    hand = None
    if key[0] == "blocking":
        hand = [run["nonblocking", size, count] for run in samples["plain"]]
        statistics.put(record, "hand_s", hand)
    # Nothing can be hidden but the transfers behind one another.
    record["limit_s"] = record["hand_s"] if hand else record["plain_s"]
    _, _, control_hi = statistics.put(record, "control", statistics.ratios(column["control"], column["plain"]))
    if column["lapwing"]:
        statistics.put(record, "lapwing_s", column["lapwing"])
        statistics.put(record, "vs_plain", statistics.ratios(column["plain"], column["lapwing"]))
        if hand:
            statistics.put(record, "vs_hand", statistics.ratios(hand, column["lapwing"]))
        record["no_harm"] = statistics.no_harm(1 / record["vs_plain_lo"], control_hi)
    record["pairs"] = len(column["plain"])
    record["lapwing"] = bool(column["lapwing"])
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("size", "bytes", table.size), ("plain us", "plain_s", table.us),
    ("by hand us", "hand_s", table.us), ("Lapwing us", "lapwing_s", table.us), ("vs plain", "vs_plain", table.three),
    ("from", "vs_plain_lo", table.three), ("to", "vs_plain_hi", table.three), ("control", "control", table.three),
    ("from", "control_lo", table.three), ("to", "control_hi", table.three), ("pairs", "pairs", str),
    ("no harm", "no_harm", table.yes))
EXPLANATION = ("vs plain: speed ratio, 1 is equal, with its 95 % interval; control: plain against plain. No harm: slower "
               "by at most 2 %, or by no more than the control's own spread.")
