# SPDX-License-Identifier: Apache-2.0
"""HUNT: Tables 1 and 2 and figures 6 to 11, between two emulated hosts."""
import json
import subprocess

from . import judge
from .model import Absent, Entry, Grid, Measurement
from .svg import Chart

LINK, COPIES, TRAINS, SIGNAL = "hunt.link", "hunt.copies", "hunt.trains", "hunt.signal"
KERNELS = {"fft": "hunt.fft", "sort": "hunt.sort"}
# Table 1: o, G (us/KB), RTT, I, mprotect.
SYSTEMS = {"Opteron, Infiniband": (1.8, 1.23, 11.6, 2, 1), "Itanium, Myrinet": (3, 4.7, 25.5, 3, 1),
           "PowerPC, Infiniband": (5.2, 1.26, 20.2, 37, 1), "AlphaServer, Quadrics": (2, 3.96, 8, 5, 1)}
# Table 2: one and two transfers of 8 bytes: non-blocking, demand-driven, blocking; us.
TRANSFERS = {"Opteron, Infiniband": (11.67, 15.37, 11.57, 20.68, 22.36, 23.42), "Itanium, Myrinet": (26.14, 29.48, 25.61, 45.72, 48.93, 51.22),
             "PowerPC, Infiniband": (18.62, 61.03, 18.25, 29.12, 67.65, 36.19), "AlphaServer": (7.78, 43.48, 7.55, 15.83, 52.65, 14.93)}
SIZES = tuple(1 << n for n in range(3, 21))
SHORT = {1 << 20: "M", 1 << 10: "K"}


def _size(value):
    return next((f"{value // unit}{name}" for unit, name in SHORT.items() if value >= unit), str(value))


def _link(context):
    records, command = context.bench("thresholds", "--cases", "1gbit", "--mpi", context.mpi, *(["--quick"] if context.quick else []))
    found = {r["case"]: {name: r[name] for name in ("derived_bytes", "best_bytes", "speeds", "controls")} for r in records}
    costs = {name: value for name, value in records[0]["costs"].items() if not isinstance(value, str)}
    return {"costs": costs, "sweeps": found, "command": command}


def _copies(context):
    records, command = context.bench("overlap", "--mpi", context.mpi, "--cases", "memcpy,independent_memcpy", "--sizes", "16K,32K,64K,128K,256K,1M,4M",
                                     "--ratios", "1", "--pairs", "5" if context.quick else "15")
    # A use of what was received that takes half as long as its transfer, where a copy takes a fortieth.
    half, _ = context.bench("overlap", "--mpi", context.mpi, "--cases", "scan_up", "--sizes", "1M,4M", "--ratios", "0.5",
                            "--pairs", "5" if context.quick else "15")
    # Slower, where the hosts' work for the network takes less of the cores.
    slow, _ = context.bench("overlap", "--mpi", context.mpi, "--cases", "independent_memcpy", "--sizes", "1M,4M", "--ratios", "1", "--rate", "200mbit",
                            "--pairs", "3" if context.quick else "9")
    kept = [{name: r.get(name) for name in ("case", "bytes", "rate", "plain_s", "hand_s", "lapwing_s", "transfer_s", "compute_s", "vs_plain", "vs_hand")}
            for r in [r for r in records + half if r.get("rate") == "1gbit"] + [r for r in slow if r.get("rate") == "200mbit"]]
    return {"records": kept, "command": command}


def _trains(context):
    records, command = context.bench("latency", "--mpi", context.mpi, "--cases", "transfers", *(["--quick"] if context.quick else ["--pairs", "30"]))
    return {"us": {str(r["count"]): {name: 1e6 * r[name + "_s"] for name in ("plain", "hand", "lapwing")} for r in records if r["transport"] != "shm"},
            "command": command}


def _kernel(context, kernel):
    records, command = context.bench("kernels", "--mpi", context.mpi, "--kernel", kernel, "--ranks", "2",
                                     "--variants", "whole,whole+run,in-order", *(["--quick"] if context.quick else ["--pairs", "5", "--class", "A"]))
    kept = [{name: r[name + "_s"] for name in ("plain", "whole", "whole+run", "hand", "preload", "compiler", "both", "compute", "transfer")}
            for r in records if r["ranks"] == 2 and r["plain_s"]]
    return {"seconds": kept[0], "command": command}


