#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that house.py can fail: a sound little tree passes every check, and
each planted violation is found, at its line, by the check that is for it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
SOUND = {
    "include/lapwing/lapwing.h": SPDX,
    "src/calls/chapters/p2p.txt": "[routine]\nWaitany: count =array_of_requests >index ?status | p2p\n",
    "src/mpi/handles.hpp": SPDX,
    "src/mpi/mpich/flavour.hpp": SPDX + "#ifdef MPICH_VERSION\n#endif\n",
    "src/guard/guard.hpp": SPDX,
    "src/machine/profile.hpp": SPDX,
    "src/transfer/engine.hpp": SPDX,
    "src/transfer/engine.cpp": SPDX + '#include "transfer/engine.hpp"\n\n#include "flavour.hpp"\n#include "guard/guard.hpp"\n'
                               '// not a call: MPI_Send(x)\n'
                               'void f() {\n  say("MPI_Recv(");\n  PMPI_Barrier(MPI_COMM_WORLD);\n}\n',
    "src/sets/set.hpp": SPDX,
    "src/arrays/array.hpp": SPDX,
    "src/entry/send.cpp": SPDX + '#include "transfer/engine.hpp"\nint MPI_Send(int x) { return PMPI_Send(x); }\n',
    "src/entry/fortran_send.cpp": SPDX + "int f() { return MPI_Send(0); }\n",
    "src/report/table.hpp": SPDX,
    "src/cli/main.cpp": SPDX + '#include <lapwing/lapwing.h>\n\n#include "report/table.hpp"\n',
    "src/preload/stub.c": SPDX,
    "README.md": "[licence](LICENSE) [far](https://example.org) [here](#usage)\n",
    "LICENSE": "",
}

# check, file, its content, what the finding must say
PLANTED = [
    ("rooms", "src/guard/bad.cpp", '#include "transfer/engine.hpp"\n', "src/guard/bad.cpp:2: room 'guard'"),
    ("rooms", "src/guard/bad.cpp", '#include "machine/profile.hpp"\n', "'machine' is beside or above it"),
    ("rooms", "src/machine/bad.cpp", '#include "guard/guard.hpp"\n', "'guard' is beside or above it"),
    ("rooms", "src/mpi/bad.hpp", '#include "../guard/guard.hpp"\n', "'guard' is beside or above it"),
    ("rooms", "src/mpi/bad.hpp", "#include <guard/guard.hpp>\n", "'guard' is beside or above it"),
    ("rooms", "src/sets/bad.hpp", '#include "arrays/array.hpp"\n', "'arrays' is beside or above it"),
    ("rooms", "src/transfer/bad.hpp", '#include "entry/not_yet_there.hpp"\n', "'entry' is beside or above it"),
    ("rooms", "src/report/bad.hpp", '#include "cli/command.hpp"\n', "'cli' is beside or above it"),
    ("rooms", "src/preload/bad.c", '#include "mpi/handles.hpp"\n', "'mpi' is beside or above it"),
    ("rooms", "src/guard/bad.cpp", "#include <mpi.h>\n", "must know no MPI"),
    ("rooms", "src/cellar/bad.cpp", "", "room 'cellar' is not in the house"),
    ("rooms", "include/lapwing/bad.h", '#include "transfer/engine.hpp"\n', "which is not public"),
    ("rooms", "examples/bad.cpp", '#include "../src/guard/guard.hpp"\n', "stands on the public headers"),
    ("length", "src/guard/bad.cpp", "int x;\n" * 400, "401 lines"),
    ("flavours", "src/transfer/bad.cpp", "#if defined(OMPI_MAJOR_VERSION)\n#endif\n", "OMPI_MAJOR_VERSION"),
    ("flavours", "src/entry/bad.cpp", "#ifdef OPEN_MPI\n#endif\n", "OPEN_MPI"),
    ("flavours", "examples/bad.cpp", "  # ifdef MPICH_VERSION\n#endif\n", "MPICH_VERSION"),
    ("pmpi", "src/transfer/bad.cpp", "void f() { MPI_Barrier(c); }\n", "bad.cpp:2: calls MPI_Barrier"),
    ("pmpi", "src/mpi/bad.cpp", "int f() {\n  return MPI_Wait (r, s);\n}\n", "bad.cpp:3: calls MPI_Wait"),
    ("pmpi", "src/mpi/bad.cpp", "int f() { return ::MPI_Wait(r, s); }\n", "calls MPI_Wait"),
    ("pmpi", "src/entry/bad.cpp", "int MPI_Recv(int x) { return MPI_Mrecv(x); }\n", "calls MPI_Mrecv"),
    ("sentences", "src/options/bad.hpp", "int x;  // a size. Who reads it\n// waits.\n", "bad.hpp:2: begins a sentence with 'Who reads it"),
    ("sentences", "src/options/bad.hpp", "/* Sizes.\n * What is it? Nobody\n * knows. */\n", "bad.hpp:3: begins a sentence with 'Nobody"),
    ("sentences", "src/options/bad.cpp", 'auto text = "What failed is told";\n', "bad.cpp:2: begins"),
    ("links", "docs/bad.md", "[gone](nowhere.md)\n", "links to nowhere.md"),
    ("calls", "src/compiler/bad.cpp", 'auto x = f("waitany");\n', 'bad.cpp:2: names "waitany"'),
    ("calls", "src/sets/bad.cpp", 'auto x = f("PMPI_Waitany");\n', 'bad.cpp:2: names "PMPI_Waitany"'),
    ("format", "src/guard/bad.cpp", "int   f ( ){return 1;}\n", "src/guard/bad.cpp:2: is not formatted"),
]


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def check(root, *checks):
    return subprocess.run([sys.executable, str(HERE / "house.py"), "--root", str(root), *checks],
                          capture_output=True, text=True, check=False)


class HouseTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write(self.root, SOUND)
        style = HERE.parents[1] / ".clang-format"
        (self.root / ".clang-format").write_text(style.read_text())

    def test_a_sound_tree_passes(self):
        run = check(self.root, "all")
        sentences = [line for line in run.stdout.splitlines() if not line.startswith("not checked")]
        self.assertEqual((run.returncode, sentences), (0, []), run.stderr)

    def test_each_planted_violation_is_found(self):
        for kind, name, content, wanted in PLANTED:
            with self.subTest(check=kind, file=name, content=content[:60]):
                write(self.root, {name: content if name.endswith(".md") else SPDX + content})
                run = check(self.root, kind)
                (self.root / name).unlink()
                if run.returncode == 77:
                    continue
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertIn(wanted, run.stdout)
                self.assertIn("1 findings", run.stdout)

    def test_a_missing_licence_line_is_found(self):
        write(self.root, {"tools/job": "#!/bin/sh\ntrue\n", "cmake/x.cmake": "\n", "src/guard/a.hpp": "int x;\n"})
        run = check(self.root, "spdx")
        self.assertEqual(run.returncode, 1)
        for name in ("tools/job", "cmake/x.cmake", "src/guard/a.hpp"):
            self.assertIn(f"{name}:1: no line", run.stdout)

    def test_a_file_of_the_most_lines_is_none_too_long(self):
        write(self.root, {"src/guard/a.cpp": SPDX + "int x;\n" * 399})
        self.assertEqual(check(self.root, "length").returncode, 0)


if __name__ == "__main__":
    unittest.main()
