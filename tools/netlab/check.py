# SPDX-License-Identifier: Apache-2.0
"""`netlab check`: what this machine can do, found by doing it."""
import json
import os
import shutil
import subprocess

from . import launch
from .errors import NetlabError
from .lab import Lab

_TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux",
          "taskset": "util-linux", "env": "coreutils", "ldd": "libc-bin"}


def _lab_finding():
    """Builds a lab, and asks in it for netem."""
    try:
        with Lab(hosts=2, rate="1gbit") as lab:
            netem = subprocess.run(lab.inside(["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]),
                                   capture_output=True, check=False).returncode == 0
            how = ("in a user namespace of its own (no privilege is needed)" if lab.own_user
                   else "with the privilege of this user")
            return True, netem, f"A lab can be made {how}: hosts, bridge and rate limits (tbf) work."
    except NetlabError as error:
        pass_on = str(error)
    try:
        with Lab(hosts=1, rate="none"):
            return False, False, f"Hosts can be made, but links cannot be limited: {pass_on}"
    except NetlabError:
        return False, False, f"No lab can be made. {pass_on}"


def check(needs, as_json):
    """Prints the findings; 0 if labs with limited links, and all that is needed besides, can be had."""
    findings = []   # (name, there or not, sentence)
    for tool, package in _TOOLS.items():
        if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            findings.append((tool, False, f"The program {tool} is missing; install the package {package}."))
    made, netem, sentence = _lab_finding()
    findings.append(("lab", made, sentence))
    if made:
        findings.append(("latency", netem, "Latency can be added (netem)." if netem else
                         "Latency cannot be added: this kernel has no netem (CONFIG_NET_SCH_NETEM)."))
    for flavour in launch.FLAVOURS:
        try:
            findings.append((flavour, True, f"{flavour}: {launch.find_mpiexec(flavour)}."))
        except NetlabError as error:
            findings.append((flavour, False, str(error)))
    cores = len(os.sched_getaffinity(0))
    findings.append(("cores", True, f"{cores} cores: time only jobs of up to {cores} ranks."))
    required = {"lab", *needs, *(set(_TOOLS) - {"ldd", "taskset"})}
    lacking = [name for name, there, _ in findings if name in required and not there]
    if "latency" in needs and not made:
        lacking.append("latency")
    if as_json:
        print(json.dumps({"ok": not lacking, "lacking": lacking,
                          "findings": {name: {"there": there, "text": text} for name, there, text in findings}}))
    else:
        for _, there, text in findings:
            print(f"{'yes' if there else 'no ':3}  {text}")
    return 1 if lacking else 0
