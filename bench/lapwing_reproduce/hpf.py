# SPDX-License-Identifier: Apache-2.0
"""HPF/MPI: figure 5 by ping-pongs of arrays between two tasks on two hosts, figure 6 by counted messages that are replayed on the paper's SP."""
from . import judge
from .model import Absent, Entry, Grid, Measurement
from .svg import Chart

PINGPONG, NODE, PIPELINE = "hpf.pingpong", "hpf.node", "hpf.pipeline"
STEPS = ("step1_inquiry_us", "step2_call_us", "step3_exchange_us", "step4_schedule_us", "step5_packing_us", "step6_transmission_us")
SIZES = (16, 32, 64, 128)
# One transfer by persistent operations costs the SP 827 us and more (HPF/MPI 3.1): each side pays half of it for an image.
FIXED = 827e-6 / 2


def _pingpong(context, case, ranks):
    """`case`: between two hosts, for the SP's processors have an interconnect between them; or as an experiment within one node."""
    records, command = context.bench("pingpong", "--mpi", "openmpi", "--cases", case, "--ranks", ranks, *(["--quick"] if context.quick else []))
    kept = [{name: r[name] for name in ("case", "processes", "bytes", "one_way_us", "cpu_us", "oversubscribed", "messages", *STEPS)}
            for r in records if r["case"] in ("fresh", "persistent")]
    return {"records": kept, "command": command}


def _pipeline(context):
    records, command = context.bench("pipeline", "--mpi", "openmpi", "--cases", "fft", "--local", "--sizes", ",".join(map(str, SIZES)),
                                     "--ranks", "8,16,32", *(["--quick"] if context.quick else []))
    kept = [{name: r[name] for name in ("ranks", "n", "parallel_s", "pipeline_s", "parallel_messages", "pipeline_messages", "verified")}
            for r in records if r["case"] == "replayed, SP"]
    return {"records": kept, "command": command, "where": "the SP of the paper, simulated with LogGP parameters from counted messages and an FFT measured here"}


def _of(parts, case, size, part=PINGPONG):
    return {r["processes"]: r for r in parts[part]["records"] if r["case"] == case and r["bytes"] == size}


def _share(record, step):
    return record[step] / sum(record[each] for each in STEPS)


def _figure_5(parts):
    small, kept = _of(parts, "fresh", 4096), _of(parts, "persistent", 4096)
    large, kept_large = _of(parts, "fresh", 1 << 20), _of(parts, "persistent", 1 << 20)
    node = _of(parts, "fresh", 1 << 20, NODE)
    gain = 1 - kept[1]["one_way_us"] / small[1]["one_way_us"]
    gain_large = 1 - kept_large[1]["one_way_us"] / large[1]["one_way_us"]
    told = [judge.holds("small messages: the time grows with the processes of a task", "85.3 us each",
                        " to ".join(f"{small[p]['cpu_us']:.1f}" for p in (1, 4)) + " us of processor time", small[4]["cpu_us"] > small[1]["cpu_us"], "it does not"),
            judge.holds("small messages: persistent operations save", "26 to 32 %", f"{gain:.0%}", gain > 0.2, "less"),
            judge.holds("large messages: they save next to nothing", "negligible", f"{gain_large:.0%}", abs(gain_large) < 0.1, "slower" if gain_large < 0 else "they do"),
            # Two hosts have one link between them, whatever the processes.
            judge.holds("large messages: the time falls as processes increase", "falls",
                        " to ".join(f"{node[p]['cpu_us']:.0f}" for p in (1, 4)) + " us of processor time each, on one node", node[4]["cpu_us"] < node[1]["cpu_us"], "it does not")]
    packing = (f"another share: {_share(large[2], STEPS[4]):.0%} with two processes a task (a single one sends the array from where it lies); "
               f"{_share(node[1], STEPS[4]):.0%} within one node, whose transport is faster than the network as much as copying is")
    for text, step, low, high, record, why in (("inquiry (step 1)", STEPS[0], 0, 0.10, small[1], "another share"),
                                               ("descriptor exchange (step 3), small", STEPS[2], 0.15, 0.30, small[1], "another share"),
                                               ("packing (step 5), large", STEPS[4], 0.10, 0.30, large[1], packing)):
        share = _share(record, step)
        told.append(judge.holds(f"share of {text}", f"{low:.0%} to {high:.0%}", f"{share:.0%}", low <= share <= high, why))
    return told


def _grid_5(parts):
    rows = []
    for case in ("fresh", "persistent"):
        for size, name in ((4096, "4 KiB"), (1 << 20, "1 MiB")):
            for p, r in sorted(_of(parts, case, size).items()):
                rows.append((f"{case}, {name}, P = {p}", *(r[step] for step in STEPS), None if r["oversubscribed"] else r["one_way_us"], r["cpu_us"]))
    return Grid(("us", "1 inquiry", "2 call", "3 exchange", "4 schedule", "5 packing", "6 transmission", "one way", "processor time"), tuple(rows))


