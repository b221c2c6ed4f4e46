# SPDX-License-Identifier: Apache-2.0
"""lapwing doctor, tune and bench."""
import json
import pathlib
import subprocess
import unittest

from support import FLAVOURS, PROGRAMS, CommandTest, probe


PRODUCTS = {"MPICH": "mpich", "Open MPI": "openmpi"}
HERE = {product: family for product, family in PRODUCTS.items() if family in FLAVOURS}


class Doctor(CommandTest):
    def facts(self, **env):
        found = json.loads(self.lapwing("doctor", "--json", status=0, env=env).stdout)
        return {fact["name"]: fact for fact in found["facts"]}, found

    def test_every_fact_says_what_follows(self):
        facts, found = self.facts()
        for name in ("guard", "kernel", "userfaultfd", "syscall user dispatch", "PROCMAP_QUERY", "cores",
                     *HERE, "Slurm", "RDMA devices", "debuggers", "memory", "emulated hosts", "preload library",
                     "profile"):
            self.assertIn(name, facts)
            self.assertIn(facts[name]["level"], ("ok", "warn", "no"))
            self.assertTrue(facts[name]["found"], name)
            self.assertTrue(facts[name]["follows"], name)
        self.assertTrue(found["conclusion"])

    def test_text(self):
        text = self.lapwing("doctor", status=0).stdout
        for product in HERE:
            self.assertRegex(text, rf"(?m)^ok    {product}: [45]\.")
        self.assertNotIn("\033", text)

    def test_it_agrees_with_the_kernel(self):
        facts, _ = self.facts()
        setting = pathlib.Path("/proc/sys/vm/unprivileged_userfaultfd")
        if setting.exists():
            self.assertIn(f"vm.unprivileged_userfaultfd={setting.read_text().strip()}",
                          facts["userfaultfd"]["found"])
        self.assertIn(pathlib.Path("/proc/sys/kernel/osrelease").read_text().strip(),
                      facts["kernel"]["found"])

    def test_without_launchers(self):
        facts, found = self.facts(PATH="/nonexistent", LD_LIBRARY_PATH=str(self.installation("mpich")))
        self.assertIn("no launcher", facts["MPICH"]["found"])
        self.assertIn("apt install mpich", facts["MPICH"]["follows"])
        self.assertEqual(facts["MPICH"]["level"], "warn")
        mpi = next(mpi for mpi in found["mpis"] if mpi["product"] == "MPICH")
        self.assertIsNone(mpi["launcher"])
        self.assertTrue(mpi["served"])
        self.assertIn("apt install mpich", mpi["why"])

    def test_an_mpi_that_lapwing_does_not_serve(self):
        """One that grants one thread at a time, and one that cannot be asked."""
        (self.folder / "mpi.c").write_text("""
            int PMPI_Get_library_version(char *text, int *length) {
              *length = __builtin_sprintf(text, "MPICH Version: 4.9.1\\nMPICH Device: ch9:straw\\n");
              return 0;
            }
            int PMPI_Init_thread(int *argc, char ***argv, int wanted, int *granted) { *granted = 2; return FAILS; }
            int PMPI_Finalize(void) { return 0; }""")
        by_folder = {}
        for fails in (0, 1):
            folder = self.folder / str(fails)
            folder.mkdir()
            subprocess.run(["gcc", "-shared", "-fPIC", f"-DFAILS={fails}", self.folder / "mpi.c", "-o",
                            folder / "libmpi.so.12"], check=True)
            by_folder[fails] = str(folder / "libmpi.so.12")
        facts, found = self.facts(LD_LIBRARY_PATH=f"{self.folder}/0:{self.folder}/1")
        serial, silent = (next(mpi for mpi in found["mpis"] if mpi["library"] == by_folder[fails]) for fails in (0, 1))
        self.assertEqual((serial["product"], serial["version"], serial["thread_level"], serial["transports"]),
                         ("MPICH", "4.9.1", "MPI_THREAD_SERIALIZED", ["ch9:straw"]))
        self.assertFalse(serial["served"])
        self.assertIn("MPI_THREAD_MULTIPLE" if "mpich" in FLAVOURS else "is missing", serial["why"])
        self.assertIn("run plainly", serial["why"])
        self.assertIsNone(silent["thread_level"])
        self.assertNotEqual(silent["why"], serial["why"] if "mpich" in FLAVOURS else "")
        self.assertIn("4.9.1", facts["MPICH"]["found"])

    def test_each_mpi_is_asked(self):
        _, found = self.facts()
        by_product = {mpi["product"]: mpi for mpi in found["mpis"]}
        for product, family in HERE.items():
            mpi = by_product[product]
            self.assertEqual((mpi["family"], mpi["thread_level"], mpi["served"]), (family, "MPI_THREAD_MULTIPLE", True))
            self.assertRegex(mpi["version"], r"^[45]\.")
            self.assertTrue(pathlib.Path(mpi["library"]).exists(), mpi)
            self.assertTrue(mpi["transports"], mpi)
            for transport in mpi["transports"]:
                self.assertRegex(transport, r"^\w+:[\w, ]+$")
            self.assertEqual(mpi["slurm"]["plugin"], {"mpich": "pmi2", "openmpi": "pmix"}[family])
            if not found["slurm"]["answers"]:
                self.assertEqual(mpi["slurm"]["start"], f"srun --mpi={mpi['slurm']['plugin']}")
                self.assertIsNone(mpi["slurm"]["plugin_there"])
            self.assertEqual(mpi["why"], "its programs can be run with Lapwing")
        self.assertIn("Slurm", {fact["name"] for fact in found["facts"]})

    def test_profiles(self):
        place = self.folder / "lapwing"
        place.mkdir()
        for text, said in (("{ damaged", "damaged"), ('{"mpi": "mpich", "overhead_us": 3}', "another version")):
            (place / "profile.json").write_text(text)
            fact = self.facts(XDG_CONFIG_HOME=str(self.folder))[0]["profile"]
            self.assertEqual(fact["level"], "no")
            self.assertIn(said, fact["found"])
        (place / "profile.json").write_text('{"lapwing_profile": 2, "records": []}')
        self.assertEqual(self.facts(XDG_CONFIG_HOME=str(self.folder))[0]["profile"]["level"], "warn")
        self.assertEqual(self.facts()[0]["profile"]["level"], "warn")


class Profile(CommandTest):
    def test_run_uses_the_stored_profile(self):
        place = self.folder / "lapwing"
        place.mkdir()
        (place / "profile.json").write_text("{}")
        program = pathlib.Path(probe("openmpi"))
        result = self.lapwing("run", "--dry-run", "-n", 1, program, status=0,
                              env={"XDG_CONFIG_HOME": str(self.folder)})
        self.assertIn(f"LAPWING_PROFILE={place / 'profile.json'}", result.stdout)

    def test_bad_input(self):
        self.assertIn("no mpiexec is installed", self.lapwing("tune", status=127,
                      env={"PATH": "/nonexistent"}).stderr)
        result = self.lapwing("tune", "--", "./launch", "-n", 2, status=2)
        self.assertIn("--mpi", result.stderr)
        (self.folder / "file").write_text("")
        result = self.lapwing("tune", "--profile", self.folder / "file" / "p.json", status=125)
        self.assertIn("--profile", result.stderr)
        result = self.lapwing("tune", "--profile", "/proc/p.json", status=125)
        self.assertIn("nothing can be written in /proc", result.stderr)
        self.assertIn("there is no profile", self.lapwing("tune", "--show", status=125).stderr)
        (self.folder / "file").write_text('{"mpi": "mpich", "overhead_us": 3}')
        result = self.lapwing("tune", "--show", "--profile", self.folder / "file", status=125)
        self.assertIn("another version of Lapwing; measure again with `lapwing tune`", result.stderr)
        self.assertIn("--show starts nothing", self.lapwing("tune", "--show", "--", "mpiexec", status=2).stderr)

    def test_what_tune_keeps_is_used(self):
        path = self.folder / "new" / "profile.json"
        for mpi in FLAVOURS:
            result = self.lapwing("tune", "--mpi", mpi, "--profile", path, status=0, timeout=200)
            self.assertIn(str(path), result.stdout)
        kept = json.loads(path.read_text())
        self.assertEqual(len(kept["records"]), len(FLAVOURS))   # one beside the other
        shown = [json.loads(line) for line in
                 self.lapwing("tune", "--show", "--json", "--profile", path, status=0).stdout.splitlines()]
        for record in shown:
            self.assertEqual(record["link"], "same node")
            self.assertTrue(record["holds_here"])
            for name in ("send_overhead_us", "receive_overhead_us", "gap_us", "round_trip_us", "gap_ns_per_byte",
                         "copy_ns_per_byte"):
                self.assertGreater(record[name], 0, name)
            for guard, sizes in record["thresholds"].items():
                self.assertGreater(record[guard]["fault_us"], 0)
                self.assertGreater(record[guard]["close_us"], 0)
                self.assertEqual(list(sizes), ["guard_bytes", "strip_bytes", "first_bytes"])
        self.assertIn("round_trip_us", self.lapwing("tune", "--show", "--profile", path, status=0).stdout)
        for number, mpi in enumerate(FLAVOURS):
            with self.subTest(mpi):
                self.check_use(mpi, kept, path, number)

    def check_use(self, mpi, kept, path, number):
        """Nothing is deferred over a link that its processors carry; a record that does not hold changes nothing."""
        def run(text):
            path.write_text(text)
            report = self.folder / "report"
            done = self.lapwing("run", "--profile", path, "--defer", "on", "--report", report, "-n", 2,
                                PROGRAMS / mpi / "waits", "late", status=0)
            found = json.loads(self.lapwing("report", "--json", report, status=0).stdout)
            return sum(site["deferred"] for site in found["sites"]), done.stderr

        def having(**changes):
            return json.dumps({**kept, "records": [{**record, **changes} for record in kept["records"]]})

        copied = {"gap_ns_per_byte": 0.1, "send_ns_per_byte": 0.1, "receive_ns_per_byte": 0.1, "spare_cores": 0}
        self.assertEqual(run(having(**copied))[0], 0)
        refused, said = ((having(**copied, kernel="2.6"), "another kernel (2.6"),
                         (having(**copied)[:-3], "is damaged or cut off"))[number % 2]
        deferred, told = run(refused)
        self.assertIn(said, told)
        self.assertEqual(told.count("lapwing:"), 1, told)
        self.assertGreater(deferred, 0)   # as without a profile


if __name__ == "__main__":
    unittest.main()
