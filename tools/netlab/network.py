# SPDX-License-Identifier: Apache-2.0
"""Bridge, links and limits, made with ip and tc inside the lab's own network namespace."""
import subprocess

from .errors import NetlabError


def _batch(tool, lines):
    """Many commands in one process of the tool; stops at the first that fails."""
    try:
        done = subprocess.run([tool, "-batch", "-"], input="\n".join(lines) + "\n", text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise NetlabError(f"The program {tool} is missing; install the package iproute2.") from None
    if done.returncode != 0:
        raise NetlabError(f"{tool} failed: {' '.join(done.stderr.split())} (while doing: {'; '.join(lines)})")


def without_ipv6():
    """No address detection, and no second address for an MPI to choose; no harm where it cannot be set."""
    try:
        with open("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w", encoding="ascii") as file:
            file.write("1")
    except OSError:
        pass


def build_bridge(spec):
    _batch("ip", [
        "link set lo up",
        "link add netlab0 type bridge forward_delay 0 stp_state 0",
        f"address add {spec.bridge_address}/24 dev netlab0",
        "link set netlab0 up",
    ])


def connect_host(spec, host, pid):
    """A veth pair: one end is the bridge's, the other is the host's eth0. pid: a process on the host."""
    port = f"port{host}"
    _batch("ip", [
        f"link add {port} type veth peer name eth0 netns {pid}",
        f"link set {port} master netlab0",
        f"link set {port} up",
    ])
    if spec.latency:
        _add_latency(spec, port)


def _add_latency(spec, port):
    """On the bridge's side, where the host's own limit cannot reorder or drop what waits."""
    try:
        _batch("tc", [f"qdisc add dev {port} root netem delay {spec.latency} limit 100000"])
    except NetlabError as error:
        if "kind is unknown" not in str(error):
            raise
        raise NetlabError(
            f"--latency {spec.latency}: this kernel has no netem (CONFIG_NET_SCH_NETEM), so latency cannot "
            "be added here; bandwidth can. Leave --latency out, or use a kernel with netem.") from None


def configure_host(spec, host):
    """Runs on the host: its address, and the limit on what it sends."""
    _batch("ip", [
        "link set lo up",
        f"address add {spec.address(host)}/24 dev eth0",
        "link set eth0 up",
    ])
    if spec.rate != "none":
        _batch("tc", [f"qdisc add dev eth0 root tbf rate {spec.rate} burst {spec.burst} latency 50ms"])
