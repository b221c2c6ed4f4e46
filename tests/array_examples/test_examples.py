# SPDX-License-Identifier: Apache-2.0
"""The examples of distributed arrays give in C++, C, Fortran (gfortran and flang) and Python what a serial computation
gives; programs of different languages are tasks of one job, and read each other's files.

    test_examples.py BUILD FLAVOUR PYTHON -- MPIEXEC...        PYTHON may be empty
"""
import cmath
import ctypes.util
import itertools
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import in_turn  # noqa: E402

BUILD, FLAVOUR, PYTHON, MPIEXEC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[5:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "arrays"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-array-examples-"))
NAMES = ("producer_consumer", "fft2d", "multiblock", "restart", "jacobi", "mesh", "symmetric", "assembly", "ensemble")


HAS_FLANG = shutil.which("flang-new-19") and (BUILD / "lib" / "lapwing" / FLAVOUR / "mod" / "lapwing_arrays.mod").exists()


def compiled(source, name, *command):
    program = FOLDER / name
    if not program.exists():
        subprocess.run([*command, "-o", program, *([] if source in command else [source])], check=True, text=True, stdout=subprocess.DEVNULL)
    return [program]


def by_flang(source):
    return compiled(source, f"{source.stem}_flang", BUILD / "bin" / f"lwfc.{FLAVOUR}", "-O1")


def by_gfortran(source):
    lib = BUILD / "lib"
    return compiled(source, f"{source.stem}_gfortran", f"mpifort.{FLAVOUR}", "-O1", "-J", FOLDER,
                    f"-I{lib / 'lapwing' / FLAVOUR / 'mod-gfortran'}", "-Wl,--no-as-needed", source,
                    lib / f"liblapwing-gfortran-{FLAVOUR}.a", lib / f"liblapwing-{FLAVOUR}.so", f"-Wl,-rpath,{lib}")


def versions(name):
    """Language and what gives the command: a program is compiled when it is first run."""
    built = BUILD / "libexec" / "lapwing" / FLAVOUR / "arrays"
    for language in ("cpp", "c", "f90"):
        program = built / f"{name}_{language}"
        if program.exists():
            yield language, lambda program=program: [program]
    if HAS_FLANG:
        yield "flang", lambda: by_flang(EXAMPLES / f"{name}.f90")
    if PYTHON:
        yield "python", lambda: [PYTHON, "-B", EXAMPLES / f"{name}.py"]


def run(*parts):
    """Pairs of ranks and command, started together."""
    command = ["timeout", "-k", "5", "60", *MPIEXEC]
    for i, (ranks, program) in enumerate(parts):
        command += ([":"] if i else []) + ["-n", str(ranks), *map(str, program)]
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "lib" / "python")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment)
    return done.stdout if done.returncode == 0 else f"ended with {done.returncode}: {done.stdout}{done.stderr}"


def tried(index, *languages):
    """Python has one MPI; the others go to the MPIs in turn."""
    return "python" in languages or in_turn(index, FLAVOUR)


def tried_run(name, at, index, language):
    """Of an example's runs Python makes the first one, and flang's program, for one MPI: they take their time to start and to
    be compiled."""
    if os.environ.get("TESTED_CASES") != "all" and language in ("python", "flang"):
        return index == 0 and tried(NAMES.index(name), language)
    return tried(at + index, language)


def pairs(languages):
    """As few as have each language in one of them."""
    names = list(languages)
    return list(zip(names, names[1:] + names[:1]))[::2]


def fft(x):
    if len(x) == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    odd = [cmath.exp(-2j * math.pi * k / len(x)) * value for k, value in enumerate(odd)]
    return [a + b for a, b in zip(even, odd)] + [a - b for a, b in zip(even, odd)]


def expected_fft(n, images):
    total = 0.0
    for number in range(images):
        rows = [fft([math.sin(0.1 * ((i + 1) * (number + 1))) + 0.5 * math.cos(0.3 * (j + 1)) for j in range(n)])
                for i in range(n)]
        columns = [fft(list(column)) for column in zip(*rows)]
        total += sum(abs(columns[j][i]) * ((7 * i + 3 * j) % 11 + 1) for i in range(n) for j in range(n))
    return f"fft2d: {images} images of {n} x {n}, checksum {total:.6E}\n"


def expected_producer(times=10, n=8):
    total = sum((10000 * t + 100 * (i + 1) + j + 1) * ((i * n + j) % 13 + 1)
                for t in range(1, times + 1) for i in range(n) for j in range(n))
    return f"producer_consumer: {times} arrays from 4 to 2 processes, checksum {total}\n"


def expected_restart(rows=20, columns=14):
    total = sum((1000 * (i + 1) + j + 1) * ((i * columns + j) % 31 + 1) for i in range(rows) for j in range(columns))
    return f"restart: {rows} x {columns}, checksum {total}\n"


