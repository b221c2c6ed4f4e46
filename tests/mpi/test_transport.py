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
GIVEN = {NAME: "131072", "pml_ob1_recv_pipeline_depth": "2"}


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
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([mpicc, HERE / "transport.c", "-o", program], check=True)
        home = os.path.join(folder, "home", ".openmpi")
        os.makedirs(home)

        def printed(*variables, name=NAME, under_lapwing=True, home=None):
            told = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", **dict(variables)}
            if under_lapwing:
                told["LD_PRELOAD"] = os.path.join(build, "lib", "liblapwing-preload.so")
            words = [word for key, value in told.items() for word in ("-x", f"{key}={value}")]
            done = subprocess.run([*mpiexec, "-n", "1", *words, program, name], capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, **({"HOME": home} if home else {})})
            if done.returncode != 0:
                sys.exit(f"{told}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout.strip()

        for name, value in GIVEN.items():
            own = printed(name=name, under_lapwing=False)
            assert own.endswith(" gone") and not own.startswith(f"{value} "), own
            assert printed(name=name) == (own if fast_link() else f"{value} gone"), f"{name} with nothing chosen"
        own = printed(under_lapwing=False)
        for still in (("LAPWING_TRANSPORT", "keep"), ("LAPWING", "off"), ("OMPI_MCA_btl_tcp_flags", "send"),
                      ("OMPI_MCA_pml_ob1_recv_pipeline_depth", "4")):
            assert printed(still) == own, still
        assert printed((f"OMPI_MCA_{NAME}", "65536")) == "65536 in the environment", "the user's own"
        with open(os.path.join(home, "mca-params.conf"), "w", encoding="utf-8") as file:
            file.write(f"# {NAME} = 1\n  {NAME} = 262144\n")
        # Open MPI 5's launcher reads the file and hands its content to the ranks.
        home = os.path.join(folder, "home")
        of_file = printed(under_lapwing=False, home=home)
        assert of_file.startswith("262144 ") and printed(home=home) == of_file, f"of a file: {of_file}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
