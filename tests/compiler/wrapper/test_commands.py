# SPDX-License-Identifier: Apache-2.0
"""The commands that would run: what is added to which step, what the wrapper's
own options do, what it prints, and how response files are read."""
import json
import shlex
import subprocess
import unittest

from support import FLAVOURS, WITH_FORTRAN, WrapperTest, needs, wanted


@wanted("clang-19", "flang-new-19")
class Steps(WrapperTest):
    def has_plugin(self, words):
        return f"-fpass-plugin={self.lib}/LapwingPass.so" in words

    def has_lto_plugin(self, words):
        return f"-Wl,--load-pass-plugin={self.lib}/LapwingPass.so" in words

    def test_the_pass_is_where_code_is_optimised(self):
        for flags in ("-O1 a.c", "-O a.c", "-Os -c a.c", "-O0 -O2 a.c b.o", "-O3 -S a.cpp", "-O2 -x c -", "-Ofast a.ll"):
            options, words = self.shown("lwcc.mpich", *flags.split())
            self.assertEqual((options, self.has_plugin(words)), ("mode=aggressive", True), flags)
        for flags in ("a.c", "-O0 a.c", "-O2 -O0 -c a.c", "-O2 a.o b.a", "-O2 -E a.c", "-O2 -M a.c", "-MM -O2 a.c",
                      "-O2 -fsyntax-only a.c", "-O2 a.s", "-O2", "-O2 --version", "-O2 -o a.c", "-O2 -include a.c b.o"):
            options, words = self.shown("lwcc.mpich", *flags.split())
            self.assertEqual((options, self.has_plugin(words)), (None, False), flags)
        self.assertTrue(self.has_plugin(self.shown("lwfc.openmpi", "-O2", "-c", "a.F90")[1]))

    def test_what_a_link_adds(self):
        for flavour in FLAVOURS:
            words = self.shown(f"lwcc.{flavour}", "a.o", "-lm")[1]
            engine = words.index(f"-llapwing-{flavour}")
            self.assertIn(f"-L{self.lib}", words)
            self.assertIn(f"-Wl,-rpath,{self.lib}", words)
            self.assertLess(words.index("-lm"), engine)
            self.assertLess(engine, words.index("-lmpich" if flavour == "mpich" else "-lmpi"))

    def test_the_folder_of_the_headers(self):
        headers = str(self.tree / "include")
        for flavour in FLAVOURS:
            for flags in ("-c a.c", "-E a.c", "a.c b.o", "-c a.h", "-O2 -x c -"):
                self.assertIn("-idirafter" + headers, self.shown(f"lwcc.{flavour}", *flags.split())[1], flags)
            for flags in ("a.o", "-c a.s", "-c a.ll", "-v"):
                self.assertNotIn("-idirafter" + headers, self.shown(f"lwcc.{flavour}", *flags.split())[1], flags)
            shown = self.call(f"lwcc.{flavour}", "-showme:incdirs").stdout
            self.assertIn(headers, shlex.split(shown))

    def test_what_is_no_link_adds_no_library(self):
        for flags in ("-c a.c", "-S a.c", "-E a.c", "-M a.c", "-c a.o", "a.h", "-r a.o b.o", "-fsyntax-only a.c"):
            words = self.shown("lwcc.mpich", *flags.split())[1]
            self.assertEqual([word for word in words if word.startswith(("-l", "-L", "-Wl"))], [], flags)
        # Nothing to read: nothing is added.
        for flags in ("--version", "-v", "-dumpmachine", "-print-search-dirs", "-cc1 -help"):
            self.assertEqual(self.shown("lwcc.openmpi", *flags.split())[1], ["clang-19", *flags.split()])

    def test_the_engine_stands_before_mpi_libraries_of_the_users(self):
        words = self.shown("lwc++.openmpi", "a.o", "-lprof", "/usr/lib/libmpi_mpifh.so.40", "-lmpi", "-lm")[1]
        places = [words.index(word) for word in ("-lprof", "-llapwing-openmpi", "/usr/lib/libmpi_mpifh.so.40")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(words.count("-llapwing-openmpi"), 1)

    def test_modes(self):
        for mode in ("conservative", "aggressive", "demand", "verify", "report"):
            self.assertEqual(self.shown("lwcc.mpich", "-O2", f"-flapwing={mode}", "-c", "a.c")[0], f"mode={mode}")
        for mode in ("demand", "verify"):
            words = self.shown("lwcc.mpich", f"-flapwing={mode}", "a.o", "-lm")[1]
            libraries = [word for word in words if word.startswith("-l")]
            self.assertEqual(libraries[0], "-llapwing-preload")
        for words in (["-c"], ["-flto", "-c"]):
            shown = self.shown("lwcc.mpich", "-O2", "-flapwing=verify", *words, "a.c")[1]
            self.assertIn("-gline-tables-only", shown)
        env = {"LAPWING_PASS": "extra"}
        self.assertEqual(self.shown("lwcc.mpich", "-O2", "a.c", env=env)[0], "mode=aggressive,extra")

    def test_profile(self):
        self.write("here.json", json.dumps({}))
        options = self.shown("lwcc.mpich", "-O2", "--lapwing-profile=here.json", "a.c")[0]
        self.assertEqual(options, f"mode=aggressive,profile={self.work}/here.json")
        self.refused("lwcc.mpich", "--lapwing-profile=gone.json", "a.c", says=["gone.json", "cannot be read"])
        self.refused("lwcc.mpich", "--lapwing-profile=", "a.c", says="names no file")

    def test_off(self):
        options, words = self.shown("lwcc.mpich", "-O2", "--lapwing-off", "-flto", "a.c", "-flapwing=demand")
        self.assertEqual(options, None)
        # A program that includes Lapwing's headers does so without the pass, too.
        self.assertEqual([word for word in words if "apwing" in word], [f"-idirafter{self.tree}/include"])
        self.assertIn("-lmpich", words)

    @wanted("ld.lld-19")
    def test_lto(self):
        # Compiled and linked at once, or linked only: the pass is in the linker, and only there.
        for flags in ("-O2 -flto a.c b.c", "-flto a.o", "-O2 -flto=full a.o", "-flto=thin -flto -O3 a.o"):
            options, words = self.shown("lwcc.mpich", *flags.split())
            self.assertEqual((options, self.has_plugin(words), self.has_lto_plugin(words)),
                             ("mode=aggressive", False, True), flags)
            self.assertIn("-fuse-ld=lld", words)
        for flags in ("-O2 -flto -c a.c", "-flto a.c", "-O0 -flto a.o", "-O2 -flto -fno-lto a.o"):
            options, words = self.shown("lwcc.mpich", *flags.split())
            self.assertEqual((options, self.has_plugin(words), self.has_lto_plugin(words)), (None, False, False), flags)
        words = self.shown("lwcc.mpich", "-O2", "-flto", "-fuse-ld=lld", "a.o")[1]
        self.assertEqual(words.count("-fuse-ld=lld"), 1)

    def test_lto_that_cannot_be(self):
        result = self.call("lwcc.mpich", "--lapwing-show", "-O2", "-flto=thin", "a.c")
        self.assertIn("-flto=thin it works on each file", result.stderr)
        self.assertIn("-fpass-plugin=", result.stdout)
        result = self.call("lwcc.mpich", "--lapwing-show", "-flto", "-fuse-ld=gold", "a.o")
        self.assertIn("in lld only, and this link uses gold", result.stderr)
        self.assertNotIn("load-pass-plugin", result.stdout)

    def test_static(self):
        result = self.call("lwcc.mpich", "--lapwing-show", "-O2", "-static", "a.c")
        self.assertIn("-static cannot link", result.stderr)
        self.assertNotIn("apwing", result.stdout.replace(str(self.folder), ""))

    def test_other_words_for_mpi(self):
        for other in (["-l", "mpich"], ["-l:libmpich.so"], ["-Wl,-lm,-lmpich"], ["-Xlinker", "-lmpich"]):
            words = self.shown("lwcc.mpich", "a.o", *other)[1]
            self.assertLess(words.index("-llapwing-mpich"), words.index(other[0]), words)

    def test_other_names_of_lld(self):
        result = self.call("lwcc.mpich", "--lapwing-show", "-flto", "-fuse-ld=lld-19", "a.o")
        self.assertNotIn("in lld only", result.stderr)

    def test_a_library_that_is_a_file(self):
        words = self.shown("lwcc.mpich", "-static-mpi", "-x", "c", "-")[1]
        archive = [word for word in words if word.endswith("libmpich.a")]
        self.assertEqual(len(archive), 1)
        last = len(words) - 1 - words[::-1].index("-x")
        self.assertEqual(words[last + 1], "none")
        self.assertLess(last, words.index(archive[0]))

    def test_fortran_takes_nothing_of_gfortran(self):
        for flavour in WITH_FORTRAN:
            words = self.shown(f"lwfc.{flavour}", "a.f90")[1]
            self.assertEqual([word for word in words if word.startswith("-f") or "usempi" in word], [])
            self.assertIn({"mpich": "-lmpichfort", "openmpi": "-lmpi_mpifh"}[flavour], words)

    def test_fortran_modules(self):
        for flavour in WITH_FORTRAN:
            if (self.lib / "lapwing").is_symlink():
                (self.lib / "lapwing").unlink()
            modules = self.lib / "lapwing" / flavour / "mod"
            modules.mkdir(parents=True)
            (modules / "mpi.mod").touch()
            archive = self.lib / f"liblapwing-mpifort-{flavour}.a"
            archive.unlink(missing_ok=True)
            archive.touch()
            for off in ([], ["--lapwing-off"]):
                words = self.shown(f"lwfc.{flavour}", "a.f90", *off)[1]
                includes = [word for word in words if word.startswith("-I")]
                self.assertEqual(includes[0], f"-I{modules}")
                libraries = [word for word in words if word.startswith("-l")]
                self.assertEqual(libraries[0], f"-llapwing-mpifort-{flavour}")
            self.assertNotIn(f"-I{modules}", self.shown(f"lwcc.{flavour}", "a.c")[1])

    def test_flang_compiles_no_c(self):
        self.refused("lwfc.mpich", "-c", "a.c", says=["flang 19 compiles no C", "lwcc -c"])

    def test_unknown_options(self):
        self.refused("lwcc", "--lapwing-of", "a.c", says="did you mean --lapwing-off?")
        self.refused("lwcc", "-flapwing=agressive", "a.c", says=["did you mean aggressive?", "conservative"])
        self.refused("lwcc", "-flapwing-mode=demand", "a.c", says="the option -flapwing-mode=demand is unknown")
        self.refused("lwcc", "--sets=of", "a.c", says=["unknown", "did you mean off?"])
        self.refused("lwcc", "-showme:libz", "a.c", says="did you mean -showme:libs?")
        self.refused("lwcc.openmpi", "-static-mpi", "a.c", says="one of MPICH's wrappers")
        self.assertEqual(self.shown("lwcc.mpich", "--sets=off", "a.o"), self.shown("lwcc.mpich", "a.o"))
        # What follows -o or -Xlinker is no option, whatever it looks like.
        self.assertIn("--lapwing-of", self.shown("lwcc.mpich", "a.o", "-o", "--lapwing-of")[1])
        self.assertIn("-show", self.shown("lwcc.mpich", "a.o", "-Xlinker", "-show")[1])

    def sets(self, *words):
        variables, command = self.shown("lwcc.mpich", *words)
        return variables or "", command

    def test_sets(self):
        # At every level of optimisation, and then no wait is moved.
        for level in ("-O0", "-O2"):
            passed, command = self.sets("--sets=run", level, "-c", "a.c")
            self.assertEqual(passed, "mode=aggressive,sets=run,sink=off")
            self.assertIn(f"-fpass-plugin={self.lib}/LapwingPass.so", command)
            # Reports name lines; what the user says of it comes later.
            self.assertLess(command.index("-gline-tables-only"), command.index("a.c"))
        # With LTO they go in while each file is compiled, and nothing runs at the link.
        for words in (["-flto", "-c", "a.c"], ["-flto=thin", "-c", "a.c"], ["-flto", "-O2", "a.c"]):
            passed, command = self.sets("--sets=check", *words)
            self.assertIn("sets=check,sink=off", passed)
            self.assertFalse([w for w in command if "--load-pass-plugin" in w])
        self.assertEqual(self.sets("--sets=run", "-flto", "a.o")[0], "")
        self.assertEqual(self.sets("--sets=run,p2p", "-c", "a.c")[0], "mode=aggressive,sets=run,p2p=on,sink=off")
        self.refused("lwcc", "--sets=check,p2p", "a.c", says=["unknown", "run,p2p"])
        # Waits are moved as well where the user says so and it can be.
        self.assertEqual(self.sets("--sets=run", "-flapwing", "-O2", "-c", "a.c")[0], "mode=aggressive,sets=run")

    def test_warnings_of_sets(self):
        self.assertEqual(self.sets("--sets=check", "-Wno-lapwing-sets", "-c", "a.c")[0],
                         "mode=aggressive,sets=check,warnings=off,sink=off")
        self.assertEqual(self.sets("--sets=check", "-Wno-lapwing-sets", "-Wlapwing-sets", "-c", "a.c")[0],
                         "mode=aggressive,sets=check,sink=off")
        # Run mode has none; the compiler never sees the names.
        passed, command = self.sets("--sets=run", "-Wno-lapwing-sets", "-c", "a.c")
        self.assertEqual(passed, "mode=aggressive,sets=run,sink=off")
        self.assertFalse([w for w in command if "lapwing-sets" in w])
        for given, word in (("-Werror=lapwing-sets", "-Werror=pass-failed"),
                            ("-Wno-error=lapwing-sets", "-Wno-error=pass-failed")):
            self.assertIn(word, self.sets("--sets=check", given, "-c", "a.c")[1])
        result = self.call("lwfc.mpich", "--lapwing-show", "--sets=check", "-Werror=lapwing-sets", "-c", "a.f90")
        self.assertIn("no effect in Fortran", result.stderr)
        self.assertNotIn("pass-failed", result.stdout)

    def test_declared(self):
        # In each file, at every level; waits are moved as well, but for the whole program's.
        for words, passed in ((["-O0"], "mode=aggressive,declared=on"), (["-O2"], "mode=aggressive,declared=on"),
                              (["-O2", "-flto"], "mode=aggressive,declared=on,sink=off"),
                              (["-O2", "--sets=run"], "mode=aggressive,sets=run,declared=on,sink=off")):
            variables, command = self.sets("--declared", *words, "-c", "a.c")
            self.assertEqual(variables, passed)
            self.assertIn(f"-fpass-plugin={self.lib}/LapwingPass.so", command)

    def test_sets_that_cannot_be_combined(self):
        for words, says in ((["--sets=check", "-flapwing"], "watches the calls"),
                            (["--sets=run", "-flapwing", "-flto"], "leave one of the three out"),
                            (["--sets=run", "--lapwing-off"], "no effect beside --lapwing-off"),
                            (["--declared", "-flapwing", "-flto"], "leave one of the three out"),
                            (["--declared", "--lapwing-off"], "no effect beside --lapwing-off")):
            result = self.call("lwcc.mpich", "--lapwing-show", *words, "-O2", "-c", "a.c")
            self.assertEqual(result.returncode, 0)
            self.assertIn(says, result.stderr)
            self.assertNotIn("sets=run ", result.stdout)

    def test_remarks_go_through(self):
        flags = ["-Rpass=lapwing", "-Rpass-missed=lapwing", "-fsave-optimization-record"]
        for name in ("lwcc.mpich", "lwfc.mpich"):
            words = self.shown(name, "-O2", *flags, "-c", "a.f90" if name == "lwfc.mpich" else "a.c")[1]
            self.assertEqual([word for word in words if word in flags], flags)


@wanted("clang-19", "flang-new-19")
class Shows(WrapperTest):
    def show(self, name, *arguments):
        result = self.call(name, *arguments)
        self.assertEqual(result.stderr, "")
        return shlex.split(result.stdout)

    def test_the_whole_command(self):
        for flavour in FLAVOURS:
            for option in ("-show", "-showme", "--showme", "-compile_info", "-link-info"):
                words = self.show(f"lwcc.{flavour}", option)
                self.assertEqual(words[0], "clang-19")
                self.assertIn(f"-llapwing-{flavour}", words)
            self.assertEqual(self.show(f"lwcc.{flavour}", "-O2", "-c", "a.c", "-show"),
                             self.shown(f"lwcc.{flavour}", "-O2", "-c", "a.c")[1])

    def test_parts(self):
        for flavour in FLAVOURS:
            for name, theirs in (("lwcc", "mpicc"), ("lwc++", "mpicxx")):
                plain = subprocess.run([f"{theirs}.{flavour}", "-show"], capture_output=True, text=True, check=True)
                plain = plain.stdout.split()
                wrapper = f"{name}.{flavour}"
                self.assertEqual(self.show(wrapper, "-showme:command"), ["clang-19" if name == "lwcc" else "clang++-19"])
                self.assertEqual(self.show(wrapper, "-showme:incdirs"), [w[2:] for w in plain if w.startswith("-I")]
                                 + [f"{self.tree}/include"])
                self.assertEqual(self.show(wrapper, "-showme:libs"), [f"lapwing-{flavour}"]
                                 + [w[2:] for w in plain if w.startswith("-l")])
                self.assertIn(str(self.lib), self.show(wrapper, "-showme:libdirs"))
                self.assertEqual(self.show(wrapper, "-showme:compile"), [w for w in plain if w.startswith(("-I", "-pthread"))]
                                 + [f"-idirafter{self.tree}/include"])
                link = self.show(wrapper, "-showme:link")
                self.assertEqual(self.show(wrapper, "-show-link-info"), link)
                self.assertIn(f"-llapwing-{flavour}", link)
                self.assertFalse([w for w in link if w.startswith("-I")])
        self.assertEqual(self.call("lwcc.mpich", "-showme:version").stdout.split()[:2], ["lwcc.mpich:", "MPICH"])
        self.assertEqual(self.call("lwfc.openmpi", "-showme:version").stdout.split()[1:3], ["Open", "MPI"])
        self.assertIn("-showme:incdirs", self.call("lwcc", "-showme:help").stdout)
        self.assertIn("--lapwing-off", self.call("lwcc", "--lapwing-help").stdout)

    def test_versions(self):
        for flavour in FLAVOURS:
            self.assertIn("clang version 19.", self.call(f"lwcc.{flavour}", "--version").stdout)
        result = self.call("lwcc.mpich", "-v")
        self.assertRegex(result.stdout, r"^lwcc.mpich for MPICH version \d")
        self.assertIn("clang version 19.", result.stderr)
        # What -E writes is for a compiler to read.
        result = self.call("lwcc.mpich", "-v", "-E", "-x", "c", "-", stdin="int only;\n")
        self.assertNotIn("MPICH", result.stdout)


@wanted("clang-19")
class Responses(WrapperTest):
    def words(self, *arguments):
        words = self.shown("lwcc.mpich", "-c", *arguments)[1]
        return words[2:words.index("END.c")]

    def test_quotes_as_gcc_reads_them(self):
        self.write("r", """-DA="x y" '-DB=it is' -DC=a\\ b -DD=\\"q\\"
            ''  "-DE='" '-DF=\\''\t-DG=""\n""")
        self.assertEqual(self.words("@r", "END.c"),
                         ["-DA=x y", "-DB=it is", "-DC=a b", '-DD="q"', "", "-DE='", "-DF='", "-DG="])

    def test_nested_and_missing(self):
        self.write("outer", "-DONE @inner @gone -DTHREE")
        self.write("inner", "-DTWO\n@deeper")
        self.write("deeper", "-DDEEP")
        self.assertEqual(self.words("@outer", "END.c"), ["-DONE", "-DTWO", "-DDEEP", "@gone", "-DTHREE"])
        self.write("empty", " \n\t")
        self.assertEqual(self.words("@empty", "END.c"), [])

    @needs("openmpi")
    def test_own_options_are_in_them(self):
        self.write("r", "-O2 --lapwing-mpi=openmpi -flapwing=report")
        options, words = self.shown("lwcc", "@r", "-c", "a.c")
        self.assertEqual(options, "mode=report")
        self.assertTrue([word for word in words if "openmpi" in word])

    def test_no_end(self):
        self.write("loop", "@loop")
        self.refused("lwcc.mpich", "@loop", says=["response file loop", "name itself"])
        self.refused("lwcc.mpich", f"@{self.lib}", says="is a directory")

    def test_more_than_a_command_line_holds(self):
        self.write("many", "\n".join(f"-DNAME{i}='\"a b{i}\"'" for i in range(200000)))
        source = self.write("a.c", "#if !defined(NAME0) || !defined(NAME199999)\n#error lost\n#endif\n"
                                   "const char* last = NAME199999;\n")
        self.call("lwcc.mpich", "-S", "-o", "a.s", "@many", source)
        self.assertIn("a b199999", (self.work / "a.s").read_text())


if __name__ == "__main__":
    unittest.main()
