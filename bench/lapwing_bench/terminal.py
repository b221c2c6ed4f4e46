# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a terminal of its own: terminal.py [NAME=VALUE...] PROGRAM ARGUMENTS...

A program that writes into a pipe keeps its last lines to itself until it ends, and may then hang in MPI_Finalize with
them; on a terminal it writes each line at once, in C, C++ and Fortran alike. All variants are run so."""
import os
import signal
import sys


def main(words):
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        os.environ[name] = value
    child, terminal = os.forkpty()
    if child == 0:
        try:
            os.execvp(words[0], words)
        except OSError as error:
            print(f"{words[0]}: {error.strerror}", flush=True)
            os._exit(127)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: os.kill(child, signal.SIGKILL))
    while True:
        try:
            text = os.read(terminal, 1 << 16)
        except OSError:   # the program has ended
            break
        if not text:
            break
        while text:
            text = text[os.write(1, text):]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


sys.exit(main(sys.argv[1:]))
