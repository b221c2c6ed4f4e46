# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

from . import launch, registry
from .check import check
from .errors import NetlabError
from .lab import Lab

OWN_FAILURE = 125   # netlab itself failed; every other status is the program's


class Stopped(BaseException):
    """A signal asked netlab to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def _on_signal(number, _frame):
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)   # one is enough: what follows is the removal
    raise Stopped(number)


def _add_lab_options(parser):
    parser.add_argument("--hosts", type=int, metavar="N", help="how many hosts (2)")
    parser.add_argument("--rate", help="of each host's link, each way, as tc writes it (1gbit); or none")
    parser.add_argument("--latency", help="added one way, such as 50us; needs a kernel with netem")
    parser.add_argument("--burst", help="size of the limiter's bucket (128kb)")
    parser.add_argument("--ranks-per-host", type=int, metavar="K", help="ranks on a host before the next (1)")
    parser.add_argument("--pin", action="store_true", default=None, help="host i runs on core i mod cores only")


def _parser():
    parser = argparse.ArgumentParser(prog="netlab", description="A small cluster on one machine: "
                                     "hosts are network namespaces, their links are limited.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run an MPI program on a lab of its own, or on a kept one")
    _add_lab_options(run)
    run.add_argument("--lab", metavar="NAME", help="use a lab that `netlab up` made")
    run.add_argument("--mpi", default="auto", choices=("auto",) + launch.FLAVOURS)
    run.add_argument("-n", "--ranks", type=int, default=0, metavar="RANKS", help="default: fills the hosts")
    run.add_argument("--env", action="append", default=[], metavar="K=V", help="for the ranks; may be repeated")
    run.add_argument("--mpiexec-arg", action="append", default=[], metavar="ARG", help="handed to mpiexec as it is")
    run.add_argument("--json", action="store_true", help="after the program's output, one line about the run")
    within = commands.add_parser("with", help="run any command in a lab; it starts many jobs there")
    _add_lab_options(within)
    up = commands.add_parser("up", help="make a lab that stays, and print its name")
    _add_lab_options(up)
    up.add_argument("--name", default="")
    commands.add_parser("down", help="remove a kept lab").add_argument("name")
    for name, text in (("exec", "run a command on a host of a kept lab"), ("shell", "a shell on such a host")):
        sub = commands.add_parser(name, help=text)
        sub.add_argument("name")
        sub.add_argument("--host", type=int, default=1, help="1, 2, ...; 0: in the lab, outside its hosts")
    commands.add_parser("list", help="the labs that exist").add_argument("--json", action="store_true")
    commands.add_parser("clean", help="remove what killed labs left behind")
    checking = commands.add_parser("check", help="say what this machine can do")
    checking.add_argument("--need", action="append", default=[], choices=("latency",) + launch.FLAVOURS,
                          help="fail unless this is there too")
    checking.add_argument("--json", action="store_true")
    return parser


_LAB_OPTIONS = ("hosts", "rate", "latency", "burst", "ranks_per_host", "pin")


def _wishes(options):
    """The lab options that were given."""
    return {name: getattr(options, name) for name in _LAB_OPTIONS if getattr(options, name) is not None}


def _borrowed(options):
    """The kept lab that was named, or the one that this process runs in, or None."""
    lab = Lab.attach(options.lab) if options.lab else Lab.current()
    given = ["--" + name.replace("_", "-") for name in _wishes(options)]
    if lab and given:
        raise NetlabError(f"{given[0]} cannot be used here: the lab {lab.spec.name} exists already; "
                          "give such options to the `netlab up` or `netlab with` that makes it.")
    return lab


def _pairs(words):
    for word in words:
        if "=" not in word or word.startswith("="):
            raise NetlabError(f"--env {word}: write NAME=VALUE.")
    return dict(word.split("=", 1) for word in words)


def _wait(words, environment=None):
    """Runs a command to its end and gives its status as a shell would. It is told to end if netlab is."""
    environment = dict(environment or {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    process = subprocess.Popen(words, env=environment)
    try:
        status = process.wait()
    except BaseException:
        process.terminate()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
        raise
    return status if status >= 0 else 128 - status


def _run(options, program):
    flavour = options.mpi if options.mpi != "auto" else launch.find_flavour(program)
    if not program:
        raise NetlabError("No program was given; write it after '--'.")
    launch.find_mpiexec(flavour)
    env = _pairs(options.env)
    borrowed = _borrowed(options)
    lab = borrowed or Lab(**_wishes(options)).start()
    try:
        ranks = options.ranks or lab.spec.hosts * lab.spec.ranks_per_host
        begin = time.monotonic()
        status = _wait(lab.command(flavour, ranks, program, env, options.mpiexec_arg, tied=True))
        wall = time.monotonic() - begin
    finally:
        if not borrowed:
            lab.stop()
    if options.json:
        print(json.dumps({"netlab": lab.spec.name, "mpi": flavour, "ranks": ranks, "hosts": lab.spec.hosts,
                          "rate": lab.spec.rate, "latency": lab.spec.latency, "status": status,
                          "wall_s": round(wall, 6)}), flush=True)
    return status


def _with(options, program):
    if not program:
        raise NetlabError("No command was given; write it after '--'.")
    with Lab(**_wishes(options)) as lab:
        return _wait(lab.inside(program, tied=True), lab.inner_environment())


def _exec(options, program):
    lab = Lab.attach(options.name)
    if options.command == "shell":
        program = program or [os.environ.get("SHELL", "/bin/sh")]
    if not program:
        raise NetlabError("No command was given; write it after '--'.")
    if not 0 <= options.host <= lab.spec.hosts:
        raise NetlabError(f"--host {options.host}: lab {options.name} has hosts 1 to {lab.spec.hosts}.")
    words = lab.on_host(options.host, program, tied=True) if options.host else lab.inside(program, tied=True)
    return _wait(words, lab.inner_environment())


def _up(options):
    lab = Lab(name=options.name, **_wishes(options)).start(keep=True)
    print(lab.spec.name)
    return 0


def _down(options):
    Lab.remove(options.name)
    for _ in range(1000):
        if registry.read(options.name) is None:
            registry.forget(options.name)
            return 0
        time.sleep(0.01)
    raise NetlabError(f"Lab {options.name} did not end within ten seconds.")


def _list(options):
    for record in registry.alive():
        if options.json:
            print(json.dumps(record))
        else:
            print(f"{record['name']}  {record.get('hosts', '?')} hosts  {record.get('rate', '?')}"
                  f"  keeper {record['keeper']}")
    return 0


def _clean():
    for name in registry.clean():
        print(f"removed what was left of lab {name}")
    return 0


def _do(options, program):
    command = options.command
    if command in ("exec", "shell"):
        return _exec(options, program)
    if command in ("run", "with"):
        return (_run if command == "run" else _with)(options, program)
    if program:
        raise NetlabError(f"netlab {command} takes no command after '--'.")
    if command == "check":
        return check(options.need, options.json)
    return {"up": _up, "down": _down, "list": _list}[command](options) if command != "clean" else _clean()


def main(arguments):
    if arguments[:1] == ["_keep"]:
        from .inside import keep
        return keep(arguments[1:])
    own, program = arguments, []
    if "--" in arguments:
        cut = arguments.index("--")
        own, program = arguments[:cut], arguments[cut + 1:]
    options = _parser().parse_args(own)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _on_signal)
    try:
        return _do(options, program)
    except NetlabError as error:
        print(f"netlab: {error}", file=sys.stderr)
        return OWN_FAILURE
    except Stopped as stopped:   # end as the signal would have ended us, so that a shell's loop ends too
        sys.stdout.flush()
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)
        return 128 + stopped.number
