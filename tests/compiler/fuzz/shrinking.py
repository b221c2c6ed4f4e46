# SPDX-License-Identifier: Apache-2.0
"""Makes a failing program small: leaves out scenes, then groups of statements, for as long as the
difference stays."""
import time

TRIES, SECONDS = 2, 180


def fails(fuzzer, case, program, dropped, scenes):
    files = program.files(dropped, scenes)
    difference, plain, _ = fuzzer.attempt(case, files, files, again=TRIES)
    if not difference or difference.startswith(("without the pass", "cannot build (off)")) or plain and plain.end == "hang":
        return None
    return difference


def shrink(fuzzer, case, program, difference):
    """(files, difference, note)"""
    if difference.startswith(("without the pass", "cannot build (off)")):
        return program.files(), difference, "fails without the pass"
    until = time.monotonic() + SECONDS
    scenes, dropped = program.scene_numbers(), set()
    if not fails(fuzzer, case, program, dropped, scenes):
        return program.files(), difference, "not seen again: it fails at times"
    for scene in list(scenes):
        rest = [s for s in scenes if s != scene]
        if rest and time.monotonic() < until and fails(fuzzer, case, program, dropped, rest):
            scenes = rest
    import tree
    left = [g for s, body in program.whole.items() if s.number in scenes for g in tree.groups(body)]
    chunk = max(1, len(left) // 2)
    while time.monotonic() < until:
        removed = False
        for start in range(0, len(left), chunk):
            part = left[start:start + chunk]
            if time.monotonic() > until:
                break
            seen = fails(fuzzer, case, program, dropped | set(part), scenes)
            if seen:
                dropped |= set(part)
                left = [g for g in left if g not in part]
                difference, removed = seen, True
                break
        if not removed:
            if chunk == 1:
                break
            chunk = max(1, chunk // 2)
    return program.files(dropped, scenes), difference, f"shrunk to {len(scenes)} scenes, {len(left)} groups"
