# SPDX-License-Identifier: Apache-2.0
"""Command lines for both MPIs, and which of them a program is linked with."""
import os
import re
import shutil
import subprocess

from .errors import NetlabError

FLAVOURS = ("mpich", "openmpi")


def find_flavour(argv):
    """The MPI that the program is linked with. Words before it, such as `env A=B`, are passed over."""
    seen = []
    for word in argv:
        path = shutil.which(word)
        if not path:
            continue
        flavour = _linked_with(path)
        if flavour:
            return flavour
        seen.append(word)
        if len(seen) == 4:
            break
    if not seen:
        raise NetlabError(f"There is no program {argv[0]!r}." if argv else "No program was given after '--'.")
    raise NetlabError(f"{seen[0]} is not linked with MPICH or Open MPI in a way that ldd can see (a script, "
                      "perhaps, or static); say which with --mpi mpich or --mpi openmpi.")


def _linked_with(path):
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    try:
        listing = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        raise NetlabError("ldd is missing; say which MPI with --mpi mpich or --mpi openmpi.") from None
    # libmpi.so.12 is the name of MPICH's common ABI; Open MPI counts 20 and up.
    if re.search(r"\blibmpich\w*\.so|\blibmpi\.so\.12\b", listing):
        return "mpich"
    if re.search(r"\blibmpi\.so\.[2-9]\d|\blibopen-rte\.so|\blibmpi_mpifh\.so", listing):
        return "openmpi"
    return None


def find_mpiexec(flavour):
    if flavour not in FLAVOURS:
        raise NetlabError(f"--mpi {flavour}: netlab knows mpich and openmpi.")
    found = shutil.which(f"mpiexec.{flavour}")
    if found:
        return found
    plain = shutil.which("mpiexec")
    if plain:
        version = subprocess.run([plain, "--version"], capture_output=True, text=True, check=False).stdout
        if ("OpenRTE" in version or "Open MPI" in version) == (flavour == "openmpi"):
            return plain
    raise NetlabError(f"There is no mpiexec of {'MPICH' if flavour == 'mpich' else 'Open MPI'} on the PATH "
                      f"(looked for mpiexec.{flavour} and mpiexec).")


def starts_by_prrte(mpiexec):
    """Open MPI 5's does, and takes its options under other names than Open MPI 4's."""
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\) (\d+)\.", version)
    return bool(found) and int(found[1]) >= 5


def transport_defaults(spec):
    """Environment that makes an MPI use the lab's links; what the caller has set himself wins."""
    return {
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": "eth0",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_btl_tcp_if_include": spec.subnet,
    }


def prefix(flavour, spec, place):
    """mpiexec and the options that place ranks on the lab's hosts; `-n N PROGRAM` can follow."""
    rsh = os.path.join(place, "rsh")
    addresses = [spec.address(host) for host in range(1, spec.hosts + 1)]
    places = ",".join(f"{address}:{spec.ranks_per_host}" for address in addresses)
    if flavour == "mpich":
        return [find_mpiexec(flavour), "-localhost", spec.bridge_address, "-launcher", "ssh",
                "-launcher-exec", rsh, "-hosts", places]
    # --bind-to none: each host's daemon would bind its first rank to the same core. As root: whoever makes
    # a lab without privilege is root of its user namespace.
    mpiexec, tmp = find_mpiexec(flavour), os.path.join(place, "tmp")
    if starts_by_prrte(mpiexec):
        own = ["--prtemca", "plm_ssh_agent", rsh, "--prtemca", "prte_if_include", spec.subnet, "--prtemca", "prte_tmpdir_base", tmp]
    else:
        own = ["--mca", "plm_rsh_agent", rsh, "--mca", "routed", "direct", "--mca", "oob_tcp_if_include", spec.subnet,
               "--mca", "orte_tmpdir_base", tmp]
    command = [mpiexec, *own, "--bind-to", "none", "--oversubscribe", "--allow-run-as-root", "--host", places]
    if spec.ranks_per_host == 1:
        command += ["--map-by", "node"]   # more ranks than hosts: in turns, as MPICH does
    return command


def job(flavour, n, argv, env, extra):
    """The words behind the prefix. env reaches the ranks, and not mpiexec."""
    words = list(extra) + ["-n", str(n)]
    for key, value in env.items():
        words += ["-genv", key, value] if flavour == "mpich" else ["-x", f"{key}={value}"]
    return words + list(argv)
