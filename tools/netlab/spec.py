# SPDX-License-Identifier: Apache-2.0
"""What a lab is to look like, and the names and addresses that follow from it."""
import dataclasses
import os
import re

from .errors import NetlabError

# An unlikely corner of 10/8. It exists only inside the lab's own network namespace, so it can hide
# nothing from the machine; it should merely not be mistaken for a network that somebody knows.
_NETWORK = "10.243.179"
MAX_HOSTS = 250


@dataclasses.dataclass
class LabSpec:
    hosts: int = 2
    rate: str = "1gbit"          # of each host's link, each way; "none": not limited
    latency: str = ""            # added one way; needs netem
    burst: str = "128kb"
    ranks_per_host: int = 1
    pin: bool = False            # host i runs on core i mod cores only
    name: str = ""

    def check(self):
        if not 1 <= self.hosts <= MAX_HOSTS:
            raise NetlabError(f"--hosts {self.hosts}: a lab has 1 to {MAX_HOSTS} hosts.")
        if self.ranks_per_host < 1:
            raise NetlabError(f"--ranks-per-host {self.ranks_per_host}: give at least 1.")
        if self.rate != "none" and not re.fullmatch(r"\d+(\.\d+)?([kmgt]?i?(bit|bps))", self.rate.lower()):
            raise NetlabError(f"--rate {self.rate}: write it as tc does, such as 1gbit or 200mbit, or none.")
        if not re.fullmatch(r"\d+(\.\d+)?[kmg]?b?", self.burst.lower()):
            raise NetlabError(f"--burst {self.burst}: write it as tc does, such as 128kb.")
        if self.latency and not re.fullmatch(r"\d+(\.\d+)?(us|ms|s)", self.latency):
            raise NetlabError(f"--latency {self.latency}: write it as tc does, such as 50us or 1ms.")
        if self.latency and float(re.match(r"[\d.]+", self.latency).group()) == 0:
            self.latency = ""
        if self.name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,30}", self.name):
            raise NetlabError(f"Lab name {self.name!r}: use up to 31 letters, digits and '-'.")

    @property
    def subnet(self):
        return f"{_NETWORK}.0/24"

    @property
    def bridge_address(self):
        return f"{_NETWORK}.254"

    def address(self, host):
        """Of host 1, 2, ..."""
        return f"{_NETWORK}.{host}"

    def host_name(self, host):
        return f"netlab-{self.name}-{host}"

    def core(self, host):
        """The core that --pin gives the host, out of those that this process may use."""
        cores = sorted(os.sched_getaffinity(0))
        return cores[(host - 1) % len(cores)]
