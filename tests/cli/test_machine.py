# SPDX-License-Identifier: Apache-2.0
"""lapwing doctor, tune and bench."""
import json
import pathlib
import unittest

from support import FLAVOURS, CommandTest, probe


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
        self.assertIsNone(next(mpi for mpi in found["mpis"] if mpi["product"] == "MPICH")["launcher"])

    def test_each_mpi_is_asked(self):
        _, found = self.facts()
        by_product = {mpi["product"]: mpi for mpi in found["mpis"]}
        for product, family in HERE.items():
            mpi = by_product[product]
            self.assertEqual((mpi["family"], mpi["thread_level"], mpi["served"]), (family, "MPI_THREAD_MULTIPLE", True))
            self.assertRegex(mpi["version"], r"^[45]\.")
            self.assertTrue(pathlib.Path(mpi["library"]).exists(), mpi)
            self.assertTrue(mpi["transports"], mpi)
            self.assertIn("srun --mpi=pmi", mpi["slurm"])
        self.assertIn("Slurm", {fact["name"] for fact in found["facts"]})

    def test_profiles(self):
        place = self.folder / "lapwing"
        place.mkdir()
        (place / "profile.json").write_text("{ damaged")
        self.assertEqual(self.facts(XDG_CONFIG_HOME=str(self.folder))[0]["profile"]["level"], "no")
        (place / "profile.json").write_text("{}")
        self.assertEqual(self.facts(XDG_CONFIG_HOME=str(self.folder))[0]["profile"]["level"], "ok")
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

    def test_tune_stores_what_it_found(self):
        for mpi in FLAVOURS:
            with self.subTest(mpi):
                path = self.folder / "new" / f"{mpi}.json"
                result = self.lapwing("tune", "--mpi", mpi, "--profile", path, status=0, timeout=200)
                self.assertTrue(json.loads(path.read_text()))
                self.assertIn(str(path), result.stdout)


if __name__ == "__main__":
    unittest.main()