def _signal(context):
    done = subprocess.run([context.program("signal_cost")], capture_output=True, text=True, check=True, timeout=60)
    return {"us": json.loads(done.stdout), "command": "libexec/lapwing/signal_cost"}


def _row(parts):
    """As in Table 1, but for I, which is what Lapwing pays: its fault includes the wait for the helper thread."""
    c = parts[LINK]["costs"]
    guard = c["mprotect"]
    return ((c["send_overhead_us"] + c["receive_overhead_us"]) / 2, 1.024 * c["gap_ns_per_byte"], c["round_trip_us"], guard["fault_us"], guard["open_us"])


def _signal_us(parts):
    """HUNT 5.1: I is the cost of servicing a signal, without mprotect, which is M, and without any wait for data."""
    us = parts[SIGNAL]["us"]
    return us["touch_us"] - us["mprotect_us"], us["mprotect_us"]


def _components(parts):
    c, guard = parts[LINK]["costs"], parts[LINK]["costs"]["mprotect"]
    return [("transfer", [c["round_trip_us"] / 2 + 1e-3 * c["gap_ns_per_byte"] * n for n in SIZES], False),
            ("RTT", [c["round_trip_us"]] * len(SIZES), False), ("overhead", [(c["send_overhead_us"] + c["receive_overhead_us"]) / 2] * len(SIZES), False),
            ("fault (I)", [guard["fault_us"]] * len(SIZES), False),
            ("closing pages", [guard["close_us"] + 1e-3 * guard["close_ns_per_byte"] * n for n in SIZES], False)]


def _parameters(parts):
    lines = {name: ys for name, ys, _ in _components(parts)}
    largest = max(ys[-1] - ys[0] for name, ys in lines.items() if name != "transfer")
    grown = lines["transfer"][-1] - lines["transfer"][0]
    return [judge.holds("the transfer's time grows with the size much faster than any other", "much faster", f"{grown / max(largest, 1e-9):.0f} times the next", grown > 5 * largest,
                        "it does not")]


def _table_1(parts):
    rtt, fault = _row(parts)[2:4]
    signal, protect = _signal_us(parts)
    return [judge.holds("serving a signal takes less than a round trip (3 of 4 systems)", "0.12 to 0.63, 1.83", f"{signal / rtt:.2f}", signal < rtt, "it takes longer"),
            judge.holds("protecting a page costs less than the signal", "1 of 2 to 37 us", f"{protect:.1f} of {signal:.1f} us", protect < signal, "it does not"),
            judge.Claim("Lapwing's fault, which also waits for the helper thread", "", f"{fault / rtt:.2f} round trips", None,
                        f"no statement of the paper, whose handler asks the network itself; {parts[LINK]['costs']['spare_cores']:.0f} cores are spare for the thread")]


def _table_2(parts):
    one, two, many = (parts[TRAINS]["us"][n] for n in ("1", "2", "16"))
    rtt, fault = _row(parts)[2:4]
    return [judge.holds("two transfers: non-blocking calls are faster than blocking ones (3 of 4)", "0.80 to 0.89 of their time", f"{two['hand'] / two['plain']:.2f}",
                        two["hand"] < two["plain"], "they are not"),
            judge.holds("more so for a train of sixteen", "larger trains gain more", f"{many['hand'] / many['plain']:.2f}", many["hand"] / many["plain"] < two["hand"] / two["plain"],
                        "not more"),
            judge.holds("Lapwing leaves messages of 8 bytes alone: no cost of demand-driven synchronisation", "1.3 to 5.8 of blocking", f"{one['lapwing'] / one['plain']:.2f}",
                        one["lapwing"] < 1.05 * one["plain"], "it costs"),
            judge.Claim("demand-driven synchronisation would pay from I / RTT + 1 transfers on", "5 to 6 (PowerPC)", f"{fault / rtt + 1:.0f}, derived", None,
                        "no message below a page is deferred (rule 4)")]


def _by_case(parts, case, rate="1gbit"):
    return {r["bytes"]: r for r in parts[COPIES]["records"] if r["case"] == case and r["rate"] == rate}


