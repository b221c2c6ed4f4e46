# SPDX-License-Identifier: Apache-2.0
"""The Fortran modules against the table of entry points, mpi.h and the libraries of this machine.

    test_coverage.py FLAVOUR=LIBMPI=MPI_H=MODULES=ARCHIVE...
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

BINDINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "fortran")
sys.path.insert(0, BINDINGS)
import calls_path  # noqa: E402, F401
import constants  # noqa: E402
import large  # noqa: E402
import routines  # noqa: E402
import shims  # noqa: E402
import signatures  # noqa: E402

FLAVOURS = {}   # name -> (libmpi, mpi.h, folder of modules, archive)
# C takes the program's arguments here, and Fortran has none.
WITHOUT_ARGUMENTS = ("init", "init_thread", "info_create_env", "pcontrol")
# C has no such routine, or a macro.
ONLY_FORTRAN = ("f_sync_reg", "aint_add", "aint_diff")


def prototypes(path):
    """{lower-case name: [types of the arguments]} of the functions that mpi.h declares."""
    text = subprocess.run([os.environ.get("CC") or "cc", "-E", "-P", "-w", f"-I{os.path.dirname(path)}", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for name, words in re.findall(r"\b(?:int|double|MPI_Aint) MPI_(\w+)\s*\(([^;{}]*?)\)\s*(?:__attribute__[^;]*)?;", text):
        found.setdefault(name.lower(), [] if words.strip() == "void" else split(words))
    return found


def split(words):
    words = re.sub(r"\s+", " ", words)
    return [w.strip() for w in words.split(",")]


def expected(parameter):
    """The types of ours that a C parameter may have, as (types, array or not or None)."""
    array = "[" in parameter
    text = re.sub(r"\bconst\b", "", parameter.split("[")[0])
    match = re.match(r"\s*(?:struct )?(\w+)\s*(\**)", text)
    base, stars = match[1], len(match[2]) + (1 if array else 0)
    if base.endswith(("_function", "_function_c", "_fn")) or "(" in parameter:
        return {"fn"}, None
    if base == "void":
        return {"buf", "place", "addr", "ptr", "detached", "fn"}, False
    if base == "char":
        return {"str"}, stars > 1
    kinds = {"int": {"int", "log"}, "MPI_Aint": {"addr"}, "MPI_Offset": {"off"}, "MPI_Count": {"cnt"},
             "MPI_Status": {"statuses"} if array else {"status", "statuses"}}.get(base, {base.removeprefix("MPI_")})
    if base == "MPI_Status":
        return kinds, False
    return kinds, array if array or stars == 0 else None


def large_forms(flavour):
    libmpi, header, *_ = FLAVOURS[flavour]
    return large.select(flavour, libmpi, routines.select(flavour, libmpi)[0], mpif_of(header))


def mpif_of(header):
    """Open MPI's mpif.h is in its own folder, as mpi.h is; MPICH's too."""
    return constants.Mpif(os.path.dirname(header))


class Coverage(unittest.TestCase):
    def test_every_routine_is_offered_or_has_a_reason(self):
        left_out = set()
        for flavour, (libmpi, *_) in FLAVOURS.items():
            chosen, missing = routines.select(flavour, libmpi)
            self.assertEqual(missing, [], f"{flavour}: add a signature, or a reason to LEFT_OUT in routines.py")
            self.assertGreater(len(chosen), 380)
            symbols = routines.exported(flavour, libmpi)
            left_out.update(s for s in symbols if s in routines.LEFT_OUT)
            left_out.update(p for p in routines.LEFT_OUT_PREFIX for s in symbols if s.startswith(p))
        if len(FLAVOURS) == 2:
            self.assertEqual(left_out, set(routines.LEFT_OUT) | set(routines.LEFT_OUT_PREFIX))

    def test_every_signature_is_of_some_mpi(self):
        if len(FLAVOURS) < 2:
            self.skipTest("needs both MPIs")
        used = set()
        for flavour, (libmpi, *_) in FLAVOURS.items():
            used |= set(routines.select(flavour, libmpi)[0])
            forms = large_forms(flavour)
            used |= {s.name.lower() for s in forms.values()} | set(large.callbacks(forms))
        self.assertEqual(sorted(set(signatures.read()) - used), [])

    def test_modules_offer_what_was_chosen(self):
        for flavour, (libmpi, _, folder, _) in FLAVOURS.items():
            chosen = routines.select(flavour, libmpi)[0]
            for module in ("mpi", "mpi_f08"):
                with open(os.path.join(folder, module + ".mod"), encoding="utf-8") as file:
                    text = file.read()
                names = set(re.findall(r"(?:subroutine|function|interface|procedure\(\)::)\s*(p?mpi_\w+)", text))
                for stem, signature in chosen.items():
                    if signature.kind == "callback" or (module == "mpi_f08" and signature.result == "any"):
                        continue
                    wanted = module == "mpi" or signature.kind != "deprecated"
                    self.assertEqual(f"mpi_{stem}" in names, wanted, f"{flavour}: {module} and MPI_{signature.name}")
                    if wanted and signature.kind in ("routine", "collective", "plain"):
                        self.assertIn(f"pmpi_{stem}", names, f"{flavour}: {module}")

    def test_every_large_count_is_offered_or_has_a_reason(self):
        for flavour, (libmpi, _, folder, _) in FLAVOURS.items():
            there = {n[4:-2].lower() for n in routines.table.exported(libmpi)[0] if re.fullmatch(r"MPI_\w+_c", n)}
            forms = large_forms(flavour)
            # The same types as without: an address is as large as a count.
            same = {s for s in there if s.startswith("type_get_") or s in ("type_create_resized", "file_get_type_extent")}
            self.assertEqual(there - set(forms) - set(large.LEFT_OUT) - (same - set(forms)), set(), flavour)
            self.assertEqual(set(forms) - there, set(), flavour)
            self.assertEqual(set(large.LEFT_OUT) - there, set() if there else set(large.LEFT_OUT), flavour)
            self.assertEqual(flavour == "mpich", len(forms) > 140, flavour)
            with open(os.path.join(folder, "mpi_f08.mod"), encoding="utf-8") as file:
                text = file.read()
            names = set(re.findall(r'name="(lapwing_p?f08_\w+_c)"', text))
            names |= set(re.findall(r"^subroutine (lapwing_p?f08_\w+_c)\(", text, re.M))
            self.assertEqual(names, {f"lapwing_{p}f08_{s}_c" for s in forms for p in ("", "p")}, flavour)
            names = set(re.findall(r"subroutine (p?mpi_\w+)\(", text))
            for stem, form in forms.items():
                name = form.name.lower() if form.name.lower() in large.OWN_NAME else f"{stem}_c_f08"
                if not form.strings():
                    self.assertLessEqual({f"mpi_{name}", f"pmpi_{name}"}, names, flavour)
            with open(os.path.join(folder, "mpi.mod"), encoding="utf-8") as file:
                self.assertNotIn("_c(", re.sub(r"_cptr\(", "", file.read()))

    def test_specific_procedures_have_names(self):
        for flavour, (libmpi, _, folder, _) in FLAVOURS.items():
            with open(os.path.join(folder, "mpi_f08.mod"), encoding="utf-8") as file:
                names = set(re.findall(r"(?:::|subroutine )(p?mpi_\w+)", file.read()))
            for stem, signature in routines.select(flavour, libmpi)[0].items():
                if signature.kind in ("routine", "collective") and not signature.strings():
                    for name in (f"mpi_{stem}_f08", f"pmpi_{stem}_f08"):
                        self.assertIn(name, names, flavour)

    def test_archives_define_what_modules_bind(self):
        for flavour, (libmpi, _, folder, archive) in FLAVOURS.items():
            output = subprocess.run(["nm", archive], check=True, capture_output=True, text=True).stdout
            words = [line.split() for line in output.splitlines()]
            defined = {w[2] for w in words if len(w) == 3 and w[1] in "TtDdBbRrVWC"}
            undefined = {w[1] for w in words if len(w) == 2 and w[0] == "U"} - defined
            bound = set()
            for module in ("mpi", "mpi_f08"):
                with open(os.path.join(folder, module + ".mod"), encoding="utf-8") as file:
                    text = file.read()
                bound.update(re.findall(r'name="(lapwing\w+)"', text))
                bound.update(f"{n}_" for n in re.findall(r"^subroutine (lapwing_p?f08_\w+)\(.*\)$", text, re.M))
            self.assertGreater(len(bound), 650)
            self.assertEqual(sorted(bound - defined), [], flavour)
            libraries = set()
            for path in routines.table.find_libraries(flavour, libmpi).values():
                libraries |= routines.table.exported(path)[0]
            # The MPI's routines and constants, the C API, and what every Fortran or C program has.
            strange = {u for u in undefined - libraries if not re.match(r"_Fortran|mpipriv\d_|__tls_get_addr|_GLOBAL_|mem|malloc|calloc|free|strlen$|v?s?n?f?printf$|stderr$|sched_yield$|dlsym$|dladdr$|ompi_(mpi|request)_\w+$|lapwing_(array|distribution|fft|index_lists|tasks)_", u)}
            self.assertEqual(strange, set(), flavour)

    def test_unknown_exports_are_noticed(self):
        flavour, (libmpi, *_) = next(iter(FLAVOURS.items()))
        known = signatures.read()
        try:
            routines.with_arguments = lambda: {k: v for k, v in known.items() if k != "send"}
            self.assertIn("mpi_send_", routines.select(flavour, libmpi)[1])
        finally:
            routines.with_arguments = lambda: known


class Signatures(unittest.TestCase):
    def test_they_agree_with_mpi_h(self):
        compared = 0
        for flavour, (libmpi, header, *_) in FLAVOURS.items():
            declared = prototypes(header)
            for stem, signature in routines.select(flavour, libmpi)[0].items():
                if signature.kind in ("callback", "function") or stem in WITHOUT_ARGUMENTS + ONLY_FORTRAN:
                    continue
                if stem not in declared and signature.kind == "deprecated":
                    continue
                self.assertTrue(stem in declared, f"{flavour}'s mpi.h declares no MPI_{signature.name}")
                parameters = declared[stem]
                self.assertEqual(len(parameters), len(signature.arguments), f"{signature.name}: {parameters}")
                for parameter, argument in zip(parameters, signature.arguments):
                    kinds, array = expected(parameter)
                    kind = "fn" if argument.callback else argument.type
                    if signature.kind == "deprecated" and kinds & {"addr", "ptr"}:
                        kinds = kinds | {"int"}  # an address in a default integer: why they are deprecated
                    said = f"{flavour}: {signature.name}, {argument.name}: C has '{parameter}', we have {argument.type}"
                    self.assertIn(kind, kinds, said)
                    if array is not None and kind not in ("fn", "buf", "place"):
                        self.assertEqual(bool(argument.dims), array, said)
                    compared += 1
        self.assertGreater(compared, 1500)

    def test_large_ones_agree_with_mpi_h(self):
        compared = 0
        for flavour, (_, header, *_) in FLAVOURS.items():
            declared = prototypes(header)
            for stem, form in large_forms(flavour).items():
                parameters = declared[f"{stem}_c"]
                self.assertEqual(len(parameters), len(form.arguments), f"{form.name}: {parameters}")
                for parameter, argument in zip(parameters, form.arguments):
                    kinds, array = expected(parameter)
                    kind = "fn" if argument.callback else argument.type
                    said = f"{flavour}: {form.name}, {argument.name}: C has '{parameter}', we have {argument.type}"
                    self.assertIn(kind, kinds, said)
                    if array is not None and kind not in ("fn", "buf", "place"):
                        self.assertEqual(bool(argument.dims), array, said)
                    compared += 1
        self.assertEqual("mpich" in FLAVOURS, compared > 900)

    def test_bad_ones_are_refused(self):
        for text in ("Send: buf", "[routin]\nSend: buf", "[routine]\nSend buf", "[routine]\nSend: !buf",
                     "[routine]\nSend: buf:Cmm"):
            lines = enumerate(text.split("\n"), 1)
            self.assertRaises(signatures.SignatureError, lambda: list(signatures.parse(lines, {})))

    def test_collectives_have_three_forms(self):
        known = signatures.read()
        self.assertEqual([a.name for a in known["ibcast"].arguments][-2:], ["comm", "request"])
        self.assertEqual([a.name for a in known["bcast_init"].arguments][-3:], ["comm", "info", "request"])
        self.assertEqual(known["ineighbor_alltoallw"].arguments[2].type, "addr")


class Large(unittest.TestCase):
    def test_sources(self):
        known = signatures.read()
        text = large.function(large.derive(known["irecv"]), "P")
        self.assertIn("PMPI_Irecv_c(buffer(a0), *(const MPI_Count*)a1, MPI_Type_f2c(*(MPI_Fint*)a2)", text)
        self.assertIn("*(MPI_Fint*)a6 = MPI_Request_c2f(h6);", text)
        self.assertIn("void* a5, void* a6, MPI_Fint* ierror, size_t n0)", large.function(large.derive(known["pack_external"])))
        self.assertNotIn("(large", large.source({}, None))

    def test_forms_that_fortran_cannot_tell_apart_are_left_out(self):
        class Kinds:
            values = {"MPI_ADDRESS_KIND": 8, "MPI_COUNT_KIND": 8}
        known = signatures.read()
        extent = known["type_get_extent"]
        self.assertTrue(large.same_to_fortran(extent, large.derive(extent), Kinds))
        self.assertFalse(large.same_to_fortran(known["send"], large.derive(known["send"]), Kinds))
        Kinds.values = {"MPI_ADDRESS_KIND": 4, "MPI_COUNT_KIND": 8}
        self.assertFalse(large.same_to_fortran(extent, large.derive(extent), Kinds))

    def test_a_size_is_a_count_of_bytes_or_of_processes(self):
        known = signatures.read()
        kinds = {n: [a.type for a in large.derive(known[n]).arguments if a.name == "size"] for n in ("type_size", "type_create_darray")}
        self.assertEqual(kinds, {"type_size": ["cnt"], "type_create_darray": ["int"]})

    def test_sentinels_are_where_mpif_h_has_them(self):
        for flavour, (_, header, *_) in FLAVOURS.items():
            if not large_forms(flavour):
                continue
            mpif = mpif_of(header)
            for block, members in mpif.commons.items():
                if "MPI_STATUS_IGNORE" in members:
                    text = large.sentinels(mpif)
                    self.assertIn(f"#define MPI_STATUS_IGNORE_F {block}_[{members.index('MPI_STATUS_IGNORE')}]", text)


class Constants(unittest.TestCase):
    def test_a_strange_mpif_h_is_refused(self):
        for text in ("", "      parameter (MPI_COMM_WORLD=f(3))\n", "      include 'nowhere.h'\n"):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "mpif.h"), "w", encoding="ascii") as file:
                    file.write(text)
                self.assertRaises(constants.MpifError, constants.Mpif, folder)


class Shims(unittest.TestCase):
    def test_they_are_jumps(self):
        """So that MPI's wrapper returns to the program's own line, which the engine asks for."""
        for flavour, (*_, archive) in FLAVOURS.items():
            objects = ("shims.c.o", "profiling_shims.c.o")
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["ar", "x", archive, *objects], check=True, cwd=folder)
                text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", *objects], check=True, cwd=folder,
                                      capture_output=True, text=True).stdout
            functions = re.split(r"^[0-9a-f]+ <(lapwing\w+)>:$", text, flags=re.M)
            calls = [name for name, body in zip(functions[1::2], functions[2::2]) if re.search(r"\scallq?\s", body)]
            self.assertEqual(calls, [], flavour)
            self.assertGreater(len(functions), 1000, flavour)

    def test_names(self):
        known = signatures.read()
        self.assertIn("void lapwing_f08_send(void* a0", shims.shim(known["send"]))
        self.assertRegex(shims.shim(known["info_set"]), r"lapwing_f08_info_set_\(.*int\* ierror, size_t n0, size_t n1\)")


if __name__ == "__main__":
    for word in sys.argv[1:]:
        name, *rest = word.split("=")
        FLAVOURS[name] = tuple(rest)
    unittest.main(argv=sys.argv[:1], verbosity=2)
