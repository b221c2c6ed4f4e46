# SPDX-License-Identifier: Apache-2.0
"""Lab: a cluster of namespaces, from outside. It lasts as long as the `with` block or its process."""
import dataclasses
import json
import os
import shlex
import signal
import subprocess
import sys

from . import launch, registry
from .errors import NetlabError
from .inside import KEEP
from .spec import LabSpec

# Where ip and tc are is not on every user's PATH.
_SYSTEM_PATH = ":/usr/sbin:/sbin"
_FOLDER = os.path.dirname(os.path.realpath(__file__))
_SCRIPT = os.path.join(_FOLDER, "netlab")
_ENTER = os.path.join(_FOLDER, "enter.py")


def _without_preload(environment):
    return {key: value for key, value in environment.items() if key != "LD_PRELOAD"}


class Lab:
    """with Lab(hosts=2, rate="1gbit") as lab: lab.mpiexec("mpich", 2, ["./program"])"""

    def __init__(self, **wishes):
        self.spec = LabSpec(**wishes)
        self.spec.check()
        self.host_pids = []
        self.own_user = False
        self._first = 0            # the lab's first process, as seen from here; 0: we are in the lab
        self._keeper = None
        self._lifeline = None

    # -- making and removing ------------------------------------------------------------------------

    def start(self, keep=False):
        """Makes the lab. keep: it outlives this process, until `netlab down`."""
        registry.clean()
        self.spec.name = self.spec.name or registry.new_name()
        registry.reserve(self.spec.name)
        ready, ready_child = os.pipe()
        lifeline_child, self._lifeline = os.pipe()
        environment = _without_preload(os.environ)
        environment["PATH"] = environment.get("PATH", "/usr/bin:/bin") + _SYSTEM_PATH
        try:
            self._keeper = subprocess.Popen(
                [sys.executable, _SCRIPT, "_keep", json.dumps(dataclasses.asdict(self.spec)),
                 registry.mount_point(self.spec.name), str(ready_child), str(lifeline_child)],
                pass_fds=(ready_child, lifeline_child), env=environment, start_new_session=True, cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL if keep else None)
            for descriptor in (ready_child, lifeline_child):
                os.close(descriptor)
            registry.write(self.spec.name, self._record())
            self._await(ready)
            registry.write(self.spec.name, self._record())
            if keep:
                os.write(self._lifeline, KEEP)
        except BaseException:
            self.stop()
            raise
        finally:
            os.close(ready)
        return self

    def _await(self, ready):
        told = {}
        with os.fdopen(os.dup(ready), "r") as channel:
            while not ("first" in told and "hosts" in told):
                line = channel.readline()
                if not line:
                    raise NetlabError("The lab's first process ended while the lab was being set up.")
                told.update(json.loads(line))
                if "error" in told:
                    raise NetlabError(told["error"])
        self._first, self.host_pids, self.own_user = told["first"], told["hosts"], told["own_user"]

    def _record(self):
        return dict(dataclasses.asdict(self.spec), keeper=self._keeper.pid, first=self._first,
                    host_pids=self.host_pids, own_user=self.own_user)

    def stop(self):
        """Ends every process of the lab and removes all of it."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        if self._keeper is not None:
            try:
                self._keeper.send_signal(signal.SIGTERM)
                self._keeper.send_signal(signal.SIGCONT)   # were it stopped, it would not hear
                self._keeper.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._keeper.kill()
                self._keeper.wait()
            self._keeper = None
        registry.forget(self.spec.name)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_what):
        self.stop()

    # -- labs that exist already --------------------------------------------------------------------

    @classmethod
    def attach(cls, name):
        """A kept lab, by name; it stays when this object goes."""
        record = registry.read(name)
        if not record or not record.get("first"):
            known = ", ".join(r["name"] for r in registry.alive()) or "none"
            raise NetlabError(f"There is no lab named {name} (there are: {known}).")
        return cls._from_record(record)

    @classmethod
    def current(cls):
        """The lab that this process runs in (under `netlab with`), or None."""
        text = os.environ.get("NETLAB_LAB")
        if not text or not os.path.exists(os.path.join(json.loads(text)["place"], "enter")):
            return None
        record = json.loads(text)
        lab = cls._from_record(dict(record, first=0))
        lab._place = record["place"]
        return lab

    @classmethod
    def _from_record(cls, record):
        fields = {field.name for field in dataclasses.fields(LabSpec)}
        lab = cls(**{key: value for key, value in record.items() if key in fields})
        lab._first, lab.host_pids, lab.own_user = record["first"], record["host_pids"], record["own_user"]
        return lab

    @staticmethod
    def remove(name):
        """Removes a kept lab."""
        record = registry.read(name)
        if not record:
            raise NetlabError(f"There is no lab named {name}.")
        os.kill(record["keeper"], signal.SIGTERM)
        os.kill(record["keeper"], signal.SIGCONT)   # were it stopped, it would not hear

    # -- running things -----------------------------------------------------------------------------

    _place = None

    @property
    def place(self):
        """The lab's own folder; its content is seen only inside."""
        return self._place or registry.mount_point(self.spec.name)

    def inside(self, argv, cwd=None, tied=False):
        """The command line that runs argv in the lab, outside its hosts, from this process.

        tied: argv ends when the thread that starts it does.
        """
        if not self._first:
            return list(argv)
        return [sys.executable, "-S", "-E", "-s", _ENTER, str(int(tied)), str(self._first),
                str(int(self.own_user)), cwd or os.getcwd()] + list(argv)

    def on_host(self, host, argv, cwd=None, tied=False):
        """The command line that runs argv on host 1, 2, ..."""
        return self.inside([os.path.join(self.place, "enter"), str(host)] + list(argv), cwd, tied)

    def _job_env(self, env):
        """The variables for the command line of the ranks: those of the caller, and any LD_PRELOAD."""
        told = {}
        if os.environ.get("LD_PRELOAD"):
            told["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
        told.update(env or {})
        for key, value in launch.transport_defaults(self.spec).items():
            if key not in os.environ and key not in told:
                told[key] = value
        return told

    def command(self, mpi, n, argv, env=None, mpiexec_args=(), cwd=None, tied=False):
        """The whole command line of a job, for a process of the caller's own."""
        extra, told = list(mpiexec_args), {}
        for key, value in self._job_env(env).items():
            if mpi == "openmpi" and key.startswith("OMPI_MCA_"):
                extra += ["--mca", key[len("OMPI_MCA_"):], value]   # it reads these before the ranks exist
            else:
                told[key] = value
        words = launch.prefix(mpi, self.spec, self.place) + launch.job(mpi, n, argv, told, extra)
        return self.inside(words, cwd, tied)

    def popen(self, mpi, n, argv, env=None, mpiexec_args=(), **options):
        """Starts a job; options are those of subprocess.Popen. End it with terminate()."""
        return subprocess.Popen(self.command(mpi, n, argv, env, mpiexec_args, options.get("cwd")),
                                **{"env": _without_preload(os.environ), **options})

    def mpiexec(self, mpi, n, argv, env=None, mpiexec_args=(), **options):
        """Runs a job to its end; options are those of subprocess.run. Returns a CompletedProcess."""
        return subprocess.run(self.command(mpi, n, argv, env, mpiexec_args, options.get("cwd")),
                              **{"env": _without_preload(os.environ), **options})

    def inner_environment(self):
        """For a command in the lab: launchers to which `-n N PROGRAM` can be appended."""
        result = dict(launch.transport_defaults(self.spec))
        result.update(os.environ)
        result["NETLAB_LAB"] = json.dumps(dict(dataclasses.asdict(self.spec), place=self.place,
                                               host_pids=self.host_pids, own_user=self.own_user))
        result["NETLAB_HOSTS"] = ",".join(self.spec.address(h) for h in range(1, self.spec.hosts + 1))
        result["NETLAB_ENTER"] = os.path.join(self.place, "enter")
        for flavour in launch.FLAVOURS:
            try:
                words = launch.prefix(flavour, self.spec, self.place)
            except NetlabError:
                continue   # that MPI is not installed
            result[f"NETLAB_MPIEXEC_{flavour.upper()}"] = shlex.join(words)
        return result
