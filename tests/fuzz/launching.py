# SPDX-License-Identifier: Apache-2.0
"""Runs the interpreter under an MPI, never for longer than it makes progress."""
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIEXEC = {
    "mpich": ["mpiexec.mpich"],
    "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"],
}
QUIET = {
    # Open MPI 4: pt2pt refuses threads, and with them Lapwing; ucx crashes without Lapwing where a window is dynamic.
    "OMPI_MCA_osc": "^pt2pt,ucx",
    "OMPI_MCA_mpi_warn_on_fork": "0",
    "OMPI_MCA_btl_base_warn_component_unused": "0",
}


@dataclasses.dataclass
class Case:
    """The programs of one launch; each is known by its seed, ranks, threads and windows."""

    mpi: str
    seed: int
    programs: int = 1
    ranks: int = 2
    threads: bool = False
    steps: tuple = ()  # all of them if empty
    transport: dict = dataclasses.field(default_factory=dict)
    one_sided: bool = False

    def alone(self, seed, steps=()):
        return dataclasses.replace(self, seed=seed, programs=1, steps=tuple(steps))


@dataclasses.dataclass
class Outcome:
    logs: list  # one for each rank: {seed: {step: text}}
    end: str  # "done", "crash: ..." or "hang"
    output: str
    seconds: float
    backtraces: str = ""
    deferred: int = 0
    stripped: int = 0
    aside: str = ""

    def last(self):
        """The (seed, step) at which the ranks that got least far stopped."""
        places = []
        for log in self.logs:
            seed = list(log)[-1] if log else None
            places.append((seed, list(log[seed])[-1] if seed is not None and log[seed] else None))
        return min(places, key=lambda p: (p[0] is not None, p[0] or 0), default=(None, None))


def parse_log(path):
    programs, seed, step = {}, None, None
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "P":
            seed, step = int(rest), "start"
            programs[seed] = {}
        elif seed is None:
            continue
        elif kind == "S":
            step = rest.split()[0]
        elif kind == "F":
            step = "final"
        elif kind == "E":
            step = "end"
        elif kind == "Z":
            programs[seed]["counters"] = rest
            continue
        programs[seed][step] = programs[seed].get(step, "") + line + "\n"
    return programs


class Launcher:
    def __init__(self, build, stall=25.0):
        self.build = pathlib.Path(build)
        self.stall = stall
        self.scratch_root = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def interpreter(self, mpi):
        return self.build / "libexec" / "lapwing" / mpi / "fuzz_interpreter"

    def preload(self):
        return self.build / "lib" / "liblapwing-preload.so"

    def run(self, case, lapwing=None):
        """Runs a case, with Lapwing if its variables are given."""
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-fuzz-", dir=self.scratch_root))
        try:
            return self._run(case, lapwing, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _run(self, case, lapwing, scratch):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPWING_") and k != "LD_PRELOAD"}
        environment.update(QUIET)
        # Two ranks have the cores; to yield would starve them where other programs run.
        environment["OMPI_MCA_mpi_yield_when_idle"] = "1" if case.ranks > 2 or case.threads else "0"
        environment.update(case.transport)
        if lapwing is not None:
            environment.update(lapwing)
            environment["LD_PRELOAD"] = str(self.preload())
            environment["LAPWING_TESTING"] = "1"
            environment["LAPWING_REPORT"] = str(scratch / "report.jsonl")
        command = [*MPIEXEC[case.mpi], "-n", str(case.ranks), str(self.interpreter(case.mpi)), "--seed", str(case.seed),
                   "--programs", str(case.programs), "--log", str(scratch / "log"), "--dir", str(scratch)]
        if case.threads:
            command.append("--threads")
        if case.one_sided:
            command.append("--one-sided")
        if case.steps:
            command += ["--steps", ",".join(map(str, case.steps))]
        began = time.monotonic()
        with open(scratch / "output", "wb") as output:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                end, backtraces = self._watch(process, scratch)
            finally:  # also when this process is asked to end
                if process.returncode is None:
                    self._kill(process, scratch)
        logs = [parse_log(scratch / f"log.{rank}") for rank in range(case.ranks)]
        if end == "done" and any("end" not in log.get(case.seed + case.programs - 1, {}) for log in logs):
            end = "crash: a rank ended early with status 0"
        text = (scratch / "output").read_text(errors="replace")
        outcome = Outcome(logs, end, text[-6000:], time.monotonic() - began, backtraces)
        for log in logs:
            for steps in log.values():
                deferred, strips = map(int, steps.pop("counters", "0 0").split())
                outcome.deferred += deferred
                outcome.stripped += strips
        self._read_report(scratch / "report.jsonl", outcome)
        return outcome

    def _watch(self, process, scratch):
        size, quiet, last = -1, 0.0, time.monotonic()
        # Not reaped before its group is gone: until then its number can be nobody else's.
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.05)
            # Time in which this process did not run either, since the whole job was suspended, does not count.
            quiet += min(time.monotonic() - last, 1.0)
            last = time.monotonic()
            now = sum(f.stat().st_size for f in scratch.glob("log.*"))
            if now != size:
                size, quiet = now, 0.0
            elif quiet > self.stall:
                return "hang", self._backtraces(scratch)
        self._kill(process, scratch)
        return ("done" if process.returncode == 0 else f"crash: mpiexec returned {process.returncode}"), ""

    @staticmethod
    def _ranks(scratch):
        """The ranks' own processes, known by the scratch directory in their arguments."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if arguments[0].endswith(b"fuzz_interpreter") and str(scratch / "log").encode() in arguments:
                found.append(int(entry.name))
        return sorted(found)

    def _backtraces(self, scratch):
        text = ""
        for pid in self._ranks(scratch):
            try:
                seen = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all bt 25"],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=40, check=False)
                kept = [l for l in seen.stdout.splitlines() if l.startswith(("#", "Thread"))]
                text += f"== process {pid}\n" + "\n".join(kept) + "\n"
            except (OSError, subprocess.TimeoutExpired) as error:
                text += f"== process {pid}: no backtrace: {error}\n"
        return text

    def _kill(self, process, scratch):
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        for pid in self._ranks(scratch):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        process.wait()

    @staticmethod
    def _read_report(path, outcome):
        """Why Lapwing stood aside, if it did."""
        try:
            lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        except (OSError, ValueError):
            return
        for line in lines:
            outcome.aside = outcome.aside or line.get("standing_aside", "")
