# SPDX-License-Identifier: Apache-2.0
"""What `lapwing run` makes of a command line, seen by --dry-run."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from support import FLAVOURS, PRELOAD, PROGRAMS, CommandTest, needs, probe

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class DryRun(CommandTest):
    def words(self, *arguments, env=None):
        result = self.lapwing("run", "--dry-run", *arguments, status=0, env=env)
        return shlex.split(result.stdout.splitlines()[0])

    def test_n_takes_the_launcher_of_the_programs_mpi(self):
        for flavour, launcher in FLAVOURS.items():
            words = self.words("-n", 2, probe(flavour), "lines")
            if words[0] != launcher:  # an MPI whose commands have other names: the tests' own calls its launcher
                self.assertIn(f"exec {shutil.which(words[0])} ", pathlib.Path(shutil.which(launcher)).read_text(encoding="utf-8"))
            self.assertEqual(words[-4:], ["-n", "2", probe(flavour), "lines"])

    def test_variables_go_by_the_launchers_own_option(self):
        words = self.words("--defer", "on", "-n", 2, probe("mpich"))
        at = words.index("LAPWING_DEFER")
        self.assertEqual(words[at - 1:at + 2], ["-genv", "LAPWING_DEFER", "on"])
        self.assertIn(str(PRELOAD), words)
        words = self.words("--defer", "on", "-n", 2, probe("openmpi"))
        at = words.index("LAPWING_DEFER=on")
        self.assertEqual(words[at - 1], "-x")
        self.assertIn(f"LD_PRELOAD={PRELOAD}", words)

    def test_each_option_becomes_its_variable(self):
        options = {"--guard": ("mprotect", "LAPWING_GUARD"),
                   "--threshold-guard": ("64K", "LAPWING_THRESHOLD_GUARD"),
                   "--threshold-strip": ("1M", "LAPWING_THRESHOLD_STRIP"),
                   "--strip-first": ("16K", "LAPWING_STRIP_FIRST"),
                   "--strip-max": ("256K", "LAPWING_STRIP_MAX"),
                   "--window": ("512K", "LAPWING_WINDOW"), "--staging": ("1G", "LAPWING_STAGING"),
                   "--defer": ("on", "LAPWING_DEFER")}
        for option, (value, variable) in options.items():
            with self.subTest(option):
                self.assertIn(f"{variable}={value}", self.words(option, value, "-n", 2, probe("openmpi")))
        words = self.words("--no-helper", "--verbose", "--report", "r.json", "--env", "A=b c", "--env", "B=",
                           "-n", 2, probe("openmpi"))
        for expected in ("LAPWING_HELPER=off", "LAPWING_VERBOSE=1",
                         f"LAPWING_REPORT={self.folder / 'r.json'}",
                         "A=b c", "B="):
            self.assertIn(expected, words)

    def test_the_environments_variables_are_handed_on(self):
        words = self.words("-n", 2, probe("openmpi"), env={"LAPWING_WINDOW": "1M"})
        self.assertIn("LAPWING_WINDOW=1M", words)

    def test_an_option_wins_over_the_environment(self):
        words = self.words("--window", "2M", "-n", 2, probe("openmpi"), env={"LAPWING_WINDOW": "1M"})
        self.assertIn("LAPWING_WINDOW=2M", words)
        self.assertNotIn("LAPWING_WINDOW=1M", words)

    def test_the_users_preload_stays(self):
        for words in (self.words("-n", 2, probe("openmpi"), env={"LD_PRELOAD": "libm.so.6"}),
                      self.words("--", "mpiexec.openmpi", "-x", "LD_PRELOAD=libm.so.6", "-n", 2,
                                 probe("openmpi")),
                      self.words("--env", "LD_PRELOAD=libm.so.6", "-n", 2, probe("openmpi"))):
            self.assertEqual([word for word in words if "LD_PRELOAD" in word],
                             [f"LD_PRELOAD={PRELOAD}:libm.so.6"])
        words = self.words("--", "mpiexec.mpich", "-genv", "LD_PRELOAD", "libm.so.6", "-n", 2, probe("mpich"))
        self.assertEqual(words.count("LD_PRELOAD"), 1)
        self.assertIn(f"{PRELOAD}:libm.so.6", words)

    def test_a_sanitizers_runtime_comes_first(self):
        words = self.words("--", next(iter(FLAVOURS.values())), "-n", 1, "/bin/sh", "-c", "true")
        self.assertNotIn("asan", " ".join(words))
        result = self.lapwing("run", "--dry-run", "--", PROGRAMS / "cli_asan", status=0)
        self.assertIn("no MPI library", result.stderr)   # found by its libraries, not by its sanitizer

    @needs("mpich")
    def test_a_program_that_needs_mpi_by_lapwings_library_alone(self):
        """Under Open MPI, whose handles are variables of its library, there is none."""
        program = PROGRAMS / "mpich" / "split_waits"
        needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
        self.assertIn("[liblapwing-mpich.so]", needed)
        self.assertNotRegex(needed, r"NEEDED.*\[libmpi")
        result = self.lapwing("run", "--dry-run", "-n", 2, program, status=0)
        self.assertEqual(result.stderr, "")
        self.assertIn(FLAVOURS["mpich"], result.stdout)
        self.assertIn(str(PRELOAD), result.stdout)

    def test_a_library_that_is_not_found(self):
        """It may be what needs MPI."""
        library = self.folder / "libphysics.so"
        subprocess.run(["cc", "-shared", "-Wl,-soname,libphysics.so", "-o", library, "-x", "c", "-"], input="int physics;", text=True, check=True)
        program = self.folder / "model"
        subprocess.run(["cc", "-o", program, "-x", "c", "-", "-x", "none", "-Wl,--no-as-needed", library],
                       input="int main(void) { return 0; }", text=True, check=True)
        library.unlink()
        result = self.lapwing("run", "--dry-run", "--", next(iter(FLAVOURS.values())), "-n", 1, program, status=0)
        self.assertIn("linked with no MPI library that can be found", result.stderr)
        self.assertIn("libphysics.so", result.stderr)

    def test_one_program_is_a_uniform_job(self):
        self.assertIn("LAPWING_JOB=uniform", self.words("--", "mpiexec.openmpi", "-n", 2, probe("openmpi")))

    def test_several_programs_are_not(self):
        program = probe("openmpi")
        words = self.words("--", "mpiexec.openmpi", "-n", 1, program, ":", "-n", 1, program)
        self.assertNotIn("LAPWING_JOB=uniform", words)
        self.assertEqual(words.count(f"LD_PRELOAD={PRELOAD}"), 2)   # -x speaks for one program only
        words = self.words("--", "mpiexec.mpich", "-n", 1, "-env", "A", "b", probe("mpich"))
        self.assertNotIn("uniform", words)
        words = self.words("--", "mpiexec.openmpi", "-n", 2, "/bin/sh", "-c", program)
        self.assertNotIn("LAPWING_JOB=uniform", words)   # a script may start anything

    def test_programs_arguments_are_left_alone(self):
        words = self.words("--", "mpiexec.mpich", "-n", 1, probe("mpich"), "-genv", "LD_PRELOAD", "x", "--",
                           "--defer")
        self.assertEqual(words[-5:], ["-genv", "LD_PRELOAD", "x", "--", "--defer"])
        words = self.words("-n", 1, probe("mpich"), "--", "-n", "3")
        self.assertEqual(words[-3:], ["--", "-n", "3"])

    def test_wrappers_are_looked_through(self):
        words = self.words("--", "env", "A=b", "mpiexec.mpich", "-n", 1, "env", "C=d", probe("mpich"))
        self.assertEqual(words[:3], ["env", "A=b", "mpiexec.mpich"])
        self.assertEqual(words[3], "-genv")

    def test_open_mpis_other_way_to_pass_variables(self):
        words = self.words("--", "mpiexec.openmpi", "-n", 1, probe("openmpi"),
                           env={"OMPI_MCA_mca_base_env_list": "HOME"})
        self.assertNotIn("-x", words)   # Open MPI refuses both at once
        chosen = next(word for word in words if word.startswith("OMPI_MCA_mca_base_env_list="))
        self.assertTrue(chosen.startswith("OMPI_MCA_mca_base_env_list=HOME;LD_PRELOAD"))

    def test_the_launcher_lies_beside_the_library(self):
        for flavour, text in (("mpich", "HYDRA build details:"), ("openmpi", "mpiexec (Open MPI) 5.0.11")):
            with self.subTest(flavour):
                libraries = self.installation(flavour)
                launcher = libraries.parent / "bin" / "mpiexec"
                launcher.parent.mkdir()
                launcher.write_text(f"#!/bin/sh\necho '{text}'\n")
                launcher.chmod(0o755)
                env = {"LD_LIBRARY_PATH": str(libraries)}
                self.assertEqual(self.words("-n", 2, probe(flavour), env=env)[0], str(launcher))
                # In PATH it is the same by its name alone, and the user's word counts before all.
                path = {"PATH": f"{launcher.parent}:{os.environ['PATH']}"}
                self.assertEqual(self.words("-n", 2, probe(flavour), env={**env, **path})[0], "mpiexec")
                words = self.words("--launcher", f"{FLAVOURS[flavour]} -q", "-n", 2, probe(flavour), env=env)
                self.assertEqual(words[0], FLAVOURS[flavour])
                self.assertIn("-q", words)

    def test_python_scripts_are_started_by_the_launcher_of_their_mpi4py(self):
        python = "/usr/bin/python3"
        if subprocess.run([python, "-c", "import mpi4py"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no mpi4py here")
        direct = self.words("-n", 2, python, "-c", "pass")
        script = self.script("app.py", f"#!{python} -B\n") / "app.py"
        self.assertEqual(self.words("-n", 2, script)[0], direct[0])

    def test_slurm_as_the_launcher(self):
        folder = self.script("srun", "#!/bin/sh\n")
        path = {"PATH": f"{folder}:{os.environ['PATH']}"}
        for flavour, plugin in (("mpich", "--mpi=pmi2"), ("openmpi", "--mpi=pmix")):
            words = self.words("--launcher", "srun", "-n", 4, probe(flavour), env=path)
            self.assertEqual(words[0], "srun")
            self.assertEqual(words[2:], [plugin, "-n", "4", probe(flavour)])
            self.assertIn("LAPWING_JOB=uniform", words[1])
            words = self.words("--launcher", "srun --mpi=none", "-n", 4, probe(flavour), env=path)
            self.assertNotIn(plugin, words)
            words = self.words("--launcher", "srun", "-n", 4, probe(flavour), env={**path, "SLURM_MPI_TYPE": "none"})
            self.assertNotIn(plugin, words)

    def test_each_program_of_a_slurm_job_gets_the_variables(self):
        folder = self.script("srun", "#!/bin/sh\n")
        path = {"PATH": f"{folder}:{os.environ['PATH']}"}
        program = probe("mpich")
        words = self.words("--", "srun", "-n", 1, program, ":", "--export=NONE", "-n", 1, program, env=path)
        self.assertTrue(words[1].startswith(f"--export=ALL,LD_PRELOAD={PRELOAD}"), words)
        self.assertTrue(words[6].startswith(f"--export=LD_PRELOAD={PRELOAD}"), words)
        words = self.words("--", "srun", program, env={**path, "SLURM_EXPORT_ENV": "NONE"})
        self.assertTrue(words[1].startswith(f"--export=LD_PRELOAD={PRELOAD}"), words)

    def test_slurm(self):
        folder = self.script("srun", "#!/bin/sh\n")
        path = {"PATH": f"{folder}:{os.environ['PATH']}"}
        words = self.words("--", "srun", "-n", 2, probe("mpich"), env=path)
        self.assertTrue(words[1].startswith(f"--export=ALL,LD_PRELOAD={PRELOAD}"), words)
        words = self.words("--", "srun", "--export=HOME", "-n", 2, probe("mpich"), env=path)
        self.assertTrue(words[1].startswith(f"--export=HOME,LD_PRELOAD={PRELOAD}"), words)
        words = self.words("--", "srun", "--export", "NONE", "-n", 2, probe("mpich"), env=path)
        self.assertTrue(words[2].startswith(f"LD_PRELOAD={PRELOAD}"), words)

    def test_a_launcher_of_any_name_is_known_by_its_version(self):
        for text, option in (("HYDRA build details:", "-genv"), ("mpiexec (OpenRTE) 4.1.4", "-x")):
            flavour = "mpich" if option == "-genv" else "openmpi"
            folder = self.script("mpirun", f"#!/bin/sh\necho '{text}'\n")
            words = self.words("--", folder / "mpirun", "-n", 1, probe(flavour))
            self.assertEqual(words[1], option)

    def test_hosts_and_unknown_options_of_the_launcher(self):
        words = self.words("--", "mpiexec.mpich", "-hosts", "a,b", "-future-option", "value", "-n", 1,
                           probe("mpich"))
        self.assertIn("uniform", words)   # the program was found behind them


class BadInput(CommandTest):
    def complaint(self, *arguments, status, env=None):
        result = self.lapwing(*arguments, status=status, env=env)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("lapwing: "), lines)
        return lines[0]

    def test_unknown_options_and_commands(self):
        self.assertIn("did you mean --defer?", self.complaint("run", "--deffer", "on", "--", "true",
                                                              status=2))
        self.assertIn("did you mean --threshold-guard?",
                      self.complaint("run", "--treshold-guard", "1K", "-n", 2, "true", status=2))
        self.assertIn("did you mean doctor?", self.complaint("docter", status=2))
        self.assertIn("did you mean --sort?", self.complaint("report", "--srot", "bytes", status=2))
        self.assertIn("did you mean --json?", self.complaint("doctor", "--jsno", status=2))
        self.assertIn("did you mean --quick?", self.complaint("bench", "overlap", "--quik", status=2))
        self.assertIn("--zzzzzzzz", self.complaint("run", "--zzzzzzzz", status=2))

    def test_bad_values(self):
        self.assertIn("auto, on or off", self.complaint("run", "--defer", "maybe", "--", "true",
                                                             status=2))
        sentence = self.complaint("run", "--window", "lots", "--", "true", status=2)
        for word in ("--window lots", "64K"):
            self.assertIn(word, sentence)
        self.complaint("run", "-n", "0", "true", status=2)
        self.assertIn("NAME=VALUE", self.complaint("run", "--env", "NAME", "-n", 1, probe("mpich"), status=2))
        self.assertIn("overlap", self.complaint("bench", "everything", status=2))

    def test_nothing_to_run(self):
        self.assertIn("no program", self.complaint("run", status=2))
        self.assertIn("no program", self.complaint("run", "-n", 2, "--", status=2))

    def test_missing_programs(self):
        self.assertIn("./nothing", self.complaint("run", "./nothing", status=127))
        self.assertIn("./nothing", self.complaint("run", "-n", 2, "./nothing", status=127))
        (self.folder / "data").write_text("no program\n")
        self.assertIn("not an executable", self.complaint("run", "./data", status=126))

    def test_a_missing_launcher(self):
        nowhere = {"PATH": "/nonexistent"}
        said = self.complaint("run", "--", "mpiexec", "-n", 2, probe("mpich"), status=127, env=nowhere)
        self.assertIn("mpiexec is not installed", said)
        said = self.complaint("run", "-n", 2, probe("openmpi"), status=127,
                              env={**nowhere, "LD_LIBRARY_PATH": str(self.installation("openmpi"))})
        self.assertIn("openmpi-bin", said)
        self.assertIn("Slurm", self.complaint("run", "--", "srun", "-n", 2, probe("mpich"), status=127,
                                              env=nowhere))

    def test_both_a_launcher_and_a_number(self):
        self.assertIn("-n chooses", self.complaint("run", "-n", 2, "mpiexec", "-n", 2, probe("mpich"),
                                                   status=2))

    def test_unknown_variables_of_the_environment(self):
        result = self.lapwing("run", "--dry-run", "-n", 1, probe("openmpi"), status=0,
                              env={"LAPWING_DEFFER": "on"})
        self.assertIn("LAPWING_DEFFER", result.stderr)
        self.assertIn("did you mean LAPWING_DEFER?", result.stderr)
        self.assertNotIn("LAPWING_DEFFER", result.stdout)

    def test_variables_of_tasks(self):
        """What liblapwing-tasks reads reaches the program."""
        names = re.findall(r'^ +\{"([A-Z_]+)",', (SOURCE / "src/tasks/settings.cpp").read_text(), re.M)
        table = re.findall(r'"LAPWING_TASKS_([A-Z_]+)"', (SOURCE / "src/options/options.def").read_text())
        self.assertEqual(sorted(names), sorted(table))
        for name in names:
            said = self.lapwing("run", "--dry-run", "-n", 1, probe("openmpi"), status=0,
                                env={f"LAPWING_TASKS_{name}": {"SCHEDULE": "central", "STACK": "64"}.get(name, "1")}).stderr
            self.assertNotIn(name, said)

    def test_bad_values_of_known_variables(self):
        result = self.lapwing("run", "--dry-run", "-n", 1, probe("openmpi"), status=0,
                              env={"LAPWING_GUARD": "fence"})
        self.assertIn("LAPWING_GUARD=fence", result.stderr)
        self.assertNotIn("LAPWING_GUARD", result.stdout)

    def test_help_and_version(self):
        self.assertRegex(self.lapwing("--version", status=0).stdout, r"^lapwing \d+\.\d+\.\d+\n$")
        for command in ("run", "report", "doctor", "demo", "bench", "tune"):
            self.assertIn(command, self.lapwing("--help", status=0).stdout)
            self.assertIn("--help", self.lapwing(command, "--help", status=0).stdout)
        self.assertIn("lapwing run -n 2", self.lapwing("run", "--help", status=0).stdout)


if __name__ == "__main__":
    unittest.main()
