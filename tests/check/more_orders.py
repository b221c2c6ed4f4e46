# SPDX-License-Identifier: Apache-2.0
"""Sends that rely on MPI's buffers and receives from any source, by shape and by the way in which the call is made."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"
SENDS = {
    "Send": "MPI_Send(&x, 1, MPI_INT, {0}, {1}, {2}); /*@*/",
    "Isend": "MPI_Isend(&x, 1, MPI_INT, {0}, {1}, {2}, &request);\nMPI_Wait(&request, &status); /*@*/",
    "Send_init": "MPI_Send_init(&x, 1, MPI_INT, {0}, {1}, {2}, &request);\nMPI_Start(&request);\nMPI_Wait(&request, &status); /*@*/\n"
                 "MPI_Request_free(&request);",
}
RECEIVE = "MPI_Recv(&y, 1, MPI_INT, {0}, {1}, {2}, &status);"


def shapes(send, comm):
    """Of processes that send first, and the same exchange in an order that needs no buffer."""
    def to(rank, tag=0):
        return send.format(rank, tag, comm)

    def of(rank, tag=0):
        return RECEIVE.format(rank, tag, comm)
    # 4 processes
    yield "ring", f"{to(NEXT)}\n{of(LAST)}", f"if (rank % 2) {{ {of(LAST)}\n{to(NEXT)} }}\nelse {{ {to(NEXT)}\n{of(LAST)} }}"
    pair = "rank ^ 1"
    yield "pairs", f"{to(pair)}\n{of(pair)}", f"if (rank & 1) {{ {of(pair)}\n{to(pair)} }}\nelse {{ {to(pair)}\n{of(pair)} }}"
    far = "(rank + 2) % size"
    yield "halves", f"{to(far)}\n{of(far)}", f"if (rank > 1) {{ {of(far)}\n{to(far)} }}\nelse {{ {to(far)}\n{of(far)} }}"
    yield "star", (f"if (rank == 0) for (int i = 1; i < size; ++i) {{ {to('i')} }}\nelse {{ {to(0)}\n{of(0)} }}\n"
                   f"if (rank == 0) for (int i = 1; i < size; ++i) {{ {of('i')} }}"), \
                  (f"if (rank == 0) for (int i = 1; i < size; ++i) {{ {to('i')} }}\nelse {{ {of(0)}\n{to(0)} }}\n"
                   f"if (rank == 0) for (int i = 1; i < size; ++i) {{ {of('i')} }}")


def unsafe():
    for name, send in SENDS.items():
        for own in (False, True):
            begin, end = (f"MPI_Comm_dup({WORLD}, &comm);\n", "\nMPI_Comm_free(&comm);") if own else ("", "")
            for shape, bad, good in shapes(send, "comm" if own else WORLD):
                yield f"{name}/{shape}{'/on a copy' if own else ''}", begin + bad + end, begin + good + end


def races():
    """Rank 0 takes a message from any source and then waits for rank 1; rank 1 is late, but by chance only."""
    takes = {
        "Recv": "MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, {0}, {1}, &status); /*@*/",
        "Irecv": "MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, {0}, {1}, &request); /*@*/\nMPI_Wait(&request, &status);",
        "Sendrecv": "MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &y, 1, MPI_INT, MPI_ANY_SOURCE, {0}, {1}, &status); /*@*/",
    }
    for name, take in takes.items():
        for tag in ("0", "MPI_ANY_TAG"):
            for own in (False, True):
                begin, end = (f"MPI_Comm_dup({WORLD}, &comm);\n", "\nMPI_Comm_free(&comm);") if own else ("", "")
                comm = "comm" if own else WORLD
                first = take.format(tag, comm)
                one = f"if (rank == 1) {{ usleep(100000);\nMPI_Send(&x, 1, MPI_INT, 0, 0, {comm}); }}\nif (rank == 2) MPI_Send(&x, 1, MPI_INT, 0, 0, {comm});"
                bad = f"if (rank == 0) {{ {first}\nMPI_Recv(&y, 1, MPI_INT, 1, 0, {comm}, &status); /*@*/ }}\n{one}"
                good = f"if (rank == 0) {{ {first}\nMPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, {comm}, &status); }}\n{one}"
                yield f"{name}/{'any tag' if tag != '0' else 'tag'}{'/on a copy' if own else ''}", begin + bad + end, begin + good + end


def wrong():
    for name, bad, _ in unsafe():
        yield Case(f"unsafe/shapes/{name}", bad, kinds=("unsafe",), ranks=4)
    for name, bad, _ in races():
        yield Case(f"race/shapes/{name}", bad, kinds=("race",))


def right():
    for name, _, good in unsafe():
        yield Case(f"safe/shapes/{name}", good, ranks=4)
    for name, _, good in races():
        yield Case(f"order/shapes/{name}", good)
