# SPDX-License-Identifier: Apache-2.0
"""Runs one job of a program that may hang, and gives what it printed and how it ended."""
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time

from .places import BEFORE_OTHERS

_TERMINAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "terminal.py")
_AFTER_TIME = 3   # seconds that MPI may take to end a job once the program has stated its time


class Outcome:
    """lines of stdout and stderr, the exit status, hung: the job did not end by itself."""

    def __init__(self, lines, status, hung):
        self.lines, self.status, self.hung = lines, status, hung


def launch(place, mpi, argv, env, ranks, limit, complete, cwd=None, first=False):
    """Runs a job for at most `limit` seconds; `complete(lines)` says whether all that matters has been printed.
    first: its ranks go before the machine's other work (needs root)."""
    words = [*(BEFORE_OTHERS if first else ()), sys.executable, "-I", "-S", _TERMINAL, *(f"{k}={v}" for k, v in env.items()), *argv]
    command, extra = place.command(mpi, words, {}, ranks, cwd)
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    environment.update(extra)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=environment, start_new_session=True, cwd=cwd)
    try:
        lines, hung = _read(process, limit, complete)
        status = process.wait() if not hung else None
    finally:
        _end(process)
        process.stdout.close()
    return Outcome(lines, status, hung)


def _read(process, limit, complete):
    end, text, said = time.monotonic() + limit, b"", False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = end - time.monotonic()
            if left <= 0 or not selector.select(left):
                return _lines(text), True
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                break
            text += piece
            if not said and complete(_lines(text)):
                said, end = True, min(end, time.monotonic() + _AFTER_TIME)
    try:
        process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return _lines(text), True
    return _lines(text), False


def _lines(text):
    return text.decode(errors="replace").splitlines()


def _end(process):
    """Ends what is left of a job: politely, so that the launcher ends its ranks, then not."""
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 3)):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def prepare_folder(folder, files):
    """An empty folder for a run, with copies of the files that it reads."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for file in files:
        shutil.copy(file, folder)
