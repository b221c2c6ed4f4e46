# SPDX-License-Identifier: Apache-2.0
"""The two shell scripts of a lab: `enter` goes into a host, `rsh` does so in the manner of ssh."""
import os
import shlex

_ENTER = """#!/bin/sh
# enter HOST COMMAND...: runs the command on a host of this lab.
host=$1; shift
case $host in
{cases}
  *) echo "netlab: this lab has no host '$host'" >&2; exit 255 ;;
esac
exec nsenter --target "$pid" --mount --net --uts --ipc -- env -C "$(pwd)" $pin "$@"
"""

_RSH = """#!/bin/sh
# rsh [OPTIONS OF SSH] HOST COMMAND...: as ssh, the words are joined and given to a shell there.
while [ $# -gt 0 ]; do
  case $1 in
    -[bcDeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=${{1#*@}}; shift
exec {enter} "$host" /bin/sh -c "$*"
"""


def write(folder, spec, host_pids):
    cases = []
    for host, pid in enumerate(host_pids, start=1):
        pin = f"taskset -c {spec.core(host)}" if spec.pin else ""
        cases.append(f"  {spec.address(host)}|{spec.host_name(host)}|{host}) pid={pid} pin='{pin}' ;;")
    enter = os.path.join(folder, "enter")
    _put(enter, _ENTER.format(cases="\n".join(cases)))
    _put(os.path.join(folder, "rsh"), _RSH.format(enter=shlex.quote(enter)))


def _put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
