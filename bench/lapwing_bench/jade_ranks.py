# SPDX-License-Identifier: Apache-2.0
"""The applications of `jade` on MPI ranks: messages, bytes and where tasks ran. Seconds only with a core for each rank."""
import os
import sys

# What each optimisation saves, by switching it off, at the highest level of locality.
SWITCHES = {"no locality": {"LAPWING_TASKS_LOCALITY": "off"}, "no broadcast": {"LAPWING_TASKS_BROADCAST": "off"},
            "no replication": {"LAPWING_TASKS_REPLICATION": "off"},
            "central schedule": {"LAPWING_TASKS_SCHEDULE": "central"}}
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1", "LAPWING_TASKS_WORKERS": "1"}
# Ranks that wait keep cores busy: fewer steps of the same programs.
INPUTS = {"water": ["--iterations", "2"], "string": ["--iterations", "3", "--spacing", "45"],
          "ocean": ["--sweeps", "100"], "cholesky": []}


def _inputs(name, ranks, options):
    decomposition = {"water": ["--parts", str(ranks)], "string": ["--parts", str(ranks)],
                     "ocean": ["--blocks", str(max(1, ranks - 1))]}.get(name, [])
    if options.quick and name == "water":
        decomposition += ["--molecules", "216"]
    if name == "cholesky":
        decomposition = ["--matrix", options.matrix] if options.matrix else ["--grid", "10"]
    return INPUTS[name] + decomposition


def measure(programs, name, placed, options, mpi, emit):
    cores = len(os.sched_getaffinity(0))
    for ranks in (2,) if options.quick else (1, 2, 4, 8):
        inputs = _inputs(name, ranks, options)
        runs = {"locality": ([], {}), **{level: (["--place"] if placed else [], switch)
                                         for level, switch in SWITCHES.items()}}
        if placed:
            runs["placement"] = (["--place"], {})
            runs["no locality"] = ([], SWITCHES["no locality"])
        serial = programs.run(f"{name}_serial", 0, inputs)
        for level, (extra, switch) in runs.items():
            got = programs.run(name, 0, [*inputs, *extra], {**ENVIRONMENT, **switch},
                               launcher=["mpiexec." + mpi, "-n", str(ranks)])
            record = {"bench": "jade", "case": name, "machine": "ranks", "workers": ranks, "level": level, "mpi": mpi,
                      "tasks": got["tasks"], "verified": got["verified"] and got["checksum"] == serial["checksum"],
                      "locality_percent": 100 * got["on_target"] / max(1, got["targeted"])}
            if ranks <= cores:
                record["seconds"] = got["seconds"]
            if ranks > 1:
                record.update(messages=got["messages"], most_messages=got["most_messages"],
                              object_mbytes=1e-6 * got["bytes"], objects_moved=got["objects_moved"],
                              cpu_seconds=got["cpu_seconds"], most_cpu_seconds=got["most_cpu_seconds"],
                              messages_per_task=got["messages"] / max(1, got["tasks"]))
            emit(record)
    print(f"bench: jade, {name} on ranks", file=sys.stderr)
