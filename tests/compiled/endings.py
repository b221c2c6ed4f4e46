#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that call the compiler's run-time interface by hand, built and run.

    endings.py --build DIR --compile COMMAND --flavour NAME ENDING... -- MPIEXEC...

ENDING: outstanding, exit, abort, threads: how a program with transfers in flight
ends; level: which thread level MPI runs at; one: one engine in a process, though
the program was linked with a copy of the library; unused: a program that is
linked and calls nothing of it is left alone.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
UNUSED = """
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) {
  int told = 0, real = 0;
  MPI_Init_thread(&c, &v, MPI_THREAD_FUNNELED, &told);
  PMPI_Query_thread(&real);
  printf("told %d runs at %d\\n", told, real);
  MPI_Finalize();
  return 0;
}
"""
ONE = """
#include <lapwing/compiled.h>
#include <lapwing/lapwing.h>
#include <stdio.h>
#include <string.h>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  lapwing_wait(lapwing_start_send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  char line[4096], first[4096] = "";
  int copies = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    char *path = strchr(line, '/');
    if (!path || !strstr(path, "liblapwing-" FLAVOUR ".so") || strcmp(path, first) == 0) continue;
    strcpy(first, path);
    ++copies;
  }
  printf("copies %d engine %d at %s", copies, lapwing_set_defer(LAPWING_DEFER_ON) >= 0, first);
  MPI_Finalize();
  return 0;
}
"""


class Programs:
    def __init__(self, arguments):
        self.a = arguments
        self.library = pathlib.Path(arguments.build) / "lib"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-endings-"))

    def compile(self, name, source, library=None):
        library = library or self.library
        path = self.folder / name
        if not path.exists():
            subprocess.run([*self.a.compile.split(), "-O1", f'-DFLAVOUR="{self.a.flavour}"', f"-I{HERE.parents[1]}/include",
                            "-o", str(path), str(source), f"-L{library}", f"-llapwing-{self.a.flavour}",
                            f"-Wl,-rpath,{library}", "-lpthread"], check=True)
        return path

    def text(self, name, text, library=None):
        source = self.folder / f"{name}.c"
        source.write_text(text)
        return self.compile(name, source, library)

    def run(self, program, *words, preload=False, **variables):
        inside = ["env", f"LD_PRELOAD={self.library}/liblapwing-preload.so"] if preload else []
        done = subprocess.run([*self.a.mpiexec, "-n", "2", *inside, str(program), *words], capture_output=True,
                              text=True, timeout=30, env={**os.environ, **variables}, check=False)
        return done.returncode, done.stdout + done.stderr


def expect(condition, text):
    if not condition:
        sys.exit(f"endings.py: unexpected:\n{text}")


def crashed(output):
    return re.search(r"signal: |EXIT CODE: 1[13]\d|Segmentation|SIGSEGV|exited on signal", output)


def ending(programs, name, preload, helper):
    program = programs.compile("endings", HERE / "endings.c")
    code, output = programs.run(program, name, preload=preload, LAPWING_DEFER="on", LAPWING_HELPER=helper)
    what = f"{name}, preload {preload}, helper {helper}: {code}\n{output}"
    if name == "outstanding":
        expect(code == 0 and output.count("ended") == 2, what)
    elif name == "threads":
        expect(code == 0 or (code == 77 and not output), what)
    else:
        expect(code != 0 and not crashed(output), what)


def levels(programs):
    """Raised where there is work for a helper, never where there is none."""
    compiled = programs.compile("endings", HERE / "endings.c")
    unused = programs.text("unused", UNUSED)
    for program, words, variables, raised in ((compiled, ["level"], {"LAPWING_DEFER": "on"}, True),
                                              (compiled, ["level"], {"LAPWING_DEFER": "on", "LAPWING_HELPER": "off"}, False),
                                              (compiled, ["level"], {"LAPWING_DEFER": "off"}, False),
                                              (compiled, ["level"], {"LAPWING": "off"}, False),
                                              (unused, [], {"LAPWING_DEFER": "on"}, False)):
        code, output = programs.run(program, *words, **variables)
        # MPI_THREAD_FUNNELED is 1 and MPI_THREAD_MULTIPLE 3; MPI may grant more than was asked for.
        told = re.findall(r"told (\d) runs at (\d)", output)
        expect(code == 0 and len(told) == 2, f"{variables}: {output}")
        for asked, real in told:
            expect((real == "3" and asked == "1") if raised else real == asked, f"{program.name} {variables}: {output}")
    code, output = programs.run(compiled, "level", LAPWING_DEFER="on", LAPWING_VERBOSE="1")
    said = re.findall(r"lapwing: rank (\d): of what the compiler has split, \d+ receives and \d+ sends were in flight\.", output)
    expect(code == 0 and sorted(said) == ["0", "1"], output)


def one(programs):
    copy = programs.folder / "copy"
    copy.mkdir()
    name = f"liblapwing-{programs.a.flavour}.so"
    shutil.copy(programs.library / name, copy / name)
    program = programs.text("one", ONE, copy)
    code, output = programs.run(program, preload=True, LAPWING_DEFER="on")
    expect(code == 0 and output.count(f"copies 1 engine 1 at {copy}/{name}") == 2, output)
    code, output = programs.run(program, LAPWING_DEFER="on")
    expect(code == 0 and output.count("copies 1 engine 0 at") == 2, output)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--build", "--compile", "--flavour"):
        parser.add_argument(option, required=True)
    parser.add_argument("endings", nargs="+")
    split = sys.argv.index("--")
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.mpiexec = sys.argv[split + 1:]
    programs = Programs(arguments)
    try:
        for name in arguments.endings:
            if name == "levels":
                levels(programs)
            elif name == "one":
                one(programs)
            else:
                for preload, helper in ((False, "on"), (False, "off"), (True, "on")):
                    ending(programs, name, preload, helper)
    finally:
        shutil.rmtree(programs.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