def _chart_5(parts):
    lines = [(f"{case}, {name}", [_of(parts, case, size)[1][step] for step in STEPS], False)
             for case in ("fresh", "persistent") for size, name in ((4096, "4 KiB"), (1 << 20, "1 MiB"))]
    return Chart("Figure 5. Steps of a transfer, one process a task", "step", "us", range(1, 7), [(n, [max(y, 0.01) for y in ys], p) for n, ys, p in lines],
                 logarithmic=True)


def _times(parts, ranks, name):
    found = {r["n"]: r[name] for r in parts[PIPELINE]["records"] if r["ranks"] == ranks}
    return [found.get(n) for n in SIZES]


def _ranks(parts):
    return sorted({r["ranks"] for r in parts[PIPELINE]["records"]})


def _figure_6(parts):
    numbers = _ranks(parts)
    speed = {(p, n): a / b for p in numbers for n, a, b in zip(SIZES, _times(parts, p, "parallel_s"), _times(parts, p, "pipeline_s")) if a and b}
    fixed = {(p, n): a / (b + FIXED) for p in numbers for n, a, b in zip(SIZES, _times(parts, p, "parallel_s"), _times(parts, p, "pipeline_s")) if a and b}
    rises = all(speed[p, n] <= speed[q, n] * 1.001 for n in SIZES for p, q in zip(numbers, numbers[1:]) if (p, n) in speed and (q, n) in speed)
    falls = all(speed[p, n] >= speed[p, m] * 0.999 for p in numbers for n, m in zip(SIZES, SIZES[1:]) if (p, n) in speed and (p, m) in speed)
    most = max(1 - 1 / speed[p, 128] for p in numbers)
    with_cost = max(1 - 1 / fixed[p, 128] for p in numbers)
    messages = {r["ranks"]: (r["parallel_messages"], r["pipeline_messages"]) for r in parts[PIPELINE]["records"]}
    return [judge.holds("two tasks are generally faster than one", "generally", f"{sum(s > 1 for s in speed.values())} of {len(speed)}",
                        sum(s > 1 for s in speed.values()) > 0.8 * len(speed), "they are not"),
            judge.holds("by more as processes increase", "increases", "so everywhere" if rises else "not everywhere", rises, "it does not"),
            judge.holds("by less as images grow", "decreases", "so everywhere" if falls else "not everywhere", falls, "it does not"),
            judge.holds("128 x 128: time saved", "up to 30 %", f"up to {most:.0%}", 0.15 <= most <= 0.6, "another saving"),
            judge.holds("the same with the library's fixed cost of 827 us a transfer", "up to 30 %", f"up to {with_cost:.0%}", 0.15 <= with_cost <= 0.6, "another saving"),
            judge.holds("messages of a process: P - 1 against P / 2", "P - 1, P / 2", "; ".join(f"{a:.0f}, {b:.0f} (P = {p})" for p, (a, b) in sorted(messages.items())),
                        all(abs(a - p + 1) < 0.6 and abs(b - p / 2) < 0.6 for p, (a, b) in messages.items()), "others")]


def _grid_6(parts):
    rows = []
    for p in _ranks(parts):
        for title, name in (("one task", "parallel_s"), ("two tasks", "pipeline_s")):
            rows.append((f"P = {p}, {title}", *(None if t is None else 1e3 * t for t in _times(parts, p, name))))
    return Grid(("ms an image, simulated", *(f"N = {n}" for n in SIZES)), tuple(rows))


def _chart_6(parts):
    lines = [(f"P = {p}, {title}", [None if t is None else 1e3 * t for t in _times(parts, p, name)], False)
             for p in _ranks(parts) for title, name in (("one task", "parallel_s"), ("two tasks", "pipeline_s"))]
    return Chart("Figure 6. A 2-D FFT of one image on the SP, simulated", "N", "ms", SIZES, lines, logarithmic=True)


def register(registry):
    registry.add(Measurement(PINGPONG, lambda context: _pingpong(context, "hosts", "2,4,8"), (20, 40), timed=True),
                 Measurement(NODE, lambda context: _pingpong(context, "node", "2,4,8"), (10, 10), timed=True), Measurement(PIPELINE, _pipeline, (15, 40), timed=True),
                 Entry("hpf.F5", "Figure 5. One-way transfers between two tasks, step by step",
                       "Small transfers are made of fixed costs, which grow with the processes and which persistent operations save in part.",
                       (PINGPONG, NODE), _figure_5, _grid_5, _chart_5),
                 Entry("hpf.F6", "Figure 6. 2-D FFTs by one task and by two", "Two tasks need half of the messages, and win where messages cost most.",
                       (PIPELINE,), _figure_6, _grid_6, _chart_6),
                 *(Absent(f"hpf.F{n}", f"Figure {n}", "A program or a drawing: no figures.") for n in (1, 2, 3, 4, 7)))
