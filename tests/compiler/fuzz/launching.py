# SPDX-License-Identifier: Apache-2.0
"""Runs a built program in a folder of its own and keeps everything that it left there."""
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

MPIEXEC = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--bind-to", "none"]}
EVERYWHERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_warn_on_fork": "0",
    "OMPI_MCA_btl_base_warn_component_unused": "0", "OMPI_MCA_mpi_yield_when_idle": "1",
}
# So that even small sends read their buffer late.
SMALL_EAGER = {"mpich": {"UCX_RNDV_THRESH": "1024"}, "openmpi": {"OMPI_MCA_btl_vader_eager_limit": "512"}}
# Everything that is proved is deferred, whatever its size, though one node may not pay for it.
LAPWING = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}

# Of a program that is only preloaded, which has no more than its messages deferred: small thresholds and strips.
PRELOADED = [
    {},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "16K", "LAPWING_STRIP_FIRST": "4K", "LAPWING_STRIP_MAX": "16K"},
    {"LAPWING_THRESHOLD_GUARD": "9K", "LAPWING_THRESHOLD_STRIP": "9K", "LAPWING_STRIP_FIRST": "8K", "LAPWING_WINDOW": "16K"},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_STAGING": "64K", "LAPWING_DIRECTION": "down"},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_STRIP_FIRST": "64K", "LAPWING_STRIP_MAX": "64K", "LAPWING_DIRECTION": "up"},
]


def preloaded(seed):
    rng = random.Random(f"preload {seed}")
    return {**rng.choice(PRELOADED), "LAPWING_GUARD": rng.choice(["userfaultfd", "mprotect"])}


@dataclasses.dataclass
class Outcome:
    end: str  # "code N" or "hang"
    files: dict
    output: str
    seconds: float


class Launcher:
    def __init__(self, options, builder):
        self.options, self.builder = options, builder

    def environment(self, case, on):
        settings = {k: v for k, v in os.environ.items() if not k.startswith("LAPWING_") and k != "LD_PRELOAD"}
        settings.update(EVERYWHERE)
        settings["FUZZ_SEED"] = str(case.seed)
        if case.small_eager:
            settings.update(SMALL_EAGER[case.mpi])
        if not on:
            return settings, []
        preloads = []
        linked = self.builder.how != "control"
        if linked:
            settings.update(LAPWING)
            settings.update(preloaded(case.seed) if self.builder.how == "preload" else {})
            if case.seed % 3 == 0:  # loops that look at their lists end that soon
                settings["LAPWING_FAULT"] = "brief_looks"
            settings.update(pair.split("=", 1) for pair in self.options.set)
            preload = self.builder.build.resolve() / "lib" / "liblapwing-preload.so"
            if case.preload and preload.exists():
                preloads.append(str(preload))
        if not preloads:
            settings["STRICT_LEAKS"] = "1"
        if case.strict:
            preloads.append(self.builder.strict(case.mpi, not linked))
        return settings, preloads

    def run(self, case, program, where, on):
        where = pathlib.Path(where)
        where.mkdir()
        settings, preloads = self.environment(case, on)
        # Launchers that begin and end at once trip over the folder that they share.
        session = where.with_suffix(".session")
        session.mkdir()
        settings["OMPI_MCA_orte_tmpdir_base"] = str(session)
        command = [*MPIEXEC[case.mpi], "-n", str(case.ranks)]
        # The programs alone, and not mpiexec, run under what is preloaded.
        command += ["env", "LD_PRELOAD=" + ":".join(preloads)] if preloads else []
        command.append(str(program))
        began = time.monotonic()
        with open(where.with_suffix(".said"), "wb") as said, \
                subprocess.Popen(command, cwd=where, env=settings, stdin=subprocess.DEVNULL, stdout=said,
                                 stderr=subprocess.STDOUT, start_new_session=True) as process:
            end = self.wait(process)
            if end == "hang":
                self.kill(process, program)
        shutil.rmtree(session, ignore_errors=True)
        files = {p.name: p.read_bytes() for p in sorted(where.iterdir()) if p.is_file() and not p.name.startswith("core")}
        said = where.with_suffix(".said").read_text(errors="replace")
        return Outcome(end, files, said[-6000:], time.monotonic() - began)

    def wait(self, process):
        """In short turns: time in which all of the machine's jobs stood still is none that the program took."""
        turn = 0.5
        for _ in range(int(self.options.limit / turn) + 1):
            try:
                return f"code {process.wait(timeout=turn)}"
            except subprocess.TimeoutExpired:
                continue
        return "hang"

    @staticmethod
    def kill(process, program):
        """Ends mpiexec and the ranks, which are known by the path of their program."""
        os.killpg(process.pid, signal.SIGKILL)
        wanted = str(program).encode()
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if wanted in (entry / "cmdline").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue
