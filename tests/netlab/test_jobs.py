# SPDX-License-Identifier: Apache-2.0
"""MPI jobs on a lab: placement, and everything that has to pass through."""
import json
import os
import re
import subprocess

import support
from support import FLAVOURS, OWN_FAILURE, for_each_mpi, program

RANK = "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"


class Jobs(support.NetlabTest):
    def shell(self, flavour, text, *options, **more):
        return self.good("run", "--mpi", flavour, *options, "--", "sh", "-c", text, **more)

    @for_each_mpi
    def test_hosts_differ(self, flavour):
        out = self.good("run", "--", program(flavour), 8, 1)
        hosts = dict(re.findall(r"rank (\d) host (\S+)", out))
        self.assertRegex(hosts["0"], r"^netlab-\w+-1$")
        self.assertEqual(hosts["1"], hosts["0"][:-1] + "2")

    @for_each_mpi
    def test_ranks_per_host(self, flavour):
        for per_host, expected in ((1, "1212"), (2, "1122")):
            out = self.shell(flavour, f"echo {RANK} $(hostname)", "--ranks-per-host", per_host, "-n", 4)
            hosts = dict(line.split() for line in out.splitlines())
            self.assertEqual("".join(hosts[str(rank)][-1] for rank in range(4)), expected)

    @for_each_mpi
    def test_status(self, flavour):
        self.assertEqual(self.netlab("run", "--", program(flavour), 8, 1, 7)[0], 7)
        self.assertNotEqual(self.netlab("run", "--", program(flavour))[0], 0)   # it calls MPI_Abort
        self.assertNotEqual(self.netlab("run", "--mpi", flavour, "--", "/no/such/program")[0], 0)

    @for_each_mpi
    def test_streams_and_folder(self, flavour):
        said = subprocess.run([f"mpiexec.{flavour}", "--version"], capture_output=True, text=True, check=False).stdout
        # The mpiexec of Open MPI 5 hands on what it reads, but not that it has ended: `mpiexec -n 1 cat` stays there.
        read = "head -n 1" if "(Open MPI) 5" in said else "cat"
        status, out, err = self.netlab("run", "--mpi", flavour, "-n", 1, "--", "sh", "-c",
                                       f"{read}; pwd; echo to-err >&2", text_in="to-in\n", cwd=self.folder)
        self.assertEqual((status, out.split()), (0, ["to-in", self.folder]))
        self.assertIn("to-err", err)

    @for_each_mpi
    def test_environment(self, flavour):
        library = next(path for path in ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/lib/libm.so.6",
                                         "/lib/aarch64-linux-gnu/libm.so.6") if os.path.exists(path))
        given = {"LD_PRELOAD": library, "LAPWING_VERBOSE": "1", "UCX_TLS": "self,tcp", "OMPI_MCA_btl": "self,tcp"}
        out = self.shell(flavour, 'echo "$LD_PRELOAD|$LAPWING_VERBOSE|$UCX_TLS|$OMPI_MCA_btl|$OWN"',
                         "--env", "OWN=two words", env=given)
        self.assertEqual(out.splitlines(), [f"{library}|1|self,tcp|self,tcp|two words"] * 2)

    def test_defaults_choose_the_links(self):
        out = self.shell("mpich", 'echo "$UCX_TLS $UCX_NET_DEVICES"')
        self.assertEqual(out.splitlines(), ["tcp,self eth0"] * 2)
        out = self.shell("openmpi", 'echo "$OMPI_MCA_pml $OMPI_MCA_btl"')
        self.assertEqual(out.splitlines(), ["ob1 tcp,self"] * 2)

    @for_each_mpi
    def test_several_programs(self, flavour):
        out = self.good("run", "--mpi", flavour, "-n", 1, "--", "echo", "first", ":", "-n", 2, "echo", "second")
        self.assertEqual(sorted(out.split()), ["first", "second", "second"])

    @for_each_mpi
    def test_mpiexec_arg(self, flavour):
        words = {"mpich": ["-genv", "A", "b"], "openmpi": ["-x", "A=b"]}
        out = self.shell(flavour, "echo $A", *[f"--mpiexec-arg={word}" for word in words[flavour]])
        self.assertEqual(out.split(), ["b", "b"])

    @for_each_mpi
    def test_pin(self, flavour):
        cores = sorted(os.sched_getaffinity(0))
        out = self.shell(flavour, f"echo {RANK}; grep Cpus_allowed_list /proc/self/status", "--pin", "-n", 1)
        self.assertEqual(out.split()[-1], str(cores[0]))
        free = self.shell("mpich", "grep Cpus_allowed_list /proc/self/status", "-n", 1)
        with open("/proc/self/status", encoding="ascii") as file:
            self.assertEqual(free.split()[-1], re.search(r"Cpus_allowed_list:\s*(\S+)", file.read()).group(1))

    def test_json(self):
        told = json.loads(self.good("run", "--json", "--mpi", "mpich", "--", "true").splitlines()[-1])
        self.assertEqual((told["mpi"], told["ranks"], told["status"]), ("mpich", 2, 0))

    def test_refusals_say_what_to_do(self):
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        os.chmod(script, 0o755)
        for words, sentence in ((["--", script], "--mpi mpich or --mpi openmpi"),
                                (["--", "./absent"], "no program './absent'"),
                                (["--rate", "fast", "--mpi", "mpich", "--", "true"], "such as 1gbit"),
                                (["--hosts", "0", "--mpi", "mpich", "--", "true"], "1 to 250"),
                                (["--env", "X", "--mpi", "mpich", "--", "true"], "NAME=VALUE"),
                                (["--mpi", "mpich"], "after '--'")):
            status, _, err = self.netlab("run", *words)
            self.assertEqual(status, OWN_FAILURE)
            self.assertIn(sentence, err)
        self.assert_nothing_left()

    def test_python(self):
        from netlab import Lab
        os.environ.update(TMPDIR=self.folder, NETLAB_TEST_MARK=self.environment["NETLAB_TEST_MARK"])
        self.addCleanup(os.environ.pop, "TMPDIR")
        with Lab(hosts=2, rate="1gbit") as lab:
            for flavour in FLAVOURS:
                done = lab.mpiexec(flavour, 2, [program(flavour), "8", "1", "5"], {"A": "b"},
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
                self.assertEqual(done.returncode, 5)
                self.assertIn("rank 1", done.stdout)
                command = lab.command(flavour, 2, ["hostname"])
                self.assertEqual(len(subprocess.check_output(command).split()), 2)
            running = lab.popen(FLAVOURS[0], 2, ["sleep", "50"])
            running.terminate()
            self.assertNotEqual(running.wait(timeout=5), 0)
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
