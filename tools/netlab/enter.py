# SPDX-License-Identifier: Apache-2.0
"""Runs a command inside a lab, from outside: enter.py TIED FIRST USER CWD COMMAND...

TIED: 1 if the command is to end when whoever started this ends. FIRST: the lab's first process. USER: 1 if
the lab has a user namespace. This stays outside as the command's parent until the command has ended, and
passes signals on. That is why nsenter is not used: killed by a signal it leaves its child to the machine's
init, and the lab cannot go until that init, which may be slow or absent, has collected it.
"""
import os
import resource
import signal
import sys

import kernel

_SI_KERNEL = 128
_PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}


def _enter(first, own_user):
    kinds = [("user", kernel.CLONE_NEWUSER)] if own_user else []
    kinds += [("ipc", kernel.CLONE_NEWIPC), ("uts", kernel.CLONE_NEWUTS), ("net", kernel.CLONE_NEWNET),
              ("pid", kernel.CLONE_NEWPID), ("mnt", kernel.CLONE_NEWNS)]
    doors = [(os.open(f"/proc/{first}/ns/{name}", os.O_RDONLY), flag) for name, flag in kinds]
    for door, flag in doors:
        kernel.setns(door, flag)
        os.close(door)


def _become(words, cwd):
    try:
        kernel.die_with_parent(signal.SIGTERM)
        os.chdir(cwd)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON | {signal.SIGCHLD})
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):   # Python's own dispositions
            signal.signal(number, signal.SIG_DFL)
        os.execvp(words[0], words)
    except OSError as error:
        print(f"netlab: cannot run {words[0]} in the lab: {error}", file=sys.stderr, flush=True)
        os._exit(126 if isinstance(error, PermissionError) else 127)


def _attend(child):
    """Passes signals on until the child has ended; its status."""
    while True:
        told = signal.sigwaitinfo(_PASSED_ON | {signal.SIGCHLD})
        if told.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
        elif told.si_code != _SI_KERNEL:   # the terminal has told the child itself already
            os.kill(child, told.si_signo)


def main():
    tied, first, own_user, cwd, words = sys.argv[1] == "1", sys.argv[2], sys.argv[3] == "1", sys.argv[4], sys.argv[5:]
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON | {signal.SIGCHLD})
    try:
        _enter(first, own_user)
    except OSError as error:
        print(f"netlab: cannot enter the lab: {error}. Has it ended?", file=sys.stderr)
        return 125
    if tied:
        kernel.die_with_parent(signal.SIGTERM)
    child = os.fork()
    if child == 0:
        _become(words, cwd)
    status = _attend(child)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)   # end in the same way, but leave no second core file
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    return 128 + number


if __name__ == "__main__":
    sys.exit(main())
