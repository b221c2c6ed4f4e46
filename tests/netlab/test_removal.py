# SPDX-License-Identifier: Apache-2.0
"""However a lab ends, nothing of it is left."""
import json
import os
import pathlib
import signal
import subprocess

import support


class Removal(support.NetlabTest):
    def running(self, flavour="mpich"):
        """A run whose ranks are up."""
        process = self.start("run", "--mpi", flavour, "--", "sleep", "50")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_until(lambda: list(self.processes().values()).count("sleep 50 ") == 2, "two ranks")
        return process

    def links(self):
        return sorted(os.listdir("/sys/class/net"))

    def test_normal_end(self):
        before = self.links()
        for flavour in support.FLAVOURS:
            self.good("run", "--mpi", flavour, "--", "true")
            self.assert_nothing_left(limit_s=0.5)
        self.assertEqual(self.links(), before)

    def test_failing_program(self):
        self.assertEqual(self.netlab("run", "--mpi", "mpich", "--", "false")[0], 1)
        self.assert_nothing_left(limit_s=0.5)

    def test_signals_to_the_tool(self):
        for flavour in support.FLAVOURS:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
                with self.subTest(mpi=flavour, signal=number.name):
                    process = self.running(flavour)
                    self.assertTrue(self.records())
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=40), -number)
                    self.assert_nothing_left()

    def test_interrupt_at_the_terminal(self):
        """Ctrl-C goes to the whole foreground group."""
        for flavour in support.FLAVOURS:
            process = self.start("run", "--mpi", flavour, "--", "sleep", "50", start_new_session=True,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_until(lambda: list(self.processes().values()).count("sleep 50 ") == 2, "two ranks")
            os.killpg(process.pid, signal.SIGINT)
            self.assertEqual(process.wait(timeout=40), -signal.SIGINT)
            self.assert_nothing_left()

    def test_tool_killed_while_it_sets_up(self):
        for delay_ms in (30, 60, 90, 120, 150, 180, 220):
            with self.subTest(delay_ms=delay_ms):
                process = self.start("up", "--hosts", 20, stderr=subprocess.DEVNULL)
                try:
                    process.wait(timeout=delay_ms / 1000)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                with process.stdout:
                    name = process.stdout.read().strip()
                if name:   # it was quick enough
                    self.good("down", name)
                self.wait_until(lambda: not self.processes(), "no process")
                self.good("clean")
                self.wait_until(lambda: self.good("clean") == "" and not self.records(), "no record")

    def test_keeper_killed(self):
        process = self.running()
        keeper = json.loads(self.good("list", "--json"))["keeper"]
        os.kill(keeper, signal.SIGKILL)
        self.assertNotEqual(process.wait(timeout=40), 0)
        self.assert_nothing_left()

    def test_whatever_the_job_left_running(self):
        self.good("with", "--", "sh", "-c", "setsid sleep 51 >/dev/null 2>&1 & exit 0")
        self.assert_nothing_left(limit_s=0.5)

    def test_shared_memory_goes_too(self):
        name = "/dev/shm/" + self.environment["NETLAB_TEST_MARK"]
        self.good("run", "--mpi", "mpich", "--", "sh", "-c", f"echo x > {name}; cat {name}")
        self.assertFalse(os.path.exists(name))

    def dead_record(self):
        """What is left when the tool, the keeper and the machine's power go at once."""
        folder = pathlib.Path(self.folder) / f"netlab-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "dead").mkdir()
        gone = subprocess.Popen(["true"])
        gone.wait()
        (folder / "dead.json").write_text(json.dumps({"name": "dead", "keeper": gone.pid, "keeper_start": 1}))
        reused = {"name": "reused", "keeper": os.getpid(), "keeper_start": 1}   # the id lives, as another
        (folder / "reused.json").write_text(json.dumps(reused))

    def test_clean_removes_the_dead_only(self):
        name = self.good("up").strip()
        self.dead_record()
        self.assertEqual(self.good("list").split()[0], name)
        out = self.good("clean")
        self.assertIn("dead", out)
        self.assertIn("reused", out)
        self.assertNotIn(name, out)
        self.good("exec", name, "--", "true")
        self.good("down", name)
        self.assert_nothing_left()

    def test_the_next_run_cleans(self):
        self.dead_record()
        self.good("run", "--mpi", "mpich", "--", "true")
        self.assert_nothing_left(limit_s=0.5)


if __name__ == "__main__":
    support.main()