def _figure_8(parts):
    copies, independent = _by_case(parts, "memcpy"), _by_case(parts, "independent_memcpy")
    half, slow = _by_case(parts, "scan_up"), _by_case(parts, "independent_memcpy", "200mbit")
    strip = parts[LINK]["sweeps"]["strip"]
    large = [n for n in copies if n >= 1 << 20]
    gain = max(copies[n]["vs_plain"] - 1 for n in large)
    share = max(copies[n]["compute_s"] / copies[n]["plain_s"] for n in large)
    hidden = [(independent[n]["plain_s"] - independent[n]["lapwing_s"]) / min(independent[n]["transfer_s"], independent[n]["compute_s"]) for n in large]
    best = strip["best_bytes"]
    return [judge.holds("self-induced overlap pays from 30 to 64 KB on (200 KB on the PowerPC)", "30 to 200 KB", _size(best) if isinstance(best, int) else best,
                        isinstance(best, int) and 16384 <= best <= 262144, "another size"),
            judge.holds("a copy of received data in the MB range gains", "25 to 35 %", f"{gain:.0%}", gain > 0.15,
                        f"copying is {share:.1%} of the time behind a link of 1 Gbit/s, and no more can be hidden; a sum of the data that takes half as long as their "
                        f"transfer gains {min(r['vs_plain'] - 1 for r in half.values()):.0%} to {max(r['vs_plain'] - 1 for r in half.values()):.0%}"),
            judge.holds("independent computation hides large transfers", "all of them", f"{min(hidden):.0%} to {max(hidden):.0%}", min(hidden) > 0.7, "less"),
            judge.holds("as fast as perfectly overlapped non-blocking calls", "1 % of the running time", f"{1 / min(independent[n]['vs_hand'] for n in large) - 1:.0%}",
                        min(independent[n]["vs_hand"] for n in large) > 0.95, f"slower, with {parts[LINK]['costs']['spare_cores']:.0f} spare cores for the helper thread and the hosts' network; "
                        f"{1 / min(r['vs_hand'] for r in slow.values()) - 1:.0%} behind 200 Mbit/s, where the hosts' work for the network is spread over five times as long")]


def _grid_8(parts):
    copies, independent = _by_case(parts, "memcpy"), _by_case(parts, "independent_memcpy")
    sweeps = parts[LINK]["sweeps"]
    rows = [("copy of the data", *(copies[n]["vs_plain"] for n in copies)), ("something else, then a copy", *(independent[n]["vs_plain"] for n in copies)),
            ("by hand: something else, then a copy", *(independent[n]["plain_s"] / independent[n]["hand_s"] for n in copies)),
            ("each element used in order (computation as long as the transfer)", *(sweeps["strip"]["speeds"].get(str(n)) for n in copies))]
    return Grid(("speed over plain", *map(_size, copies)), tuple(rows))


def _chart_8(parts):
    grid = _grid_8(parts)
    return Chart("Figure 8. Speed over blocking calls", "bytes", "speed", grid.columns[1:], [(row[0].split(" (")[0], row[1:], False) for row in grid.rows])


def _application(kernel, over):
    """The paper's FT-nb and IS-nb start all messages and wait for each: with one partner they overlap nothing of its data. IS-H is IS-nb under
    HUNT."""
    def claims(parts):
        s = parts[KERNELS[kernel]]["seconds"]
        theirs, hunted = (s["whole"], min(s["preload"], s["both"])) if kernel == "fft" else (s["whole"], s["whole+run"])
        ahead = ("the blocking program under the runtime is ahead of non-blocking calls that overlap each other (FT-nb)" if kernel == "fft"
                 else "the non-blocking program under the runtime (IS-H) is ahead of itself without (IS-nb)")
        ours = min(s["preload"], s["compiler"], s["both"])
        return [judge.holds("non-blocking calls by hand are faster than blocking ones", "up to 77 %", f"{s['plain'] / s['hand'] - 1:.0%}", s["hand"] < 0.98 * s["plain"], "they are not"),
                judge.holds("the runtime makes the blocking program faster", "as by hand", f"{s['plain'] / ours - 1:.0%}", ours < 0.98 * s["plain"], "it does not"),
                judge.holds(ahead, over, f"{theirs / hunted - 1:.1%}", hunted < theirs, "it is not")]

    def grid(parts):
        s = parts[KERNELS[kernel]]["seconds"]
        return Grid(("seconds", *s), (("two hosts, 1 Gbit/s", *s.values()),))

    return claims, grid


