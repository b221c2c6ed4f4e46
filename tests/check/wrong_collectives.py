# SPDX-License-Identifier: Apache-2.0
"""Collective calls that do not match."""
from cases import ALL, REDUCING, ROOTED, Case, call

MISS = ("mismatch", "missing")
SUB = "MPI_Comm_dup(MPI_COMM_WORLD, &comm);"


def missing():
    for name in ALL:
        yield Case(f"missing/world/{name}", f"if (rank != 0) {call(name, root='1')} /*@*/", kinds=MISS)
        # On a communicator of its own nothing else meets it.
        yield Case(f"missing/dup/{name}", f"{SUB}\nif (rank != 1) {call(name, 'comm')} /*@*/", kinds=("missing",))
        yield Case(f"missing/immediate/{name}",
                   f"if (rank != 1) {{ {call(name, immediate=True)} /*@*/\nMPI_Wait(&request, &status); }} /*@*/",
                   kinds=MISS)


def order():
    for name in ALL[1:]:
        yield Case(f"order/barrier/{name}",
                   f"if (rank == 0) {{ {call('Barrier')} /*@*/\n{call(name)} }}\n"
                   f"else {{ {call(name)} /*@*/\n{call('Barrier')} }}", kinds=("mismatch",))
        yield Case(f"order/two communicators/{name}",
                   f"{SUB}\nif (rank == 0) {{ {call(name, 'comm')} /*@*/\n{call('Barrier')} }}\n"
                   f"else {{ {call('Barrier')} /*@*/\n{call(name, 'comm')} }}", kinds=("missing", "deadlock"))
    for first, second in (("Bcast", "Reduce"), ("Gather", "Scatter"), ("Allreduce", "Alltoall"), ("Scan", "Exscan"),
                          ("Allgather", "Allgatherv"), ("Gatherv", "Gather")):
        yield Case(f"order/{first} and {second}", f"if (rank % 2) {call(first)} /*@*/\nelse {call(second)} /*@*/",
                   kinds=("mismatch",))


def arguments():
    for name in ROOTED:
        yield Case(f"root/{name}", f"{call(name, root='rank == 1')} /*@*/", kinds=("mismatch",))
        yield Case(f"root/immediate/{name}",
                   f"{call(name, root='rank', immediate=True)} /*@*/\nMPI_Wait(&request, &status);",
                   kinds=("mismatch",))
    for name in ALL[1:]:
        yield Case(f"count/{name}", f"{call(name, count='(rank == 1 ? 4 : 2)')} /*@*/", kinds=("mismatch",))
        yield Case(f"type/{name}",
                   f"MPI_Datatype t = rank == 1 ? MPI_FLOAT : MPI_INT;\n{call(name, kind='t')} /*@*/",
                   kinds=("mismatch",))
    for name in REDUCING:
        yield Case(f"reduction/{name}", f"{call(name, op='(rank == 1 ? MPI_MAX : MPI_SUM)')} /*@*/",
                   kinds=("mismatch",))
    for name in ("Bcast", "Allreduce", "Allgather", "Alltoall", "Gather"):
        yield Case(f"count/immediate/{name}",
                   f"{call(name, count='2 + (rank == 0)', immediate=True)} /*@*/\nMPI_Wait(&request, &status);",
                   kinds=("mismatch",))


def communicators():
    for name in ALL:
        yield Case(f"communicator/{name}",
                   f"{SUB}\n{call(name, comm='(rank == 1 ? comm : MPI_COMM_WORLD)')} /*@*/\n{call('Barrier')}",
                   kinds=("mismatch", "missing"))
        yield Case(f"way/{name}",
                   f"if (rank == 0) {{ {call(name, immediate=True)} /*@*/\nMPI_Wait(&request, &status); }}\n"
                   f"else {call(name)} /*@*/", kinds=("mismatch",))


def flow():
    shapes = {
        "branch": "if (rank) {{ {0} /*@*/ }}",
        "else": "if (rank == 0) x = 2; else {{ {0} /*@*/ }}",
        "loop": "for (int i = 0; i < 2 + (rank == 1); ++i) {{ {0} /*@*/ }}",
        "while": "int i = 0;\nwhile (i++ < 3 - rank % 2) {{ {0} /*@*/ }}",
        "break": "for (int i = 0; i < 4; ++i) {{ if (i == 2 && rank == 2) break; {0} /*@*/ }}",
        "continue": "for (int i = 0; i < 4; ++i) {{ if (i == 1 && rank == 0) continue; {0} /*@*/ }}",
        "return": "if (rank == 1) return;\n{0} /*@*/",
        "switch": "switch (rank) {{ case 0: x = 1; break; case 1: default: {0} /*@*/ }}",
        "fall through": "switch (rank % 2) {{ case 0: {0} /*@*/\ncase 1: {0} /*@*/ }}",
        "goto": "if (rank == 2) goto out;\n{0} /*@*/\nout: x = 3;",
        "nested": "if (rank < 2) {{ if (rank == 0) {{ {0} /*@*/ }} }}",
        "short circuit": "if (rank == 0 && {1} == MPI_SUCCESS) x = 2; /*@*/",
        "conditional": "x = rank == 0 ? 0 : {1}; /*@*/",
        "subset size": "for (int i = 0; i <= rank; ++i) {{ {0} /*@*/ }}",
    }
    for shape, text in shapes.items():
        for name in ("Barrier", "Allreduce", "Bcast", "Allgather"):
            statement = call(name)
            yield Case(f"flow/{shape}/{name}", text.format(statement, statement.rstrip(";")), kinds=MISS)


def cases():
    yield from missing()
    yield from order()
    yield from arguments()
    yield from communicators()
    yield from flow()
