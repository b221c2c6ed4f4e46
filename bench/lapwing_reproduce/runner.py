# SPDX-License-Identifier: Apache-2.0
"""Runs measurements one after the other, each in a process of its own with a limit of time: one that fails or hangs leaves a
row that says so, and the others go on."""
import datetime
import os
import signal
import subprocess
import sys
import time

from . import machine


def _end(process):
    """The whole group: a measurement has started programs of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue
        time.sleep(0.2)
    process.wait()


def _once(argv, log, limit):
    """(fault or None, seconds)."""
    begin = time.monotonic()
    with open(log, "wb") as stream:
        # Unbuffered: what a measurement says last, its fault, is the last line.
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True,
                                   env={**os.environ, "PYTHONUNBUFFERED": "1"})
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"It did not end within {limit:.0f} s.", time.monotonic() - begin
        except BaseException:
            _end(process)
            raise
    seconds = time.monotonic() - begin
    if status == 0:
        return None, seconds
    with open(log, encoding="utf-8", errors="replace") as stream:
        lines = [line.strip() for line in stream if line.strip()]
    return (lines[-1] if lines else f"It ended with status {status}.")[:500], seconds


def run(measurements, store, command, options, say):
    """`command(name)`: the words that measure one part and save it. Returns the names of those that failed."""
    failed = []
    wanted = [m for m in measurements if options.again or not store.finished(m.name, options.quick)]
    kept = len(measurements) - len(wanted)
    if kept:
        say(f"{kept} of {len(measurements)} parts are there already")
    left = sum(m.seconds[0 if options.quick else 1] for m in wanted)
    os.makedirs(store.folder, exist_ok=True)
    for number, measurement in enumerate(wanted, 1):
        say(f"{number} of {len(wanted)}: {measurement.name}, about {measurement.seconds[0 if options.quick else 1]:.0f} s; "
            f"{left / 60:.1f} min to go")
        log = store.path(measurement.name)[:-len(".json")] + ".log"
        fault, seconds = _once(command(measurement.name), log, options.limit or measurement.limit(options.quick))
        left -= measurement.seconds[0 if options.quick else 1]
        if fault is None and not store.finished(measurement.name, options.quick):
            fault = "It ended without a result."
        if fault is not None:
            failed.append(measurement.name)
            say(f"{measurement.name} failed: {fault}")
            store.save(measurement.name, {"measurement": measurement.name, "fault": fault, "seconds": seconds, **stamp(options.quick)})
        else:
            os.remove(log)
    return failed


def stamp(quick):
    return {"quick": quick, "date": datetime.date.today().isoformat(), "machine": machine.words()}


def measure(measurement, context, store):
    """The work of the process of one measurement."""
    lacking = context.lacks(measurement.needs)
    if lacking:
        print(lacking, file=sys.stderr)
        return 1
    os.makedirs(context.work, exist_ok=True)
    begin = time.monotonic()
    data = measurement.run(context)
    store.save(measurement.name, {"measurement": measurement.name, **stamp(context.quick),
                                  "seconds": time.monotonic() - begin, "data": data})
    return 0
