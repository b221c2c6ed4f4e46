# SPDX-License-Identifier: Apache-2.0
"""Labs that stay, and commands that run many jobs in one lab."""
import json
import signal

import support
from support import FLAVOURS, OWN_FAILURE, program


class Kept(support.NetlabTest):
    def up(self, *options):
        name = self.good("up", *options).strip()
        self.addCleanup(self.netlab, "down", name)
        return name

    def test_life(self):
        name = self.up("--hosts", 3)
        self.assertEqual(json.loads(self.good("list", "--json"))["hosts"], 3)
        for host in (1, 2, 3):
            self.assertEqual(self.good("exec", name, "--host", host, "--", "hostname").strip(), f"netlab-{name}-{host}")
        for flavour in FLAVOURS:
            out = self.good("run", "--lab", name, "--mpi", flavour, "--", "hostname")
            self.assertEqual(sorted(out.split()), [f"netlab-{name}-{host}" for host in (1, 2, 3)])
        self.assertEqual(self.netlab("exec", name, "--", "sh", "-c", "exit 9")[0], 9)
        self.assertEqual(self.good("shell", name, "--host", 2, text_in="hostname\n", env={"SHELL": "/bin/sh"}).strip(),
                         f"netlab-{name}-2")
        self.good("down", name)
        self.assertEqual(self.good("list"), "")
        self.assert_nothing_left(limit_s=0.5)

    def test_hosts_reach_each_other_only(self):
        name = self.up()
        links = self.good("exec", name, "--", "ls", "/sys/class/net").split()
        self.assertIn("eth0", links)
        self.assertNotIn("netlab0", links)
        routes = self.good("exec", name, "--", "cat", "/proc/net/route").splitlines()[1:]
        self.assertEqual([line.split()[0] for line in routes], ["eth0"])   # its subnet; no way out
        self.assertNotEqual(routes[0].split()[1], "00000000")
        hosts = self.good("exec", name, "--", "getent", "hosts", f"netlab-{name}-2")
        self.assertIn(f"netlab-{name}-2", hosts)

    def test_an_ended_command_leaves_the_lab(self):
        name = self.up()
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.start("exec", name, "--", "sleep", "50") as process:
                self.wait_until(lambda: "sleep 50 " in self.processes().values(), "the command")
                process.send_signal(number)
                process.wait(timeout=40)
            self.wait_until(lambda: "sleep 50 " not in self.processes().values(), "the end of the command")
            self.good("exec", name, "--", "true")

    def test_names(self):
        name = self.up("--name", "mine")
        self.assertEqual(name, "mine")
        for words, sentence in ((["up", "--name", "mine"], "exists already"), (["up", "--name", "a/b"], "letters"),
                                (["down", "absent"], "no lab named absent"),
                                (["run", "--lab", "absent", "--mpi", "mpich", "--", "true"], "no lab named absent"),
                                (["run", "--lab", "mine", "--rate", "1gbit", "--mpi", "mpich", "--", "true"],
                                 "--rate cannot be used here"),
                                (["exec", "mine", "--host", "5", "--", "true"], "hosts 1 to 2")):
            status, _, err = self.netlab(*words)
            self.assertEqual(status, OWN_FAILURE, words)
            self.assertIn(sentence, err)

    def test_two_labs_at_once(self):
        names = [self.up(), self.up()]
        for name in names:
            out = self.good("run", "--lab", name, "--mpi", "mpich", "--", "hostname")
            self.assertEqual(sorted(out.split()), [f"netlab-{name}-1", f"netlab-{name}-2"])

    def test_with_runs_many_jobs(self):
        text = (f"$NETLAB_MPIEXEC_MPICH -n 2 {program('mpich')} 8 1 && "
                f"$NETLAB_MPIEXEC_OPENMPI -n 2 -x A=b {program('openmpi')} 8 1 && "
                f"'{support.NETLAB}' run -- {program('openmpi')} 8 1 && exit 11")
        status, out, err = self.netlab("with", "--", "sh", "-c", text)
        self.assertEqual(status, 11, err)
        hosts = {line.split()[3] for line in out.splitlines() if line.startswith("rank")}
        self.assertEqual(len(hosts), 2, "all three jobs ran on the hosts of one lab")
        self.assertEqual(out.count("rank 1"), 3)
        self.assert_nothing_left(limit_s=0.5)


if __name__ == "__main__":
    support.main()
