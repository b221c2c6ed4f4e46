# SPDX-License-Identifier: Apache-2.0
"""Open MPI's TCP transport gets parameters from Lapwing only where the user has none, and only while MPI starts.

    test_transport.py BUILD MPICC MPIEXEC...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "btl_tcp_rdma_pipeline_frag_size"
# Where every other rank is reached over TCP, and where ranks share a host.
OVER_TCP = {"pml_ob1_max_rdma_per_request": "0"}
SHARING = {NAME: "131072", "pml_ob1_recv_pipeline_depth": "2"}


def fast_link():
    """Links that are so fast that the parameter would cost something."""
    for file in pathlib.Path("/sys/class/net").glob("*/speed"):
        try:
            if int(file.read_text()) > 10000:
                return True
        except (OSError, ValueError):
            pass
    return False


def main(build, mpicc, *mpiexec):
    preload = os.path.join(build, "lib", "liblapwing-preload.so")
    with tempfile.TemporaryDirectory() as folder:
        program, truncated = os.path.join(folder, "program"), os.path.join(folder, "truncated")
        for name in (program, truncated):
            source = HERE / ("transport.c" if name == program else "truncated.c")
            subprocess.run([mpicc, source, "-o", name], check=True)
        home = os.path.join(folder, "home", ".openmpi")
        os.makedirs(home)

        def run(ranks, told, words, home=None):
            told = [word for key, value in told.items() for word in ("-x", f"{key}={value}")]
            done = subprocess.run([*mpiexec, "-n", str(ranks), *told, *words], capture_output=True, text=True, timeout=60,
                                  check=False, env={**os.environ, **({"HOME": home} if home else {})})
            if done.returncode != 0:
                sys.exit(f"{told} {words}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout.strip()

        def printed(*variables, name=NAME, ranks=2, under_lapwing=True, home=None):
            """The value that Open MPI took on rank 0, and whether the environment still has it."""
            told = {"OMPI_MCA_pml": "ob1", **dict(variables)}
            if under_lapwing:
                told["LD_PRELOAD"] = preload
            return run(ranks, told, [program, name], home)

        tcp = ("OMPI_MCA_btl", "self,tcp")
        for given, ranks, *where in (OVER_TCP, 1), (OVER_TCP, 2, tcp), (SHARING, 2):
            for name in {**OVER_TCP, **SHARING}:
                own = printed(*where, name=name, ranks=ranks, under_lapwing=False)
                wanted = f"{given[name]} gone" if name in given else own
                assert own.endswith(" gone") and (name not in given or own != wanted), own
                told = printed(*where, name=name, ranks=ranks)
                assert told == (own if fast_link() else wanted), f"{name} with nothing chosen, {ranks} ranks, {where}: {told}"
        own = printed(under_lapwing=False)
        for still in (("LAPWING_TRANSPORT", "keep"), ("LAPWING", "off"), ("LAPWING_SETS", "check"),
                      ("OMPI_MCA_btl_tcp_flags", "send"), ("OMPI_MCA_pml_ob1_recv_pipeline_depth", "4")):
            assert printed(still) == own, still
        assert printed((f"OMPI_MCA_{NAME}", "65536")) == "65536 in the environment", "the user's own"
        with open(os.path.join(home, "mca-params.conf"), "w", encoding="utf-8") as file:
            file.write(f"# {NAME} = 1\n  {NAME} = 262144\n")
        # Open MPI 5's launcher reads the file and hands its content to the ranks.
        home = os.path.join(folder, "home")
        of_file = printed(under_lapwing=False, home=home)
        assert of_file.startswith("262144 ") and printed(home=home) == of_file, f"of a file: {of_file}"

        # A receive that is too small for its message ends as it does without Lapwing.
        for mode in ({"LAPWING_DEFER": "auto"}, {"LAPWING_DEFER": "off"}, {"LAPWING_SETS": "check"}):
            told = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "LD_PRELOAD": preload, "LAPWING_JOB": "uniform", **mode}
            assert run(2, told, [truncated]) == "truncated 4 of 4", f"truncated receives, {mode}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
