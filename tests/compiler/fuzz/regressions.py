# SPDX-License-Identifier: Apache-2.0
"""Failures of the past, each a file with its configuration and the text of its program."""
import concurrent.futures
import pathlib
import re

import building

FOLDER = pathlib.Path(__file__).resolve().parent / "regressions"
MARK = "==== "


def without_folders(line):
    """A command without the folders of this machine: the case is kept in the project."""
    return re.sub(r"/[^\s:]*/", "", line)


def write(folder, case, files, difference, note, outcome):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.language.replace('+', 'p')}-{case.mpi}-{case.seed}.case"
    lines = [f"case {case.line()}", f"# {note}", *("# " + without_folders(l) for l in difference.splitlines()[:20])]
    for name, text in files.items():
        lines += [MARK + name, text.rstrip("\n")]
    path.write_text("\n".join(lines) + "\n")
    if outcome:
        path.with_suffix(".said").write_text(outcome.output + "\n" + "\n".join(
            f"{MARK}{name}\n{text[-20000:].decode(errors='replace')}" for name, text in outcome.files.items()))
    return path


def read(path):
    text = path.read_text()
    head, *parts = re.split(rf"^{MARK}", text, flags=re.M)
    case = building.Case.parse(head.splitlines()[0])
    return case, {p.split("\n", 1)[0]: p.split("\n", 1)[1] for p in parts}


def possible(case, options):
    return options.mpi in ("any", case.mpi) and case.mpi in building.MPIS and (case.language != "fortran" or building.FORTRAN)


def run(fuzzer):
    known = [(path.name, *read(path)) for path in sorted(FOLDER.glob("*.case"))]
    known = [(name, case, files) for name, case, files in known if possible(case, fuzzer.options)]
    with concurrent.futures.ThreadPoolExecutor(fuzzer.options.jobs) as pool:
        ends = list(pool.map(lambda one: fuzzer.attempt(one[1], one[2], one[2], again=2), known))
    failed = [(name, difference) for (name, _, _), (difference, _, _) in zip(known, ends) if difference]
    for name, difference in failed:
        print(f"again: {name}: {difference}", flush=True)
    print(f"{len(known)} cases of the past, {len(failed)} failures")
    return 1 if failed else 0
