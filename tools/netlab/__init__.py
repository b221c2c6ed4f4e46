# SPDX-License-Identifier: Apache-2.0
"""netlab: a small cluster on one machine, made of network namespaces with limited links.

    from netlab import Lab
    with Lab(hosts=2, rate="1gbit") as lab:
        done = lab.mpiexec("mpich", 2, ["./program"], env={"UCX_TLS": "tcp,self"})
"""
from .errors import NetlabError
from .lab import Lab
from .launch import find_flavour
from .spec import LabSpec

__all__ = ["Lab", "LabSpec", "NetlabError", "find_flavour"]
