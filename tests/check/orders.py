# SPDX-License-Identifier: Apache-2.0
"""Programs that come to their end by luck: sends that MPI need not buffer, receives that could have taken another message."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
UP, DOWN = "(rank + 1) % size", "(rank + size - 1) % size"


def send(to, tag=0, kind="Send", count=1):
    return f"MPI_{kind}(&x, {count}, MPI_INT, {to}, {tag}, {WORLD}); /*@*/"


def receive(source, tag=0, status="&status"):
    return f"MPI_Recv(&y, 1, MPI_INT, {source}, {tag}, {WORLD}, {status});"


def isend(to, tag=0):
    return f"MPI_Isend(&x, 1, MPI_INT, {to}, {tag}, {WORLD}, &request);"


WAIT = "MPI_Wait(&request, &status);"
# A message that rank 0's first receive cannot take before that of rank 2: it is sent later, but by chance only.
LATE = "usleep(100000);"


def wrong():
    unsafe = {
        "ring": f"{send(UP)}\n{receive(DOWN)}",
        "two": f"if (rank < 2) {{ {send('1 - rank')}\n{receive('1 - rank')} }}",
        "in a loop": f"for (int i = 0; i < 50; ++i) {{ {send(UP, 'i')}\n{receive(DOWN, 'i')} }}",
        "waited for too early": f"MPI_Isend(&x, 1, MPI_INT, {UP}, 0, {WORLD}, &request);\n{WAIT} /*@*/\n{receive(DOWN)}",
        "persistent": f"MPI_Send_init(&x, 1, MPI_INT, {UP}, 0, {WORLD}, &request);\nMPI_Start(&request);\n{WAIT} /*@*/\n"
                      f"{receive(DOWN)}\nMPI_Request_free(&request);",
        "to itself": f"if (rank == 1) {{ {send('1')}\n{receive('1')} }}",
        "before a barrier": f"if (rank == 0) {send(1)}\nMPI_Barrier({WORLD});\nif (rank == 1) {receive(0)}",
        "tags in another order": f"if (rank == 0) {{ {send(1, 1)}\n{send(1, 2)} }}\n"
                                 f"if (rank == 1) {{ {receive(0, 2)}\n{receive(0, 1)} }}",
        "on a copy": f"MPI_Comm_dup({WORLD}, &comm);\nMPI_Send(&x, 1, MPI_INT, {UP}, 0, comm); /*@*/\n"
                     f"MPI_Recv(&y, 1, MPI_INT, {DOWN}, 0, comm, &status);\nMPI_Comm_free(&comm);",
        "one is synchronous": f"if (rank == 0) {{ {send(1)}\n{receive(1, 3)}\n{receive(1, 4)} }}\n"
                              f"if (rank == 1) {{ {send(0, 3)}\n{receive(0)}\n{send(0, 4, 'Ssend')} }}",
    }
    for name, body in unsafe.items():
        yield Case(f"unsafe/{name}", body, kinds=("unsafe",))
    races = {
        "a later receive needs it": f"if (rank == 0) {{ {receive('MPI_ANY_SOURCE')} /*@*/\n{receive(1)} /*@*/ }}\n"
                                    f"if (rank == 1) {{ {LATE}\n{isend(0)}\n{WAIT} }}\nif (rank == 2) {{ {isend(0)}\n{WAIT} }}",
        "any tag": f"if (rank == 0) {{ {receive('MPI_ANY_SOURCE', 'MPI_ANY_TAG')} /*@*/\n{receive(1, 4)} /*@*/ }}\n"
                   f"if (rank == 1) {{ {LATE}\n{isend(0, 4)}\n{WAIT} }}\nif (rank == 2) {{ {isend(0, 5)}\n{WAIT} }}",
        "non-blocking": f"if (rank == 0) {{ MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, {WORLD}, &request); /*@*/\n{WAIT}\n"
                        f"{receive(1)} /*@*/ }}\n"
                        f"if (rank == 1) {{ {LATE}\n{isend(0)}\n{WAIT} }}\nif (rank == 2) {{ {isend(0)}\n{WAIT} }}",
        "a longer one": f"if (rank == 0) {{ MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, {WORLD}, &status); /*@*/\n"
                        f"MPI_Recv(a, 2, MPI_INT, MPI_ANY_SOURCE, 0, {WORLD}, &status); }}\n"
                        f"if (rank == 1) {{ {LATE}\nMPI_Send(b, 2, MPI_INT, 0, 0, {WORLD}); }}\n"
                        f"if (rank == 2) MPI_Send(b, 1, MPI_INT, 0, 0, {WORLD});",
    }
    for name, body in races.items():
        yield Case(f"race/{name}", body, kinds=("race",))


def right():
    safe = {
        "sendrecv": f"MPI_Sendrecv(&x, 1, MPI_INT, {UP}, 0, &y, 1, MPI_INT, {DOWN}, 0, {WORLD}, &status);",
        "receive first": f"MPI_Irecv(&y, 1, MPI_INT, {DOWN}, 0, {WORLD}, &request);\n{send(UP)}\n{WAIT}",
        "wait last": f"{isend(UP)}\n{receive(DOWN)}\n{WAIT}",
        "one begins": f"if (rank == 0) {{ {send(UP)}\n{receive(DOWN)} }}\nelse {{ {receive(DOWN)}\n{send(UP)} }}",
        "buffered": f"MPI_Buffer_attach(a, 10000);\n{send(UP, 0, 'Bsend')}\n{receive(DOWN)}\nint n; void* p;\nMPI_Buffer_detach(&p, &n);",
        "a test that succeeded": f"{isend(UP)}\nfor (flag = 0; !flag; ) MPI_Test(&request, &flag, &status);\n{receive(DOWN)}",
    }
    for name, body in safe.items():
        yield Case(f"safe/{name}", body)
    orders = {
        "any of all": f"if (rank == 0) for (int i = 1; i < size; ++i) {receive('MPI_ANY_SOURCE')}\nelse {send(0)}",
        "the source is asked": "if (rank == 0) for (int i = 1; i < size; ++i) {\n" + receive("MPI_ANY_SOURCE") + "\n"
                               + receive("status.MPI_SOURCE", 1) + f" }}\nelse {{ {send(0)}\n{send(0, 1)} }}",
        "another tag": f"if (rank == 0) {{ {receive('MPI_ANY_SOURCE', 2)}\n{receive(1, 1)} }}\n"
                       f"if (rank == 1) {send(0, 1)}\nif (rank == 2) {send(0, 2)}",
        "what to do depends on the tag": f"if (rank == 0) for (int i = 0, had = 0; i < 4; ++i) {{ {receive('MPI_ANY_SOURCE', 'MPI_ANY_TAG')}\n"
                                         f"if (status.MPI_TAG == 4) had = 1;\n"
                                         f"if (status.MPI_TAG == 5 && !had) {{ {receive(1, 4)}\n++i; }} }}\n"
                                         f"if (rank == 1) {{ {LATE}\n{isend(0, 4)}\n{WAIT}\n{isend(0, 6)}\n{WAIT} }}\n"
                                         f"if (rank == 2) {{ {isend(0, 5)}\n{WAIT} {LATE} {LATE}\n{isend(0, 7)}\n{WAIT} }}",
        "a barrier between": f"if (rank == 0) {receive('MPI_ANY_SOURCE')}\nif (rank == 2) {send(0)}\nMPI_Barrier({WORLD});\n"
                             f"if (rank == 0) {receive(1)}\nif (rank == 1) {send(0)}",
        "asked for afterwards": f"if (rank == 0) {{ {receive('MPI_ANY_SOURCE')}\n{send(1, 9)}\n{receive(1)} }}\n"
                                f"if (rank == 1) {{ {receive(0, 9)}\n{send(0)} }}\nif (rank == 2) {send(0)}",
    }
    for name, body in orders.items():
        yield Case(f"order/{name}", body)
