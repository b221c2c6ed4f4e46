# SPDX-License-Identifier: Apache-2.0
"""`pipeline`: HPF/MPI's figure 6, the two-dimensional FFT of a series of images as one data-parallel task and as a
pipeline of two. With two ranks it is timed; for more, messages are counted, steps measured with two ranks, and both
replayed with LogGP parameters: this machine's, and those of the SP of HPF/MPI 3. Before that, one image whose receiver
starts on what has landed."""
import json
import os
import subprocess
import sys
import tempfile
from statistics import median

from . import places, replay, statistics, table
from .errors import BenchError
from .rank_numbers import rank_numbers
from .redistribute import column, grouped, launch

# The SP of HPF/MPI 3: 87.9 us and 30.7 MB/s; a message's time is its processors'. Its processors (Power 1, 62.5 MHz) do
# an FFT at some 20 million operations a second; HPF/MPI does not say.
SP_LATENCY, SP_GAP, SP_FLOPS = 87.9e-6, 1 / 30.7e6, 20e6
COMPLEX = 16   # bytes


def _sp(row, pack, n):
    """Steps of this machine on the SP's processors: by the operations of an FFT."""
    slower = 5 * n * (n.bit_length() - 1) / SP_FLOPS / row
    return row * slower, pack * slower


def _tuned(options, build, mpi):
    """This machine's parameters by `lapwing tune`: Network's o, L, G."""
    tool = os.path.join(build.prefix, "bin", "lapwing")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tool, "tune", "--json", "--mpi", mpi, "--profile", os.path.join(folder, "profile.json")],
                              capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise BenchError(f"'{tool} tune' failed, so there are no parameters to replay with: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    o = 1e-6 * (found["send_overhead_us"] + found["receive_overhead_us"]) / 2
    return o, max(0.0, 1e-6 * found["round_trip_us"] / 2 - 2 * o), 1e-9 * found["gap_ns_per_byte"]


def _timed(options, build, mpi, place, sizes, emit):
    rounds = options.pairs or (10 if options.quick else 30)
    lines = launch(build, options, mpi, "pipeline", ["--sizes", sizes, "--rounds", str(rounds)]
                   + (["--images", "40"] if options.quick else []), 2, 1200, place)
    print(f"bench: pipeline, {mpi}, {place.transport}: {len(lines)} rounds", file=sys.stderr)
    steps = {}
    for (n,), group in grouped(lines, "n").items():
        record = {"bench": "pipeline", "case": "timed", "mpi": mpi, "transport": place.transport, "ranks": 2, "n": n}
        for name in ("parallel_s", "pipeline_s", "parallel_cpu_s", "pipeline_cpu_s"):
            statistics.put(record, name, column(group, name))
        statistics.put(record, "pipeline_vs_parallel",
                       statistics.ratios(column(group, "parallel_s"), column(group, "pipeline_s")))
        for name in ("parallel_messages", "pipeline_messages", "parallel_bytes", "pipeline_bytes"):
            record[name] = group[0][name]
        record["row_s"] = median(column(group, "row_s"))
        record["pairs"], record["verified"] = len(group), all(column(group, "verified"))
        # With two ranks each process packs and unpacks half of the image.
        steps[n] = record["row_s"], median(column(group, "parallel_pack_s")) / (n * n * COMPLEX)
        emit(record)
    return steps


def _landed(options, build, mpi, place, emit):
    """The second task starts on what has landed, or waits for the whole image."""
    rounds = options.pairs or (8 if options.quick else 30)
    sizes = options.sizes or ("512" if options.quick else "512,1024")
    lines = launch(build, options, mpi, "pipeline", ["--landed", "--sizes", sizes, "--rounds", str(rounds)], 2, 1200, place)
    print(f"bench: pipeline, landed, {mpi}, {place.transport}: {len(lines)} rounds", file=sys.stderr)
    for (n,), group in grouped(lines, "n").items():
        record = {"bench": "pipeline", "case": "landed", "mpi": mpi, "transport": place.transport, "ranks": 2, "n": n,
                  "bytes": group[0]["bytes"]}
        for name in ("whole_s", "landed_s", "transfer_s", "compute_s", "whole_cpu_s", "landed_cpu_s"):
            statistics.put(record, name, column(group, name))
        statistics.put(record, "landed_vs_whole", statistics.ratios(column(group, "whole_s"), column(group, "landed_s")))
        statistics.put(record, "control", statistics.ratios(column(group, "again_s"), column(group, "whole_s")))
        # Of what the shorter of the two could hide.
        statistics.put(record, "hidden", [(line["whole_s"] - line["landed_s"]) / min(line["transfer_s"], line["compute_s"])
                                          for line in group])
        record["pairs"], record["verified"] = len(group), all(column(group, "verified"))
        emit(record)


def measure(options, build, where, emit):
    wanted = options.cases.split(",") if options.cases else ["fft", "landed"]
    unknown = [c for c in wanted if c not in ("fft", "landed")]
    if unknown:
        raise BenchError(f"pipeline has no case '{unknown[0]}': there are fft and landed.")
    if "landed" in wanted:
        local = places.Local(options.transport == "best")
        for mpi in options.mpis:
            for place in dict.fromkeys([where[0], local] if where[0].rate else [local]):
                with place:
                    _landed(options, build, mpi, place, emit)
    if "fft" in wanted:
        _fft(options, build, where, emit)


def _fft(options, build, where, emit):
    # The last sizes are where bytes outweigh messages.
    sizes = options.sizes or ("16,32,64,128" if options.quick else "16,32,64,128,256,512")
    ranks = [r for r in rank_numbers(options.ranks, [8, 16] if options.quick else [8, 16, 32]) if r > 2]
    local = places.Local(options.transport == "best")
    for mpi in options.mpis:
        for place in dict.fromkeys([where[0], local] if where[0].rate else [local]):
            with place:
                steps = _timed(options, build, mpi, place, sizes, emit)
        if not ranks:
            continue
        o, latency, gap = _tuned(options, build, mpi)
        # MPICH's ranks do not yield; the messages are the same with both.
        counting = "openmpi" if "openmpi" in options.mpis else mpi
        for count in ranks:
            lines = launch(build, options, counting, "pipeline", ["--sizes", sizes, "--count", "--images", "4"], count, 600)
            for line in lines:
                for machine in ("this", "SP"):
                    emit(_replayed(line, steps[line["n"]], machine, mpi, (o, latency, gap)))


def _replayed(line, steps, machine, mpi, tuned):
    n, count = line["n"], line["ranks"]
    row, pack = steps if machine == "this" else _sp(*steps, n)
    o, latency, gap = tuned if machine == "this" else (SP_LATENCY / 2, 0.0, SP_GAP)
    # Both sides of what is simulated must be what was counted, an image and process.
    all_to_all, across = n * n * COMPLEX / count ** 2, 4 * n * n * COMPLEX / count ** 2
    even = n % count == 0
    same = not even or (abs(line["parallel_messages"] - (count - 1)) < .6 and abs(line["pipeline_messages"] - count / 2) < .6
                        and abs(line["parallel_bytes"] / (all_to_all * (count - 1)) - 1) < .01
                        and abs(line["pipeline_bytes"] / (across * count / 2) - 1) < .01)
    record = {"bench": "pipeline", "case": f"replayed, {machine}", "mpi": mpi, "ranks": count, "n": n,
              "o_us": 1e6 * o, "L_us": 1e6 * latency, "G_ns": 1e9 * gap, "row_s": row}
    for name in ("parallel_messages", "pipeline_messages", "parallel_bytes", "pipeline_bytes"):
        record[name] = line[name]
    for name, duplex in (("", False), ("duplex_", True)):
        network = replay.Network(o, latency, gap, duplex)
        record[name + "parallel_s"] = replay.per_image(replay.data_parallel, count, network, all_to_all, row, pack, n)
        record[name + "pipeline_s"] = replay.per_image(replay.pipeline, count, network, across, row, pack, n)
        record[name + "pipeline_vs_parallel"] = record[name + "parallel_s"] / record[name + "pipeline_s"]
    record["verified"] = line["verified"] and same
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("transport", "transport", str), ("ranks", "ranks", str), ("N", "n", str),
    ("parallel ms", "parallel_s", table.ms), ("pipeline ms", "pipeline_s", table.ms),
    ("speed", "pipeline_vs_parallel", table.two), ("from", "pipeline_vs_parallel_lo", table.two),
    ("to", "pipeline_vs_parallel_hi", table.two),
    ("whole ms", "whole_s", table.ms), ("landed ms", "landed_s", table.ms), ("transfer ms", "transfer_s", table.ms),
    ("compute ms", "compute_s", table.ms), ("speed", "landed_vs_whole", table.two), ("from", "landed_vs_whole_lo", table.two),
    ("hidden", "hidden", table.two), ("duplex", "duplex_pipeline_vs_parallel", table.two),
    ("messages", "parallel_messages", table.one), ("pipeline's", "pipeline_messages", table.one),
    ("bytes", "parallel_bytes", table.one), ("pipeline's", "pipeline_bytes", table.one), ("FFT us", "row_s", table.us),
    ("o us", "o_us", table.two), ("L us", "L_us", table.two), ("G ns", "G_ns", table.two), ("verified", "verified", table.yes))
EXPLANATION = ("landed: one image, whose rows the second task transforms as they land, over waiting for the whole; hidden: the share "
               "of transfer or computation, whichever is shorter, that this saves. The others: ms per image; speed: of the pipeline over the data-parallel program, above 1 the pipeline is ahead. Messages and bytes: "
               "sent by the busiest process for an image, counted. replayed: simulated with LogGP parameters, a process' port carrying "
               "one message at a time; duplex: one each way.")
