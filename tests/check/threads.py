# SPDX-License-Identifier: Apache-2.0
"""Programs with MPI_THREAD_MULTIPLE whose threads call MPI at the same time: their collective calls are compared."""
from cases import ALL, Case, call

BEGIN = ("int level;\npthread_t other;\nMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "MPI_Comm_size(MPI_COMM_WORLD, &size);\nMPI_Comm_dup(MPI_COMM_WORLD, &comm2);\npthread_create(&other, NULL, talks, NULL);\n")
END = "\npthread_join(other, NULL);\nMPI_Comm_free(&comm2);\nMPI_Finalize();"


def instead(name):
    return call("Allgather") if name != "Allgather" else call("Barrier")


def wrong():
    for name in ALL:
        yield Case(f"threads/{name}/another call", f"{BEGIN}if (rank == 1) {{ {instead(name)} }} /*@*/\nelse {{ {call(name)} }} /*@*/{END}",
                   kinds=("mismatch",), bare=True)


def right():
    for name in ALL:
        yield Case(f"threads/{name}/all call it", f"{BEGIN}if (rank == 1) usleep(20000);\n{call(name)}\n{call(name)}{END}", bare=True)
        yield Case(f"threads/{name}/immediate", f"{BEGIN}{call(name, immediate=True)}\nMPI_Wait(&request, &status);{END}", bare=True)
