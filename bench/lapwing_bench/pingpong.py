# SPDX-License-Identifier: Apache-2.0
"""`pingpong`: HPF/MPI's figure 5. Two tasks of P processes send each other an array, (BLOCK, *) where it comes from
and (*, BLOCK) where it arrives; the steps of a transfer, and how the time of a small one grows with P: a P + b. On this machine's
own transport, or between two emulated hosts."""
import sys

from . import places, statistics, table
from .errors import BenchError
from .rank_numbers import rank_numbers
from .redistribute import column, grouped, jobs, launch

STEPS = ("step1_inquiry_us", "step2_call_us", "step3_exchange_us", "step4_schedule_us", "step5_packing_us",
         "step6_transmission_us")


def fit(points):
    """a, b of the least squares' line through (x, y)."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    a = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return a, mean_y - a * mean_x


CASES = ("node", "hosts")


def measure(options, build, _where, emit):
    numbers = rank_numbers(options.ranks, [2, 4, 8] if options.quick else [2, 4, 6, 8])
    wanted = options.cases.split(",") if options.cases else ["node"]
    if not set(wanted) <= set(CASES):
        raise BenchError(f"--cases {options.cases}: pingpong has " + ", ".join(CASES) + ".")
    for case in wanted:
        place = places.choose(options, options.script)[0] if case == "hosts" else places.Local(options.transport == "best")
        with place:
            _measure(options, build, place, numbers, emit)


def _lines(options, build, place, mpi, argv, ranks):
    """The tasks' processes share two hosts."""
    if ranks == 2 or isinstance(place, places.Local):
        return launch(build, options, mpi, "pingpong", argv, ranks, 900, place)
    with place.of(2, ranks // 2) as wider:
        return launch(build, options, mpi, "pingpong", argv, ranks, 900, wider)


def _measure(options, build, place, numbers, emit):
    transport = place.transport
    sizes = options.sizes or "4K,1M"
    small = {}
    for mpi, ranks, timed in jobs(options, numbers):
        argv = ["--sizes", sizes, "--rounds", str((options.pairs or 30) if timed and not options.quick else 6),
                "--repeat", "200" if timed else "20"]
        lines = _lines(options, build, place, mpi, argv, ranks)
        print(f"bench: pingpong, {mpi}, {ranks // 2} processes a task: {len(lines)} lines", file=sys.stderr)
        steps = {(line["bytes"], line["kind"]): line for line in lines if line["what"] == "steps"}
        for (size,), group in grouped([line for line in lines if line["what"] == "pingpong"], "bytes").items():
            for kind in ("fresh", "persistent"):
                record = {"bench": "pingpong", "case": kind, "mpi": mpi, "transport": transport, "ranks": ranks,
                          "processes": ranks // 2, "bytes": size, "oversubscribed": not timed}
                statistics.put(record, "one_way_us", [1e6 * s for s in column(group, kind + "_s")])
                statistics.put(record, "cpu_us", [1e6 * s for s in column(group, kind + "_cpu_s")])
                statistics.put(record, "hand_us", [1e6 * s for s in column(group, "hand_s")])
                statistics.put(record, "slowdown", statistics.ratios(column(group, kind + "_s"), column(group, "hand_s")))
                statistics.put(record, "control", statistics.ratios(column(group, "again_s"), column(group, "hand_s")))
                record.update({name: steps[size, kind][name] for name in STEPS + ("messages", "bytes_sent")})
                record["pairs"], record["verified"] = len(group), all(column(group, "verified"))
                emit(record)
                small.setdefault((mpi, kind, size), []).append(record)
    for (mpi, kind, size), records in small.items():
        if size > 16384 or len(records) < 2:
            continue
        record = {"bench": "pingpong", "case": f"fit, {kind}", "mpi": mpi, "transport": transport, "bytes": size}
        record["fit_a_us"], record["fit_b_us"] = fit([(r["processes"], r["one_way_us"]) for r in records])
        record["fit_cpu_a_us"], record["fit_cpu_b_us"] = fit([(r["processes"], r["cpu_us"]) for r in records])
        record["oversubscribed"] = any(r["oversubscribed"] for r in records)
        emit(record)


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("P", "processes", str), ("bytes", "bytes", table.size),
    ("one way us", "one_way_us", table.one), ("1 inquiry", "step1_inquiry_us", table.one), ("2 call", "step2_call_us", table.one),
    ("3 exchange", "step3_exchange_us", table.one), ("4 schedule", "step4_schedule_us", table.one),
    ("5 packing", "step5_packing_us", table.one), ("6 transmission", "step6_transmission_us", table.one),
    ("messages", "messages", table.one), ("hand us", "hand_us", table.one), ("slowdown", "slowdown", table.two),
    ("to", "slowdown_hi", table.two), ("cpu us", "cpu_us", table.one), ("a", "fit_a_us", table.one), ("b", "fit_b_us", table.one),
    ("cpu a", "fit_cpu_a_us", table.one), ("cpu b", "fit_cpu_b_us", table.one),
    ("oversubscribed", "oversubscribed", table.yes), ("verified", "verified", table.yes))
EXPLANATION = ("Microseconds one way; steps are those of the slowest process, sender and receiver together (HPF/MPI, figure 5), taken in "
               "runs of their own. fresh: a plain send and receive, whose schedule is looked up after the first. a, b: t = a P + b; the "
               "HPF/MPI 3.1 had 85.3 P + 1290, persistent 60.0 P + 827. cpu: processor time of a process.")