def expected_multiblock(rows, columns, steps):
    blocks = [[[float((3 * i + 5 * j + 7 * t) % 17) for j in range(columns)] for i in range(rows)] for t in range(3)]
    for _ in range(steps):
        old = [[row[:] for row in block] for block in blocks]
        for t, j, other, there in [(0, columns - 1, 1, 1), (1, 0, 0, columns - 2), (1, columns - 1, 2, 1),
                                   (2, 0, 1, columns - 2)]:
            for i in range(rows):
                blocks[t][i][j] = old[other][i][there]
        old = [[row[:] for row in block] for block in blocks]
        for t, i, j in itertools.product(range(3), range(1, rows - 1), range(1, columns - 1)):
            u = old[t]
            blocks[t][i][j] = 0.25 * ((u[i - 1][j] + u[i + 1][j]) + (u[i][j - 1] + u[i][j + 1]))
    total = sum(blocks[t][i][j] * ((i + 2 * j + 3 * t) % 7 + 1)
                for t in range(3) for i in range(rows) for j in range(columns))
    return f"multiblock: 3 blocks of {rows} x {columns}, {steps} steps, checksum {total:.6E}\n"


def expected_jacobi(rows, columns, steps):
    u = [[float((3 * i + 5 * j) % 17) for j in range(columns)] for i in range(rows)]
    for _ in range(steps):
        old = [row[:] for row in u]
        for i, j in itertools.product(range(1, rows - 1), range(1, columns - 1)):
            u[i][j] = 0.25 * ((old[i - 1][j] + old[i + 1][j]) + (old[i][j - 1] + old[i][j + 1]))
    total = sum(u[i][j] * ((i + 2 * j) % 7 + 1) for i in range(rows) for j in range(columns))
    return f"jacobi: {rows} x {columns}, {steps} steps, checksum {total:.6E}\n"


def expected_mesh(cells, steps):
    u = [float(c * c % 17) for c in range(cells)]
    for _ in range(steps):
        u = [0.5 * u[c] + 0.25 * (u[(3 * c + 1) % cells] + u[(5 * c + 2) % cells]) for c in range(cells)]
    total = sum(u[c] * (c % 7 + 1) for c in range(cells))
    return f"mesh: {cells} cells, {steps} steps, checksum {total:.6E}\n"


def expected_symmetric(n):
    a = [[float((3 * i + 5 * j * j) % 17) for j in range(n)] for i in range(n)]
    total = sum((0.5 * a[j][i] + 0.5 * a[i][j]) * ((i + 2 * j) % 7 + 1) for i in range(n) for j in range(n))
    return f"symmetric: {n} x {n}, checksum {total:.6E}\n"


def expected_assembly(rows, columns, steps):
    nodes = list(itertools.product(range(rows), range(columns)))
    stiffness = {(i, j): 1.0 + i * j % 3 for i, j in nodes}
    x = {(i, j): float((3 * i + 5 * j) % 17) for i, j in nodes}
    for _ in range(steps):
        load = dict.fromkeys(nodes, 0.0)
        for i, j in nodes:
            below, right = (i + 1) % rows, (j + 1) % columns
            cell = [((i, j), 1), ((i, right), -1), ((below, j), -1), ((below, right), 1)]
            force = 0.0075 * sum(stiffness[node] for node, _ in cell) * sum(sign * x[node] for node, sign in cell)
            for node, sign in cell:
                load[node] -= sign * force
        x = {node: x[node] + load[node] for node in nodes}
    total = sum(x[i, j] * ((i + 2 * j) % 7 + 1) for i, j in nodes)
    return f"assembly: {rows} x {columns}, {steps} steps, checksum {total:.6E}\n"


def expected_ensemble(models, band, columns, steps):
    rows, every = models * band, range(models)
    fields = [[[float((7 * i + 3 * j + 11 * t) % 13) for j in range(columns)] for i in range(rows)] for t in every]
    checksum = 0.0
    for _ in range(steps):
        weights = [(t + 1) / sum(range(1, models + 1)) for t in every]
        # Of the mean, row b of band t comes from that row of every model's band t.
        mean = [[sum(weights[s] * fields[s][i][j] for s in every) for j in range(columns)] for i in range(rows)]
        for t, sender in itertools.product(every, every):
            far = max(abs(mean[i][j] - fields[sender][i][j])
                      for i in range(t * band, (t + 1) * band) for j in range(columns))
            checksum += far * (3 * t + sender + 1)
        fields = [[[x + 0.25 * (near - x) for x, near in zip(*lines)] for lines in zip(field, mean)] for field in fields]
    checksum += sum((t + 1) * fields[t][i][j] * ((i + 2 * j) % 7 + 1)
                    for t in every for i in range(rows) for j in range(columns))
    return f"ensemble: {models} models of {rows} x {columns}, {steps} steps, checksum {checksum:.6E}\n"


