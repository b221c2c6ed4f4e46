# SPDX-License-Identifier: Apache-2.0
"""Priorities: a forecast, each state of which follows from the one before, and a statistic of each state. All that is still
to come waits for the next step of the forecast, and nothing for a statistic; so steps have the higher priority, and
statistics fill what they leave idle.

    python3 forecast.py [STATES [CELLS]]                 on threads
    mpiexec -n 2 python3 forecast.py [STATES [CELLS]]    on ranks
"""
import sys
import time

import numpy as np
from lapwing import tasks


def following(now):
    return 0.5 * now + 0.25 * (np.roll(now, 1) + np.roll(now, -1)) + 0.01 * np.sin(now)


@tasks.task(reads="now", writes=("after", "when"))
def step(now, after, when):
    when[...] = time.time()
    after[...] = following(now)


@tasks.task(reads="state", writes=("seen", "when"))
def statistic(state, seen, when):
    when[...] = time.time()
    seen[...] = state.mean(), state.var()


def program(states, cells):
    first = np.arange(cells) ** 2 % 101.0
    state = tasks.shared(first, "state")
    seen, looked = [], []
    for _ in range(states):
        before, state, began = state, tasks.shared(np.zeros(cells), "state"), tasks.shared(0.0)
        step.options(priority=1)(before, state, began)
        seen.append(tasks.shared(np.zeros(2), "statistic"))
        looked.append(tasks.shared(0.0))
        statistic(state, seen[-1], looked[-1])

    same, last = True, float(began.read())
    for one in seen:
        first = following(first)
        same = same and tuple(one.read()) == (first.mean(), first.var())
    early = sum(float(when.read()) < last for when in looked)
    print(f"forecast: {states} states on {tasks.workers()} workers, {early} statistics before the last step: "
          + ("as the serial program" if same else "NOT AS THE SERIAL PROGRAM"))
    if not same:
        raise RuntimeError("a wrong statistic")


def main():
    try:
        states, cells = (int(text) for text in (sys.argv[1:] + ["20", "20000"][len(sys.argv) - 1:])[:2])
    except ValueError:
        states, cells = 0, 0
    if states < 1 or cells < 1:
        sys.exit("usage: forecast.py [STATES [CELLS]], at least one of each")
    tasks.run(lambda: program(states, cells))


if __name__ == "__main__":
    main()
