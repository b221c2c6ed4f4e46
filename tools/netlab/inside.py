# SPDX-License-Identifier: Apache-2.0
"""The two processes that hold a lab: its keeper, outside, and its first process, inside.

The first process is number 1 of the lab's process namespace: when it ends, the kernel ends every process
of the lab, and with the last of them go the network, the mounts and the host names. It ends when
  - the lifeline closes, that is, when whoever asked for the lab has ended in any way, unless he has
    sent KEEP through it before, or
  - the keeper ends, in any way.
The keeper then removes the lab's record and mount point.
"""
import json
import os
import signal
import socket
import sys

from . import kernel, network, registry, scripts
from .errors import NetlabError
from .spec import LabSpec

_LAB_NAMESPACES = (kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWPID
                   | kernel.CLONE_NEWNET)
KEEP = b"k"
_HOST_NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET

_NO_NAMESPACES = (
    "This machine lets neither this user nor a user namespace make network namespaces ({reason}). Run as "
    "root, or have an administrator allow unprivileged user namespaces (sysctl user.max_user_namespaces "
    "above 0; on Debian kernel.unprivileged_userns_clone=1; on Ubuntu "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container, the capability CAP_SYS_ADMIN).")


def keep(arguments):
    """Entry point of the keeper: SPEC_JSON FOLDER_OF_THE_LAB READY_FD LIFELINE_FD."""
    spec = LabSpec(**json.loads(arguments[0]))
    place, ready, lifeline = arguments[1], int(arguments[2]), int(arguments[3])
    kept = {"first": 0}

    def stop(_signal, _frame):
        if kept["first"]:
            os.kill(kept["first"], signal.SIGKILL)
        else:
            registry.forget_at(place)
            os._exit(1)

    signal.signal(signal.SIGTERM, stop)
    user_id, group_id = os.getuid(), os.getgid()
    try:
        own_user = _leave_machine(user_id, group_id)
        kept["first"] = os.fork()
        if kept["first"] == 0:
            _first_process(spec, place, ready, lifeline)
    except (OSError, NetlabError) as error:
        _say(ready, {"error": str(error)})
        return 1
    _say(ready, {"first": kept["first"], "own_user": own_user})
    os.close(ready)
    os.close(lifeline)
    os.waitpid(kept["first"], 0)
    try:
        kernel.unmount(place)   # seen only in the namespace that this process shares with the dead lab
    except OSError:
        pass
    registry.forget_at(place)
    return 0


def _say(descriptor, message):
    os.write(descriptor, (json.dumps(message) + "\n").encode())


def _leave_machine(user_id, group_id):
    """Goes into new namespaces; through one of the user's own (returns True) where privilege lacks."""
    try:
        kernel.unshare(_LAB_NAMESPACES)
        return False
    except OSError:
        pass
    try:
        kernel.unshare(_LAB_NAMESPACES | kernel.CLONE_NEWUSER)
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user_id} 1"), ("gid_map", f"0 {group_id} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
        return True
    except OSError as error:
        raise NetlabError(_NO_NAMESPACES.format(reason=str(error))) from None


def _first_process(spec, place, ready, lifeline):
    try:
        kernel.die_with_parent(signal.SIGKILL)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        _furnish(spec, place)
        network.without_ipv6()
        network.build_bridge(spec)
        pids = [_start_host(spec, host) for host in range(1, spec.hosts + 1)]
        scripts.write(place, spec, pids)
        _say(ready, {"hosts": pids})
        os.close(ready)
    except Exception as error:
        _say(ready, {"error": str(error)})
        os._exit(1)
    signal.signal(signal.SIGCHLD, _reap)
    _reap(0, None)
    if os.read(lifeline, 1) == KEEP:
        while True:
            signal.pause()
    os._exit(0)


def _reap(_signal, _frame):
    """Number 1 inherits every orphan of the lab."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _furnish(spec, place):
    """Private mounts: the lab's process table, its folder, and a hosts file with its names."""
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    try:
        kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    except OSError as error:
        raise NetlabError(f"A lab needs its own /proc, and this machine forbids it ({error}). In a container "
                          "this is so where /proc is masked: start it with /proc unmasked.") from None
    kernel.mount("netlab", place, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755")
    os.mkdir(os.path.join(place, "tmp"))
    socket.sethostname(spec.host_name(0))
    names = ["127.0.0.1 localhost", f"{spec.bridge_address} {spec.host_name(0)}"]
    names += [f"{spec.address(host)} {spec.host_name(host)}" for host in range(1, spec.hosts + 1)]
    hosts_file = os.path.join(place, "hosts")
    with open(hosts_file, "w", encoding="ascii") as file:
        file.write("\n".join(names) + "\n")
    if os.path.exists("/etc/hosts"):
        kernel.mount(hosts_file, "/etc/hosts", None, kernel.MS_BIND)


def _start_host(spec, host):
    """A process whose namespaces are the host. Returns its process id once the host is ready."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        _hold_host(spec, host, theirs)
    theirs.close()
    with ours:
        _expect(ours, host)
        network.connect_host(spec, host, pid)
        ours.sendall(b"{}\n")
        _expect(ours, host)
    return pid


def _expect(channel, host):
    answer = channel.makefile("r").readline()
    if not answer:
        raise NetlabError(f"Host {host} of the lab ended while it was being set up.")
    error = json.loads(answer).get("error")
    if error:
        raise NetlabError(error)


def _hold_host(spec, host, channel):
    try:
        kernel.die_with_parent(signal.SIGKILL)
        kernel.unshare(_HOST_NAMESPACES)
        socket.sethostname(spec.host_name(host))
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        if os.path.isdir("/dev/shm"):
            kernel.mount("shm", "/dev/shm", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=1777")
        try:   # so that /sys/class/net shows this host's links; a container may forbid it, no harm
            kernel.mount("sysfs", "/sys", "sysfs", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
        except OSError:
            pass
        network.without_ipv6()
        channel.sendall(b"{}\n")
        channel.recv(16)
        network.configure_host(spec, host)
        channel.sendall(b"{}\n")
        channel.close()
    except Exception as error:
        channel.sendall((json.dumps({"error": str(error)}) + "\n").encode())
        os._exit(1)
    while True:
        signal.pause()


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
