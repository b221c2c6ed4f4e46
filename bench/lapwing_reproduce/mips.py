# SPDX-License-Identifier: Apache-2.0
"""MIPS/SOS, Tables 1 to 3: what a split costs, statically and by overlapping, on one node and between two hosts."""
import json

from lapwing_bench import places

from . import judge
from .model import Absent, Entry, Grid, Measurement

PART, COUNTS = "mips.split", "mips.counts"
# (run, us a split) without and with load: Table 1, the Cray XD1 with 8 processes.
CRAY = {"static": (50, 62), "overlap": (28, 28)}
# ms a split on Raven, one process a node, 8 processes: Table 2.
RAVEN = {"static": (0.5, 0.5), "overlap": (0.5, 1.3)}
LATENCY = {"Cray XD1, same node": (1.75, 1.87, 1.88, 2.07), "Cray XD1, network": (1.72, 1.88, 1.93, 2.13),
           "Raven, same node": (20.21, 20.47, 20.42, 20.60), "Raven, network": (47.32, 48.48, 50.05, 51.92)}
BYTES = (0, 32, 64, 128)
# MIPS 5.2 and 5.4: recursive calls and splits, by processes.
SPLITS = {4: (5, 13), 8: (15, 39), 16: (39, 103)}


def _run(context):
    records, command = context.bench("split", "--mpi", context.mpi, "--cases", "shm,netlab", "--ranks", "2",
                                     *(["--quick"] if context.quick else ["--pairs", "30"]))
    by_case, latency = {}, {}
    for r in records:
        if r["case"] == "latency":
            latency.setdefault(r["transport"], {})[str(r["bytes"])] = r["us_latency"]
        elif "us_per_split" in r and r["case"] != "recursion":
            case = "alone" if r["case"] == "split alone" else r["case"].split()[-2]
            by_case.setdefault(r["transport"], {}).setdefault(case, {})[r["mode"]] = r["us_per_split"]
    return {"us": by_case, "latency": latency, "command": command}


def _count(context):
    found = {}
    for processes in SPLITS:
        place = places.Local(False)
        with place:
            lines = places.run(place, context.mpi, [context.program(context.mpi, "split"), "--none", "--what", "recursion",
                                                                         "--rounds", "1", "--repeat", "1"],
                               {}, 120, ranks=processes, last_line="end\n")
        records = [json.loads(line) for line in lines if line.startswith("{")]
        found[str(processes)] = records[0]["splits"]
    return {"splits": found, "command": "libexec/lapwing/MPI/split --none --what recursion"}


def _table_1(parts):
    us = parts[PART]["us"]["shm"]
    static, overlap = us["alone"]["blocking"], us["alone"]["overlap"]
    loaded, hidden = us["50"]["blocking"], us["50"]["overlap"]
    return [judge.holds("a split costs tens of microseconds at most", "28 to 62 us", f"{overlap:.2f} to {loaded:.1f} us", max(static, overlap, loaded, hidden) < 100,
                        "more"),
            judge.holds("without load overlapping costs less than static code", f"{CRAY['static'][0] / CRAY['overlap'][0]:.2f} times",
                        f"{static / overlap:.2f} times", static > 1.1 * overlap, "it does not"),
            judge.holds("with load too, and by more", f"{CRAY['static'][1] / CRAY['overlap'][1]:.2f} times", f"{loaded / hidden:.2f} times",
                        loaded / hidden > static / overlap, "not by more"),
            judge.holds("load adds to static code, hardly to overlapping", "12 us, 0 us", f"{loaded - static:.1f} us, {hidden - overlap:.1f} us",
                        hidden - overlap < (loaded - static) / 3, "it adds to both")]


def _table_2(parts):
    us = parts[PART]["us"].get("netlab-tcp")
    if not us:
        raise KeyError("no emulated hosts")
    static, overlap = us["alone"]["blocking"], us["alone"]["overlap"]
    loaded, hidden = us["50"]["blocking"], us["50"]["overlap"]
    counts = parts[COUNTS]["splits"]
    wanted = {str(p): splits for p, (_, splits) in SPLITS.items()}
    return [judge.holds("without load both cost the same (a quarter)", "0.5 ms, 0.5 ms", f"{static:.1f} us, {overlap:.1f} us", 0.8 < static / overlap < 1.25,
                        "they differ"),
            judge.holds("with load and one process on each node static code is faster", f"{RAVEN['overlap'][1] / RAVEN['static'][1]:.2f} times",
                        f"{hidden / loaded:.2f} times", loaded < hidden, "overlapping is faster here, where it needs no protocol messages; "
                        f"{us['0']['overlap'] / us['0']['blocking']:.2f} times where all processes compute equally long"),
            judge.holds("splits of the recursive program on 4, 8 and 16 processes", ", ".join(map(str, wanted.values())),
                        ", ".join(str(counts[p]) for p in wanted), counts == wanted, "another program")]


def _table_3(parts):
    latency = parts[PART]["latency"]
    node, wire = ([latency[t][str(b)] for b in BYTES] for t in ("shm", "netlab-tcp"))
    return [judge.holds("on a commodity network a short message takes more than twice as long as on the node", "2.3 times (Raven)", f"{wire[0] / node[0]:.1f} times",
                        wire[0] / node[0] > 2, "it does not"),
            judge.holds("128 bytes take hardly longer than none", "1.02 to 1.24 times", f"{wire[-1] / wire[0]:.2f} (network), {node[-1] / node[0]:.2f} (node)",
                        wire[-1] / wire[0] < 1.3 and node[-1] / node[0] < 1.6, "they do")]


def _grid(transport, paper):
    def grid(parts):
        us = parts[PART]["us"][transport]
        rows = [(f"{mode}, paper", *values) for mode, values in paper.items()]
        rows += [(f"{'static (blocking)' if mode == 'blocking' else mode}, here, us", us["alone"][mode], us["50"][mode])
                 for mode in ("blocking", "static", "overlap", "auto") if mode in us["alone"]]
        return Grid(("a split", "without load", "with load"), tuple(rows))
    return grid


def _grid_3(parts):
    rows = [(name, *values) for name, values in LATENCY.items()]
    rows += [(f"{name}, here", *(parts[PART]["latency"][t][str(b)] for b in BYTES)) for name, t in (("same node", "shm"), ("two hosts", "netlab-tcp"))]
    return Grid(("us", *(f"{b} bytes" for b in BYTES)), tuple(rows))


def register(registry):
    note = " Two processes here, splits by calls; load: one process computes half longer than the other."
    registry.add(Measurement(PART, _run, (35, 150), timed=True), Measurement(COUNTS, _count, (15, 15)),
                 Entry("mips.T1", "Table 1. A split on one machine (Cray XD1, us)", "Overlapping costs about half of static code." + note, (PART,), _table_1,
                       _grid("shm", CRAY)),
                 Entry("mips.T2", "Table 2. A split on a commodity cluster (Raven, ms)", "Both cost the same without load." + note, (PART, COUNTS), _table_2,
                       _grid("netlab-tcp", RAVEN)),
                 Entry("mips.T3", "Table 3. Short messages", "Latency explains where overlapping pays.", (PART,), _table_3, _grid_3),
                 Absent("mips.S5.5", "Section 5.5, growth with the number of processes", "Times of more processes than there are cores say nothing."),
                 Absent("mips.compiled", "Tables 1 and 2 with the compiler's splits",
                        "`lwcc --sets=run` makes splits at branches with collectives; those of the recursive program hold point-to-point only."))
