# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import json
import shutil
import signal
import sys

from . import (check, collectives, exchange, ghosts, instructions, jade, kernels, latency, memory, overlap, pingpong, pipeline, places,
               programs, redistribute, split, table, tasks, thresholds)
from .build import Build
from .errors import BenchError


def _parser():
    parser = argparse.ArgumentParser(
        prog="lapwing bench", description="Measures what Lapwing hides and what it costs. Progress goes to stderr.")
    parser.add_argument("name", choices=("overlap", "latency", "kernels", "check", "split", "redistribute", "ghosts", "pingpong", "pipeline", "tasks",
                                         "jade", "programs", "exchange", "collectives", "thresholds", "memory"),
                        help="overlap: received data are used at once, or "
                        "after an independent computation; latency: calls with nothing to hide; kernels: seven programs, plain, by hand and by "
                        "the compiler; check: what check mode costs the kernels; split: what splits of process sets cost; redistribute: distributed arrays against pdgemr2d; ghosts: updates of ghosts against datatypes by hand; pingpong: the "
                        "steps of transfers between tasks; pipeline: FFTs of images by one task and by two; tasks: what tasks with declared "
                        "accesses cost, on threads and ranks; jade: the four applications of the Jade paper, and its tables by replay; "
                        "programs: what Lapwing does to programs that were not written here; exchange: two directions at once; collectives: what a "
                        "computation hides of non-blocking collectives; thresholds: the sizes that `lapwing tune` derives, beside the best of "
                        "a sweep; memory: lapwing_memget and lapwing_memput with a computation")
    parser.add_argument("folder", nargs="?", help="programs: the folder in which the recipes' sources lie")
    parser.add_argument("--quick", action="store_true", help="within 45 s: fewer sizes and pairs")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of a table")
    parser.add_argument("--mpi", choices=("mpich", "openmpi", "both"), help="default: both; with --quick the first "
                        "that is installed")
    parser.add_argument("--pairs", type=int, help="rounds of all variants (30; kernels 9)")
    parser.add_argument("--local", action="store_true", help="through shared memory instead of two emulated hosts")
    parser.add_argument("--transport", choices=("default", "best"), default="default",
                        help="the transport's default settings, or those that carry large messages best")
    parser.add_argument("--rate", default="1gbit", help="of the emulated links (1gbit); none: unlimited")
    parser.add_argument("--pin", action="store_true", help="keep each emulated host to one core, helper threads "
                        "included")
    parser.add_argument("--first", action="store_true", help="the ranks go before the machine's other work (needs "
                        "root): for a machine that is not idle")
    parser.add_argument("--prefix", help="the installation or build tree to measure")
    parser.add_argument("--cases", help="comma-separated; overlap: scan_up, scan_down, memcpy, independent, "
                        "independent_memcpy; latency: transfers, pingpong, idle; split: " + ", ".join(split.CASES) + "; redistribute: 1 to 5, small, lists, construct; pingpong: " + ", ".join(pingpong.CASES) + "; ghosts: " + ", ".join(ghosts.CASES) + "; pipeline: fft, landed; tasks: "
                        + ", ".join(tasks.CASES) + ", ranks; exchange: " + ", ".join(exchange.IDIOMS) + "; collectives: "
                        + ", ".join(collectives.KINDS) + "; thresholds: " + ", ".join(thresholds.LINKS) + "; memory: " + ", ".join(memory.ACCESSES) + "; jade: " + ", ".join(jade.APPLICATIONS))
    parser.add_argument("--matrix", help="jade: a Matrix Market file for Panel Cholesky, such as BCSSTK15")
    parser.add_argument("--construct", action="store_true", help="redistribute: only the construction of schedules")
    parser.add_argument("--sizes", help="comma-separated, such as 64K,1M")
    parser.add_argument("--ratios", help="overlap, kernels: computation over transfer, such as 0.5,1,2")
    parser.add_argument("--defer", choices=("on", "auto"), help="overlap: defer always (on), or let call sites learn")
    parser.add_argument("--kernel", help="kernels: comma-separated, of " + ", ".join(kernels.KERNELS))
    parser.add_argument("--class", dest="size", help="kernels: comma-separated, of S, W, A, B (A; with --quick W)")
    parser.add_argument("--ranks", help="kernels: 2 are timed, others verified (2,4); split: numbers of processes (2,4,8,16); redistribute, "
                        "ghosts, pingpong: as split (2,4,8); pipeline: replayed (8,16,32); programs: of recipes that name none (2)")
    parser.add_argument("--instructions", action="store_true", help="latency: count added instructions per small call")
    parser.add_argument("--only", metavar="REGEX", help="programs: the recipes whose names match")
    parser.add_argument("--variants", help="programs: comma-separated, of " + ", ".join(programs.VARIANTS)
                        + f" (all but {programs.RIVAL}: overlapped by hand, where a recipe has that); kernels: more, of "
                        + ", ".join((*kernels.EXTRA, kernels.IN_ORDER)))
    parser.add_argument("--recipes", help="programs: another folder of recipes")
    parser.add_argument("--work", help="programs: where programs are built and run")
    parser.add_argument("--build", action="store_true", help="programs: build what is not built yet, and run nothing")
    return parser


def _mpis(options, build, needed):
    if options.mpi in ("mpich", "openmpi"):
        return [options.mpi]
    found = [mpi for mpi in ("mpich", "openmpi") if shutil.which("mpiexec." + mpi) and build.is_for(mpi)]
    if not found and needed:
        raise BenchError("There is no MPI for which Lapwing was built and whose mpiexec.mpich or mpiexec.openmpi is on the "
                         "PATH.")
    return found[:1] if options.quick and options.mpi is None else found


def _run(options, script):
    build = Build.find(options.prefix, script)
    options.mpis = _mpis(options, build, needed=options.name != "tasks")
    bench = {"overlap": overlap, "latency": latency, "kernels": kernels, "check": check, "split": split, "redistribute": redistribute, "ghosts": ghosts,
             "pingpong": pingpong, "pipeline": pipeline, "tasks": tasks, "jade": jade, "programs": programs, "exchange": exchange,
             "collectives": collectives, "thresholds": thresholds, "memory": memory}[options.name]
    if options.instructions:
        if options.name != "latency":
            raise BenchError("--instructions belongs to latency.")
        bench = instructions
    if options.matrix and bench is not jade:
        raise BenchError("--matrix belongs to jade.")
    if options.folder and bench is not programs:
        raise BenchError(f"{options.name} takes no folder; {options.folder} is too much.")
    options.script = script
    if options.construct and bench is not redistribute:
        raise BenchError("--construct belongs to redistribute.")
    where = [] if bench in (instructions, check, redistribute, ghosts, pingpong, tasks, jade, thresholds) else places.choose(options, script)
    records = []

    def emit(record):
        records.append(record)
        if options.json:
            print(json.dumps(record), flush=True)

    try:
        bench.measure(options, build, where, emit)
    finally:
        if records and not options.json:
            print(table.render(bench.sort(records) if hasattr(bench, "sort") else records, bench.COLUMNS))
            print(bench.EXPLANATION)
    return 0 if all(record.get("verified", True) is not False for record in records) else 1


def main(arguments, script):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))   # so that what it started ends with it
    options = _parser().parse_intermixed_args(arguments)
    try:
        return _run(options, script)
    except BenchError as error:
        print(f"lapwing bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:   # whoever read the results has seen enough
        sys.stderr.close()
        return 1
