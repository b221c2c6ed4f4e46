# SPDX-License-Identifier: Apache-2.0
"""The description of MPI's calls against the MPI libraries of this machine.

    test_table.py classification|names|generator|groups FLAVOUR=LIBMPI...
    test_table.py exported FLAVOUR=LIBMPI=LIBLAPWING... --preload LIBRARY
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ENTRY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "calls")
sys.path.insert(0, ENTRY)
import collect  # noqa: E402
import generate  # noqa: E402
import group_calls  # noqa: E402
import signatures  # noqa: E402
import table  # noqa: E402

PAIRS = {}    # flavour -> libmpi
LAPWING = {}  # flavour -> liblapwing
PRELOAD = []


class Classification(unittest.TestCase):
    def test_every_exported_symbol_is_classified(self):
        known = table.Table()
        for flavour, libmpi in PAIRS.items():
            libraries = table.find_libraries(flavour, libmpi)
            self.assertIn(list(table.LIBRARIES[flavour])[0], libraries)
            for path in libraries.values():
                functions = table.exported(path)[0]
                self.assertGreater(len(functions), 100, path)
                unknown = []
                for name in sorted(functions):
                    try:
                        table.classify(name, known)
                    except table.TableError:
                        unknown.append(name)
                self.assertEqual(unknown, [], f"{path} exports what src/calls does not describe")

    def test_an_unknown_symbol_is_refused(self):
        known = table.Table()
        for name in ("MPI_Frobnicate", "mpi_frobnicate_", "mpi_frobnicate_f08ts_", "ompi_frobnicate_f", "MPI_Send_d",
                     "PMPI_Frobnicate", "quite_another"):
            self.assertRaises(table.TableError, table.classify, name, known)
        self.assertIsNone(table.classify("ompi_mpi_comm_world_internal", known))

    def test_spellings(self):
        known = table.Table()
        for name, stem, form in (("MPI_Send", "Send", "c"), ("MPI_Send_c", "Send", "large"),
                                 ("mpi_send__", "Send", "f77"), ("MPI_SEND", "Send", "f77"),
                                 ("mpi_sendrecv_replace_f08_", "Sendrecv_replace", "f08"),
                                 ("mpi_send_f08ts_large_", "Send", "f08ts"), ("ompi_send_f", "Send", "inner"),
                                 ("MPIX_Comm_agree", "Comm_agree", "c"), ("MPI_Send_init", "Send_init", "c")):
            symbol = table.classify(name, known)
            self.assertEqual((symbol.entry.name, symbol.form), (stem, form), name)
            self.assertFalse(symbol.profiling)
        self.assertTrue(table.classify("PMPI_Send", known).profiling)
        self.assertTrue(table.classify("pmpir_wait_f08_", known).profiling)

    def test_bad_tables_are_refused(self):
        for text in ("Send_x", "[p2q]\nSend_x", "[p2p]\nSend_x\n[sync]\nSend_x", "[check]\nBcast_x", "[retire >0]\nPut_x",
                     "[check >0:1]\nBcast_x", "[sync]\nSend"):
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(text)
                file.flush()
                self.assertRaises(table.TableError, table.Table, file.name)


class Names(unittest.TestCase):
    def test_every_name_is_exported_by_some_mpi(self):
        known = table.Table()
        used = {table.classify(n, known).entry.name for family in table.LIBRARIES
                for names, _ in table.load_names(family).values() for n in names}
        self.assertEqual([e.name for e in known.entries.values() if e.name not in used], [])

    def test_what_the_libraries_of_this_machine_export_is_named(self):
        known = table.Table()
        for family, libmpi in PAIRS.items():
            names = table.load_names(family)
            for stem, path in table.find_libraries(family, libmpi).items():
                missing = set(collect.entries_of(path, known)) - names[stem][0]
                self.assertEqual(sorted(missing), [], f"run src/calls/collect.py {family} {path}")

    def test_names_survive_being_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for family in table.LIBRARIES:
                names = table.load_names(family)
                table.save_names(family, names, folder)
                self.assertEqual(names, table.load_names(family, folder))


class Generator(unittest.TestCase):
    def test_fast_path_is_a_comparison_and_a_jump(self):
        for family in table.LIBRARIES:
            groups = generate.group(generate.hooks_of(family))
            text = generate.entry_stubs(sorted(groups, key=lambda g: g.hook.kind == "glue"))
            # What a group calls together has a second one, for those who watch.
            for name, expected in (("MPI_Type_commit", ["cmpl", "jne", "jmp"]),
                                   ("MPI_Bcast", ["cmpl", "jne", "cmpq", "jne", "jmp"])):
                body = re.search(rf"^{name}:\n(.*?)\.cfi_endproc", text, re.S | re.M)[1]
                self.assertEqual(re.findall(r"^  ([a-z]\w*)", body, re.M), expected)

    def test_each_slot_has_its_specification(self):
        for family in table.LIBRARIES:
            groups = generate.group(generate.hooks_of(family))
            groups.sort(key=lambda g: g.hook.kind == "glue")
            slots = len([g for g in groups if g.hook.kind != "glue"])
            stubs, specs = generate.entry_stubs(groups), generate.entry_specs(groups)
            self.assertEqual(len(re.findall(r"Action::", specs)), slots)
            real, timers = stubs.split("lapwing_entry_real:\n")[1].split("lapwing_entry_timers:\n")
            self.assertEqual(real.count(".quad"), slots + 1)
            self.assertEqual(timers.count(".quad"), slots)

    def test_what_waits_for_other_processes_and_accesses_can_be_noted(self):
        for family in table.LIBRARIES:
            groups = generate.group(generate.hooks_of(family))
            noted = {g.hook.entry.name for g in groups if g.hook.kind == "stub" and generate.is_noted(g.hook.entry)}
            self.assertLessEqual({"Barrier", "Bcast", "Iallreduce", "Alltoallw", "Win_fence", "Win_lock", "Win_flush",
                                  "Win_complete", "Comm_dup", "Put", "Rget", "Fetch_and_op"}, noted)
            self.assertFalse(noted & {"Type_commit", "Comm_rank", "File_open", "Reduce_local", "Win_sync"})

    def test_one_level_only(self):
        hooks = {f: {h.name: h for h in generate.hooks_of(f)} for f in table.LIBRARIES}
        if "mpich" in hooks:
            # These call the C functions of MPICH, so they only note their caller.
            self.assertEqual(hooks["mpich"]["mpi_send_"].kind, "site")
            self.assertEqual(hooks["mpich"]["mpi_send_f08ts_"].kind, "site")
            self.assertEqual(hooks["mpich"]["mpi_wait_f08_"].kind, "glue")
            self.assertEqual(hooks["mpich"]["mpi_bcast_"].kind, "site")
            self.assertNotIn("mpi_reduce_local_", hooks["mpich"])
            self.assertEqual(hooks["mpich"]["mpi_barrier_f08_"].kind, "stub")
        if "openmpi" in hooks:
            self.assertEqual(hooks["openmpi"]["mpi_send_"].kind, "glue")
            self.assertEqual(hooks["openmpi"]["ompi_send_f"].kind, "glue")
            self.assertEqual(hooks["openmpi"]["mpi_send_f08_"].kind, "site")
            self.assertEqual(hooks["openmpi"]["mpi_test_f08_"].kind, "glue")
            self.assertEqual(hooks["openmpi"]["ompi_bcast_f"].kind, "stub")
            self.assertEqual(hooks["openmpi"]["mpi_bcast_f08_"].kind, "site")
            self.assertNotIn("mpi_reduce_local_f08_", hooks["openmpi"])


class Groups(unittest.TestCase):
    def test_bad_tables_are_refused(self):
        types = {"comm": "Comm"}
        for text in ("Barrier: comm | sync group=barrier:sometimes", "Barrier: root | sync group"):
            known = {s.name.lower(): s for s in signatures.parse([(1, "[routine]"), (2, text)], types)}
            self.assertRaises(group_calls.GroupCallError, group_calls.load, known)
        for text in ("Barrier: comm | synchronise", "Barrier: comm | sync what", "Barrier: comm | check each=buf"):
            lines = [(1, "[routine]"), (2, text)]
            self.assertRaises(signatures.SignatureError, lambda: list(signatures.parse(lines, types)))

    def test_forms_are_derived(self):
        calls = group_calls.load()
        self.assertEqual(calls["ibcast"].at["request"], 5)
        self.assertEqual(calls["bcast_init"].at["request"], 6)
        self.assertEqual(calls["bcast_init"].arguments, 7)
        self.assertEqual(calls["barrier"].at["request"], -1)

    def test_collective_calls_of_the_table_are_group_calls(self):
        known = table.Table()
        words = r"(I?(Barrier|Bcast|Reduce|Allreduce|Scan|Exscan|All|Gather|Scatter|Neighbor).*|File_.*_(all|ordered).*)"
        missing = [e.name for e in known.entries.values() if re.fullmatch(words, e.name) and not e.group]
        self.assertEqual(missing, ["Reduce_local", "Alloc_mem", "Alloc_mem_cptr", "Allreduce_enqueue"])


class Exported(unittest.TestCase):
    def test_variables_of_threads_are_few(self):
        """An engine is loaded when the process runs: the C library then has room for about 1.5 KiB of them."""
        for flavour in PAIRS:
            headers = subprocess.run(["readelf", "-lW", LAPWING[flavour]], capture_output=True, text=True, check=True).stdout
            sizes = [int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["TLS"]]
            self.assertLess(sum(sizes), 1280, f"{LAPWING[flavour]}: move large thread_local variables to the heap")

    def test_hooks_are_exported(self):
        preload = table.exported(PRELOAD[0])[0]
        for flavour in PAIRS:
            functions = table.exported(LAPWING[flavour])[0]
            names = {hook.name for hook in generate.hooks_of(flavour)}
            self.assertEqual(sorted(names - functions), [], f"{LAPWING[flavour]} lacks entry points")
            self.assertEqual(sorted(names - preload), [], f"{PRELOAD[0]} lacks entry points")
            self.assertEqual(sorted(n for n in functions if n.startswith(("PMPI", "pmpi"))), [])

    def test_preload_needs_libc_alone(self):
        import subprocess
        dynamic = subprocess.run(["readelf", "-dW", PRELOAD[0]], check=True, capture_output=True, text=True).stdout
        needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
        self.assertTrue(set(needed) <= {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2"}, needed)


def main():
    part, *words = sys.argv[1:]
    while words:
        word = words.pop(0)
        if word == "--preload":
            PRELOAD.append(words.pop(0))
            continue
        flavour, libmpi, *rest = word.split("=")
        PAIRS[flavour] = libmpi
        LAPWING[flavour] = rest[0] if rest else ""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[part.capitalize()])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