def register(registry):
    registry.add(Measurement(SIGNAL, _signal, (1, 1), timed=True))
    registry.add(Measurement(LINK, _link, (25, 110), timed=True), Measurement(COPIES, _copies, (40, 110), timed=True),
                 Measurement(TRAINS, _trains, (40, 60), timed=True), *(Measurement(part, lambda context, kernel=kernel: _kernel(context, kernel), (40, 100), timed=True) for kernel, part in KERNELS.items()))
    registry.add(
        Entry("hunt.T1", "Table 1. Costs of network and processor", "Whether demand-driven synchronisation pays for small messages depends on I and RTT.", (LINK, SIGNAL), _table_1,
              lambda parts: Grid(("system", "o (us)", "G (us/KB)", "RTT (us)", "I (us)", "mprotect (us)"),
                                 (*((name, *values) for name, values in SYSTEMS.items()), ("two emulated hosts, here", *_row(parts)[:3], *_signal_us(parts))))),
        Entry("hunt.T2", "Table 2. Trains of 8-byte transfers", "Overlap is found even between the smallest transfers, at the price of a fault.", (TRAINS, LINK), _table_2,
              lambda parts: Grid(("us", "1: non-blocking", "demand-driven", "blocking", "2: non-blocking", "demand-driven", "blocking"),
                                 (*((name, *values) for name, values in TRANSFERS.items()),
                                  ("two emulated hosts, here (Lapwing: not deferred)", *(parts[TRAINS]["us"][n][k] for n in ("1", "2") for k in ("hand", "lapwing", "plain")))))),
        Entry("hunt.F6", "Figure 6. Costs by size", "The transfer's time grows fastest, so decomposition pays more for larger messages.", (LINK,), _parameters, None,
              lambda parts: Chart("Figure 6. Costs by size, two emulated hosts", "bytes", "us", map(_size, SIZES), _components(parts), logarithmic=True)),
        Entry("hunt.F7", "Figure 7. Costs of small messages where faults are slow", "Where I is much larger than RTT, fine-grained overlap is harder to achieve.", (LINK,),
              lambda parts: [judge.holds("demand-driven synchronisation, here by a helper thread, takes longer than a round trip", "1.8 times (PowerPC)", f"{_row(parts)[3] / _row(parts)[2]:.1f} times",
                                         _row(parts)[3] > _row(parts)[2], "it does not"),
                             judge.holds("so no gain below some tens of KiB", "200 KB", _size(parts[LINK]["sweeps"]["strip"]["derived_bytes"])
                                         if isinstance(parts[LINK]["sweeps"]["strip"]["derived_bytes"], int) else "never",
                                         parts[LINK]["sweeps"]["strip"]["speeds"].get("16384", 1) < 1.02, "16 KiB gain already")], None,
              lambda parts: Chart("Figure 7. Costs of small messages", "bytes", "us", [_size(n) for n in SIZES[:10]], [(n, ys[:10], p) for n, ys, p in _components(parts)],
                                  logarithmic=True)),
        Entry("hunt.F8", "Figure 8. Decomposition of messages", "A computation on received data hides a part of their transfer, an independent one all of it.", (COPIES, LINK),
              _figure_8, _grid_8, _chart_8))
    for number, kernel, name, over in ((10, "fft", "FT", "up to 6 %"), (11, "sort", "IS", "a small amount")):
        claims, grid = _application(kernel, over)
        registry.add(Entry(f"hunt.F{number}", f"Figure {number}. NAS {name}, here the kernel `{kernel}`",
                           "The runtime hides what is there to hide, as well as a programmer or better. "
                           "whole: by hand, all messages are started and then waited for; whole+run: that under the preload; hand: the best of several portions, which the "
                           "paper's programmers did not write.",
                           (KERNELS[kernel],), claims, grid))
    registry.add(Absent("hunt.F9", "Figure 9", "A network card that keeps its address table coherent with the processor's (Quadrics): none here."),
                 Absent("hunt.scale", "Figures 10 and 11 on 4 to 64 processors", "Times of more processes than there are cores say nothing."),
                 Absent("hunt.one-sided", "Tables and figures for one-sided gets", "Messages here. Lapwing defers gets and puts under passive targets on request (LAPWING_ONE_SIDED=on), lapwing_memget and lapwing_memput among them: `lapwing bench memory`."),
                 *(Absent(f"hunt.F{n}", f"Figure {n}", "A drawing or a program: no figures.") for n in (1, 2, 3, 4, 5)))
