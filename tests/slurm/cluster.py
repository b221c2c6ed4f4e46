# SPDX-License-Identifier: Apache-2.0
"""A Slurm of two nodes on this machine, on its loopback interface, as long as a `with` lasts."""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("srun", "salloc", "scancel", "sinfo")
SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin"
NODES = ("n1", "n2")


def tool(name):
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")


def missing():
    """The parts of Slurm that are not installed here."""
    return [name for name in (*DAEMONS, *COMMANDS) if tool(name) is None]


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def configuration(folder, host, user, ports):
    nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN"
                      for node, port in zip(NODES, ports[1:]))
    return f"""ClusterName=lapwing
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=10000
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=2
WaitTime=5
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""


class Cluster:
    """Daemons in the foreground, children of this process, in a folder that goes with them."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-slurm-", dir="/tmp"))   # short: it holds sockets
        self.daemons = []
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def environment(self, **changes):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("LAPWING", "SLURM", "OMPI_MCA_hwloc", "OMPI_MCA_rmaps")) and k != "LD_PRELOAD"}
        env["SLURM_CONF"] = str(self.folder / "slurm.conf")
        env.update(changes)
        return env

    def daemon(self, name, *words):
        with open(self.folder / f"{name}.log", "wb") as log:
            self.daemons.append(subprocess.Popen([tool(words[0]), *map(str, words[1:])], stdout=log, stderr=log,
                                                 stdin=subprocess.DEVNULL, env=self.environment()))

    def start(self):
        folder = self.folder
        folder.chmod(0o755)
        for name in ("state", *(f"{kind}-{node}" for kind in ("spool", "tmp") for node in NODES)):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (folder / "slurm.conf").write_text(configuration(folder, host, getpass.getuser(), free_ports(3)))
        self.daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                    f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.messages", f"--seed-file={folder}/munge.seed")
        self.until(lambda: (folder / "munge.socket").exists(), "munged opens no socket")
        self.daemon("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.daemon(node, "slurmd", "-D", "-N", node)
        self.until(lambda: self.output("sinfo", "-h", "-o", "%D %t").split() == [str(len(NODES)), "idle"],
                   "the nodes do not become idle")

    def output(self, *words):
        try:
            ran = subprocess.run([tool(words[0]), *words[1:]], capture_output=True, text=True, timeout=10, check=False,
                                 env=self.environment())
        except subprocess.TimeoutExpired:
            return ""
        return ran.stdout

    def until(self, condition, complaint, limit=30):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end or any(one.poll() is not None for one in self.daemons):
                raise RuntimeError(f"{complaint}:\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}"
                         for path in sorted(self.folder.glob("*.log")))

    def plugins(self):
        """What `srun --mpi=` takes here."""
        ran = subprocess.run([tool("srun"), "--mpi=list"], capture_output=True, text=True, timeout=20, check=False,
                             env=self.environment())
        return set((ran.stdout + ran.stderr).split())

    def stop(self):
        if len(self.daemons) > 1:
            self.output("scancel", "-s", "KILL", "--state=RUNNING", "-u", getpass.getuser())
        for one in reversed(self.daemons):
            one.send_signal(signal.SIGTERM)
        for one in reversed(self.daemons):
            try:
                one.wait(timeout=10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self.end_steps()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_steps(self):
        """A step's daemon outlives the node's. Those of this cluster have its configuration in their environment."""
        mine = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if (entry.name.isdigit() and int(entry.name) != os.getpid()
                        and mine in (entry / "environ").read_bytes().split(b"\0")):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                pass