class Examples(unittest.TestCase):
    def everywhere(self, name, expected, *runs):
        for at, (language, command) in enumerate(versions(name)):
            for index, (ranks, words) in enumerate(runs):
                if not tried_run(name, at, index, language):
                    continue
                with self.subTest(language=language, words=words):
                    self.assertEqual(run((ranks, command() + list(words))), expected)

    def test_producer_and_consumer(self):
        self.everywhere("producer_consumer", expected_producer(), (6, ()))

    def test_programs_of_two_languages_as_tasks(self):
        found = dict(versions("producer_consumer"))
        for index, (producer, consumer) in enumerate(pairs(found)):
            if not tried(index, producer, consumer):
                continue
            with self.subTest(producer=producer, consumer=consumer):
                self.assertEqual(run((4, found[producer]() + ["producer"]), (2, found[consumer]() + ["consumer"])),
                                 expected_producer())

    def test_fft(self):
        self.everywhere("fft2d", expected_fft(16, 2), (4, ("parallel", "16", "2")), (3, ("pipeline", "16", "2")))

    def test_multiblock(self):
        self.everywhere("multiblock", expected_multiblock(9, 7, 8), (6, ("9", "7", "8")))

    def test_jacobi(self):
        # The last blocks have fewer elements; 4 rows leave the last of 3 processes without any.
        self.everywhere("jacobi", expected_jacobi(11, 9, 7), *((n, ("11", "9", "7")) for n in (4, 1)))
        self.everywhere("jacobi", expected_jacobi(4, 5, 6), (3, ("4", "5", "6")))

    def test_assembly(self):
        # Of two rows and one column both neighbours are one; with three processes one has none.
        self.everywhere("assembly", expected_assembly(11, 9, 7), *((n, ("11", "9", "7")) for n in (4, 1, 2)))
        self.everywhere("assembly", expected_assembly(2, 1, 3), (3, ("2", "1", "3")))

    def test_ensemble(self):
        # Models of 2, 2 and 1 processes; one process is one model.
        for models, ranks in ((3, 5), (1, 1), (2, 2), (3, 3)):
            self.everywhere("ensemble", expected_ensemble(models, 4, 7, 3), (ranks, ("4", "7", "3")))

    def test_too_few_processes_are_told_how_to_start_it(self):
        for name, ranks, words in (("producer_consumer", 2, ()), ("fft2d", 1, ("pipeline", "16", "2")),
                                   ("multiblock", 2, ("9", "7", "8")), ("restart", 2, ("memory",))):
            for at, (language, command) in enumerate(versions(name)):
                if not tried_run(name, at, 0, language):
                    continue
                with self.subTest(name=name, language=language):
                    said = run((ranks, command() + list(words)))
                    self.assertRegex(said, rf"^ended with [1-9](.|\n)*(usage: mpiexec -n \d+ {name}|{name}: start it on)")

    def test_mesh(self):
        # With two cells most processes have none, and read none.
        self.everywhere("mesh", expected_mesh(60, 5), (4, ("60", "5")))
        self.everywhere("mesh", expected_mesh(2, 3), (3, ("2", "3")))

    def test_symmetric(self):
        self.everywhere("symmetric", expected_symmetric(13), (4, ("13",)), (1, ("13",)))

    def test_poisson(self):
        if PYTHON:
            said = run((3, [PYTHON, "-B", EXAMPLES / "poisson.py", "12"]))
            self.assertRegex(said, r"^poisson: 12 x 12 x 12, error [0-9.]+E-1[3-9]\n$")
        if not ctypes.util.find_library("fftw3"):
            self.skipTest("FFTW 3, which makes the transforms of C, is not installed")
        programs = [BUILD / "libexec" / "lapwing" / FLAVOUR / "arrays" / f"poisson_{language}" for language in ("c", "cpp", "f90")]
        for program in programs[:1] + [one for one in programs[1:] if one.exists()]:
            with self.subTest(program=program.name):
                said = run((3, [program, "12"]))
                self.assertRegex(said, r"^poisson: 12 x 12 x 12, error [0-9.]+E-1[3-9]\n$")

    def test_restart(self):
        self.everywhere("restart", expected_restart(), (6, ("memory",)))

    def test_a_file_of_one_language_is_read_by_the_next(self):
        self.handed_on("restart.{}")

    def test_a_dataset_of_one_language_is_read_by_the_next(self):
        if not (ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")):
            self.skipTest("HDF5 is not installed")
        self.handed_on("restart.{}.h5")
        for file in FOLDER.glob("restart.*.h5"):
            self.assertEqual(file.read_bytes()[1:4], b"HDF")

    def handed_on(self, name):
        found = dict(versions("restart"))
        for index, (writer, reader) in enumerate(pairs(found)):
            if not tried(index + 1, writer, reader):
                continue
            with self.subTest(writer=writer, reader=reader):
                file = FOLDER / name.format(writer)
                self.assertEqual(run((4, found[writer]() + ["write", file])), expected_restart())
                self.assertEqual(run((6, found[reader]() + ["read", file])), expected_restart())

    def test_the_fortran_module(self):
        source = ROOT / "tests" / "array_examples" / "fortran_arrays.f90"
        compilers = (by_gfortran, shutil.which(f"mpifort.{FLAVOUR}")), (by_flang, HAS_FLANG)
        for index, (compiler, found) in enumerate(compilers):
            if found and tried(index):
                with self.subTest(compiler=compiler.__name__):
                    self.assertEqual(run((3, compiler(source))), "fortran_arrays: all as expected\n")


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0], "-q"])
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
