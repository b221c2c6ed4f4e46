# SPDX-License-Identifier: Apache-2.0
"""Without root a lab lives in a user namespace; without that the tool says what lacks."""
import json
import os
import shutil
import subprocess
import sys

import support
from support import FLAVOURS

NOBODY = 65534
_AS_NOBODY = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]


class Privilege(support.NetlabTest):
    def setUp(self):
        """A copy of tool and programs where everybody may read them, and a Python that nobody may run."""
        super().setUp()
        shutil.copytree(support.TOOLS / "netlab", os.path.join(self.folder, "netlab"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        for flavour in FLAVOURS:
            shutil.copy(support.program(flavour), os.path.join(self.folder, flavour))
        self.drop = _AS_NOBODY if os.getuid() == 0 else []
        if self.drop:
            for path, _, _ in os.walk(self.folder):
                os.chown(path, NOBODY, NOBODY)
        self.python = next((path for path in ("/usr/bin/python3", sys.executable) if self.can_run(path)), None)
        if not self.python:
            self.skipTest("an unprivileged user can run no Python here")
        # As a user's: no /usr/sbin. Where an MPI lies elsewhere, the tree has commands that lead there.
        own = [folder for folder in os.environ["PATH"].split(":") if folder.endswith("tests/commands")]
        self.environment.update(HOME=self.folder, PATH=":".join([*own, "/usr/bin", "/bin"]))

    def can_run(self, python):
        try:
            return subprocess.run(self.drop + [python, "-c", "import json"], capture_output=True, cwd="/",
                                  check=False).returncode == 0
        except OSError:
            return False

    def tool(self, *words, before=()):
        return subprocess.run([*self.drop, *before, self.python, os.path.join(self.folder, "netlab", "netlab"), *words],
                              env=self.environment, capture_output=True, text=True, timeout=support.LIMIT_S,
                              cwd=self.folder, check=False)

    def test_user_namespace(self):
        able = subprocess.run([*self.drop, "unshare", "-Urn", "true"], capture_output=True, text=True, check=False)
        if able.returncode != 0:
            self.skipTest("this kernel gives users no user namespaces: " + able.stderr.strip())
        self.assertIn("user namespace of its own", self.tool("check").stdout)
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                done = self.tool("run", "--json", "--", "./" + flavour, str(1 << 20), "8")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(float(done.stdout.split("MB/s ")[1].split()[0]), 1.15 * 125)
        name = self.tool("up").stdout.strip()
        self.assertIn(f"netlab-{name}-2", self.tool("exec", name, "--host", "2", "--", "hostname").stdout)
        self.assertEqual(self.tool("down", name).returncode, 0)
        self.assert_nothing_left()

    def test_no_namespaces_at_all(self):
        """In a user namespace whose owner has forbidden further ones, and without capabilities."""
        forbid = ["unshare", "-Ur", "sh", "-c",
                  'echo 0 > /proc/sys/user/max_user_namespaces || exit 99; '
                  'exec setpriv --bounding-set -all --inh-caps -all --no-new-privs "$@"', "sh"]
        done = self.tool("check", before=forbid)
        if done.returncode == 99 or "unshare failed" in done.stderr:
            self.skipTest("this machine cannot be made to forbid user namespaces: " + done.stderr.strip())
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("No lab can be made.", done.stdout)
        self.assertIn("user.max_user_namespaces", done.stdout)
        done = self.tool("run", "--mpi", FLAVOURS[0], "--", "true", before=forbid)
        self.assertEqual(done.returncode, support.OWN_FAILURE)
        self.assertIn("Run as root, or have an administrator allow", done.stderr)
        self.assert_nothing_left()


class Check(support.NetlabTest):
    def test_says_what_there_is(self):
        told = json.loads(self.good("check", "--json"))
        self.assertTrue(told["ok"])
        for name in ("lab", "latency", *FLAVOURS):
            self.assertTrue(told["findings"][name]["text"].endswith("."), told)

    def test_needs(self):
        netem = json.loads(self.good("check", "--json"))["findings"]["latency"]["there"]
        status, out, _ = self.netlab("check", "--need", "latency")
        self.assertEqual(status, 0 if netem else 1)
        self.assertIn("netem", out)
        self.good("check", *(word for flavour in FLAVOURS for word in ("--need", flavour)))

    def test_missing_programs(self):
        with_python = os.path.join(self.folder, "bin")
        os.mkdir(with_python)
        for name in ("sh", "env", "hostname"):
            os.symlink(shutil.which(name), os.path.join(with_python, name))
        status, out, _ = self.netlab("check", "--need", "mpich", env={"PATH": with_python})
        self.assertEqual(status, 1)
        self.assertIn("nsenter is missing; install the package util-linux", out)
        self.assertIn("no mpiexec of MPICH", out)


if __name__ == "__main__":
    support.main()
