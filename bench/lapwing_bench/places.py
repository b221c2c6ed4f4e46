# SPDX-License-Identifier: Apache-2.0
"""Where a benchmark runs: on two emulated hosts, or on this machine through shared memory."""
import os
import signal
import subprocess
import sys

from .errors import BenchError

# What makes each MPI carry large messages in order and at full speed over TCP, and at its
# best through shared memory. The defaults are measured as they are.
BEST = {
    "mpich": {"UCX_RNDV_THRESH": "inf"},
    "openmpi": {"OMPI_MCA_btl_tcp_eager_limit": "1048576", "OMPI_MCA_btl_tcp_rndv_eager_limit": "1048576",
                "OMPI_MCA_btl_tcp_max_send_size": "1048576"},
}


# Lets a rank go before the other work of the machine, its session (which is the job's own) included. Each rank
# starts on a core of its own, or two of them may share one for good; afterwards it may go where it likes.
BEFORE_OTHERS = ["sh", "-c", """
renice -n -20 -p $$ >/dev/null
[ ! -e /proc/self/autogroup ] || echo -20 > /proc/self/autogroup
cores=$(nproc) rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
taskset -cp $((rank % cores)) $$ >/dev/null
(sleep 0.3; taskset -acp 0-$((cores - 1)) $$) </dev/null >/dev/null 2>&1 &
exec "$@"
""", "sh"]


def import_netlab(here):
    """The netlab package: installed beside the driver, or in the source tree above it."""
    folder, parents = os.path.dirname(os.path.realpath(here)), []
    while folder not in parents:
        parents += [folder]
        folder = os.path.dirname(folder)
    for parent in [p for folder in parents for p in (folder, os.path.join(folder, "tools"))]:
        if os.path.isfile(os.path.join(parent, "netlab", "lab.py")):
            sys.path.insert(0, parent)
            import netlab.errors
            import netlab.lab
            return netlab.lab.Lab, netlab.errors.NetlabError
    return None, None


class Local:
    """This machine's own transport."""

    rate = None

    def __init__(self, best):
        self.transport = "shm-best" if best else "shm"
        self._best = best

    def __enter__(self):
        return self

    def __exit__(self, *_what):
        pass

    def command(self, mpi, argv, env, ranks=2, cwd=None):   # of this process, whatever cwd says
        launcher = ["mpiexec." + mpi]
        told = dict(env)
        if mpi == "openmpi":
            launcher += ["--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]
        if self._best:
            told = {**BEST[mpi], **told}
        before = {k: v for k, v in told.items() if k.startswith("OMPI_MCA_")}
        words = [f"{k}={v}" for k, v in told.items() if k not in before]
        return launcher + ["-n", str(ranks)] + (["env"] + words if words else []) + argv, before


class TwoHosts:
    """A lab of hosts, two unless told otherwise."""

    def __init__(self, lab_class, rate, pin, best, hosts=2, per_host=1):
        self._wishes = lab_class, rate, pin, best
        self._lab = lab_class(hosts=hosts, rate=rate, pin=pin, ranks_per_host=per_host)
        self._best = best
        self.rate = rate
        self.transport = "netlab-tcp-best" if best else "netlab-tcp"

    def of(self, hosts, per_host):
        """The same with other hosts."""
        return TwoHosts(*self._wishes, hosts, per_host)

    def __enter__(self):
        self._lab.start()
        return self

    def __exit__(self, *_what):
        self._lab.stop()

    def command(self, mpi, argv, env, ranks=2, cwd=None):
        told = {**BEST[mpi], **env} if self._best else dict(env)
        return self._lab.command(mpi, ranks, argv, env=told, cwd=cwd), {}


def choose(options, here):
    """The places that the options ask for: shared memory, with a word about it, where there can be no lab. A
    second one, a lab with unlimited links, is for what takes too little time to show behind a slow link."""
    best = options.transport == "best"
    if options.local:
        return [Local(best)]
    lab_class, lab_error = import_netlab(here)
    if lab_class is None:
        print("bench: netlab is not installed beside the driver; running on shared memory.", file=sys.stderr)
        return [Local(best)]
    try:
        with TwoHosts(lab_class, options.rate, options.pin, best):
            pass
    except lab_error as error:
        print(f"bench: no emulated hosts here, running on shared memory. {error}", file=sys.stderr)
        return [Local(best)]
    return [TwoHosts(lab_class, options.rate, options.pin, best), TwoHosts(lab_class, "none", options.pin, best)]


def run(place, mpi, argv, env, timeout, each_line=None, ranks=2, errors=None, first=False, last_line=None):
    """Runs a job and returns its lines of stdout; each_line sees each at once. Its stderr passes through, or
    goes to the file `errors`. first: the ranks go before the machine's other work (needs root). last_line: once
    the job has said what begins so, all is measured: should MPI not end it within 10 s, it is ended, and that is said."""
    command, extra = place.command(mpi, BEFORE_OTHERS + argv if first else argv, env, ranks)
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    environment.update(extra)
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment,
                                   start_new_session=True)
    except FileNotFoundError:
        raise BenchError(f"{command[0]} is not installed; choose the other MPI with --mpi.") from None
    lines, measured = [], False
    previous = signal.signal(signal.SIGALRM, lambda *_: _end(process))
    signal.alarm(int(timeout))
    try:
        for line in process.stdout:
            lines.append(line)
            if last_line and line.startswith(last_line):
                measured = True
                signal.alarm(10)
            if each_line:
                each_line(line)
        status = process.wait()
    except BaseException:
        _end(process)
        process.wait()
        raise
    finally:
        left = signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    if measured and status != 0 and left == 0:
        print(f"bench: {mpi} over {place.transport} did not end its job after the last figure; it was ended.", file=sys.stderr)
    elif status != 0:
        why = f"did not end within {timeout:.0f} s" if left == 0 else f"ended with status {status}"
        raise BenchError(f"{' '.join(argv)} under {mpi} over {place.transport} {why}.")
    return lines


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
