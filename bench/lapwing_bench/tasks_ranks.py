# SPDX-License-Identifier: Apache-2.0
"""`tasks` on two ranks: a task whose objects are there beside the same on threads, one whose object travels beside a
ping-pong of its bytes, messages for each object that travels, and processor time of a rank that has nothing to do."""
import json
import sys

from . import places, statistics


def _turns(build, mpi, turns):
    lines = places.run(places.Local(False), mpi, [build.program(mpi, "tasks_ranks"), str(turns)], {}, 600)
    return [json.loads(line) for line in lines if line.startswith("{")]


def measure(build, mpi, turns, emit):
    lines = _turns(build, mpi, turns)
    verified = not any("wrong" in line for line in lines)
    groups = {}
    for line in lines:
        if "case" in line:
            groups.setdefault((line["case"], line.get("bytes")), []).append(line)
    for (case, size), group in groups.items():
        def column(name, group=group):
            return [line[name] for line in group]
        record = {"bench": "tasks", "case": case, "machine": "ranks", "workers": 2, "mpi": mpi, "verified": verified}
        if case == "idle rank":
            statistics.put(record, "cpu_percent", column("cpu_percent"))
        else:
            statistics.put(record, "us_per_task", column("us"))
        if size is not None:
            record["bytes"] = size
            statistics.put(record, "us_pingpong", column("us_pingpong"))
            statistics.put(record, "vs_pingpong", statistics.ratios(column("us"), column("us_pingpong")))
            record["messages_per_fetch"] = round(column("messages_per_fetch")[-1], 2)
        elif case != "idle rank":
            statistics.put(record, "us_threads", column("us_threads"))
            statistics.put(record, "vs_threads", statistics.ratios(column("us"), column("us_threads")))
        emit(record)
    print(f"bench: tasks on ranks, {mpi}: {turns} turns", file=sys.stderr)
