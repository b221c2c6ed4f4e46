# SPDX-License-Identifier: Apache-2.0
"""The machine that measured, in a few words."""
import os
import platform


def _cpuinfo(field):
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith(field):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def words():
    cores = len(os.sched_getaffinity(0))
    kind = "virtual machine" if " hypervisor" in _cpuinfo("flags") else "machine"
    kernel = ".".join(platform.release().split(".")[:2])
    model = " ".join(_cpuinfo("model name").split())
    return f"{kind}, {cores} core{'s' if cores != 1 else ''}{' of ' + model if model else ''}, {platform.system()} {kernel}"
