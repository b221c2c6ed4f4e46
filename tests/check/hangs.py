# SPDX-License-Identifier: Apache-2.0
"""Programs in run mode: those that can never go on, which must be reported, and those that are merely slow."""
from cases import Case, call

WORLD = "MPI_COMM_WORLD"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"
# The watch reports after five looks, a quarter of a second apart.
LATE = "usleep(2000000);"
IGNORED = "MPI_STATUSES_IGNORE"

# Ways to need messages of another process: by name, the statements and the number of messages.
# The waiting call, or that which made its request, is marked.
RECEIVES = {
    "Recv": ("MPI_Recv(&y, 1, MPI_INT, {0}, {1}, {2}, &status); /*@*/", 1),
    "Recv of any source": ("MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, {1}, {2}, MPI_STATUS_IGNORE); /*@*/", 1),
    "Recv of any tag": ("MPI_Recv(&y, 1, MPI_INT, {0}, MPI_ANY_TAG, {2}, MPI_STATUS_IGNORE); /*@*/", 1),
    "Recv twice": ("MPI_Recv(&y, 1, MPI_INT, {0}, {1}, {2}, &status); /*@*/\n"
                   "MPI_Recv(&y, 1, MPI_INT, {0}, {1}, {2}, &status); /*@*/", 2),
    "Irecv": ("MPI_Irecv(&y, 1, MPI_INT, {0}, {1}, {2}, &request); /*@*/\nMPI_Wait(&request, &status);", 1),
    "Irecv of any source": ("MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, {2}, &request); /*@*/\n"
                            "MPI_Wait(&request, &status);", 1),
    "Waitall": ("MPI_Irecv(a, 1, MPI_INT, {0}, {1}, {2}, requests); /*@*/\nMPI_Irecv(b, 1, MPI_INT, {0}, {1}, {2}, requests + 1); /*@*/\n"
                f"MPI_Waitall(2, requests, {IGNORED});", 2),
    "Waitany": ("MPI_Irecv(a, 1, MPI_INT, {0}, {1}, {2}, requests); /*@*/\nMPI_Irecv(b, 1, MPI_INT, {0}, {1}, {2}, requests + 1); /*@*/\n"
                f"MPI_Waitany(2, requests, &which, &status);\nMPI_Waitall(2, requests, {IGNORED});", 2),
    "Waitsome": ("MPI_Irecv(a, 1, MPI_INT, {0}, {1}, {2}, requests); /*@*/\nMPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, {1}, {2}, requests + 1); /*@*/\n"
                 f"MPI_Waitsome(2, requests, &which, n_of, {IGNORED});\nMPI_Waitall(2, requests, {IGNORED});", 2),
    "Recv_init": ("MPI_Recv_init(&y, 1, MPI_INT, {0}, {1}, {2}, &request); /*@*/\nfor (int i = 0; i < 2; ++i) {{ MPI_Start(&request);\n"
                  "MPI_Wait(&request, &status); }}\nMPI_Request_free(&request);", 2),
    "Startall": ("MPI_Recv_init(a, 1, MPI_INT, {0}, {1}, {2}, requests); /*@*/\nMPI_Recv_init(b, 1, MPI_INT, {0}, {1}, {2}, requests + 1); /*@*/\n"
                 f"MPI_Startall(2, requests);\nMPI_Waitall(2, requests, {IGNORED});\n"
                 "MPI_Request_free(requests);\nMPI_Request_free(requests + 1);", 2),
    "Probe": ("MPI_Probe({0}, {1}, {2}, &status); /*@*/\nMPI_Recv(&y, 1, MPI_INT, {0}, {1}, {2}, &status);", 1),
    "Mprobe": ("MPI_Message message;\nMPI_Mprobe({0}, {1}, {2}, &message, &status); /*@*/\nMPI_Mrecv(&y, 1, MPI_INT, &message, &status);", 1),
    "Sendrecv": ("MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, {1}, &y, 1, MPI_INT, {0}, {1}, {2}, &status); /*@*/", 1),
    "Sendrecv_replace": ("MPI_Sendrecv_replace(&x, 1, MPI_INT, MPI_PROC_NULL, {1}, {0}, {1}, {2}, &status); /*@*/", 1),
}
# The same of one that needs receives.
SENDS = {
    "Ssend": ("MPI_Ssend(&x, 1, MPI_INT, {0}, {1}, {2}); /*@*/", 1),
    "Issend": ("MPI_Issend(&x, 1, MPI_INT, {0}, {1}, {2}, &request); /*@*/\nMPI_Wait(&request, &status);", 1),
    "Issend and Waitany": ("MPI_Issend(&x, 1, MPI_INT, {0}, {1}, {2}, requests); /*@*/\nrequests[1] = MPI_REQUEST_NULL;\n"
                           "MPI_Waitany(2, requests, &which, &status);", 1),
    "Ssend_init": ("MPI_Ssend_init(&x, 1, MPI_INT, {0}, {1}, {2}, &request); /*@*/\nfor (int i = 0; i < 2; ++i) {{ MPI_Start(&request);\n"
                   "MPI_Wait(&request, &status); }}\nMPI_Request_free(&request);", 2),
}
# Tags that the watch counts apart, and one of those that it counts together.
TAGS = (3, 70000, 0)


def warm(comm, tag):
    """Messages that find their receives before, so that no count is zero."""
    return "\n".join(f"MPI_Sendrecv(&x, 1, MPI_INT, {NEXT}, {tag}, &y, 1, MPI_INT, {LAST}, {tag}, {comm}, &status);" for _ in range(2))


def shapes(number, name, text, count, sends):
    """Wrong and right bodies by name, for one way to wait."""
    tag = TAGS[number % len(TAGS)]
    own = number % 2
    comm = "comm" if own else WORLD
    begin = (f"MPI_Comm_dup({WORLD}, &comm);\n" if own else "") + warm(comm, tag)
    end = "\nMPI_Comm_free(&comm);" if own else ""
    last = text.format("size - 1", tag, comm)
    if sends:
        answer = f"MPI_Recv(b + 1, 1, MPI_INT, i, {tag}, {comm}, &status);"
        here = f"MPI_Irecv(b + 8 + i, 1, MPI_INT, {LAST}, {tag}, {comm}, requests + 8 + i);"
    else:
        answer = f"MPI_Send(&x, 1, MPI_INT, i, {tag}, {comm});"
        here = f"MPI_Isend(&x, 1, MPI_INT, {LAST}, {tag}, {comm}, requests + 8 + i);"
    answers = f"for (int i = 0; i < size - 1; ++i) for (int k = 0; k < {count}; ++k) {{ {answer} }}"
    few = f"for (int i = 0; i < size - 1; ++i) for (int k = 0; k < {count} - 1; ++k) {{ {answer} }}"
    circle = text.format(NEXT, tag, comm)
    yield "the other ends", f"{begin}\nif (rank < size - 1) {{ {last} }}\nelse {{ {few} }}{end}", False
    yield "the other is late", f"{begin}\nif (rank < size - 1) {{ {last} }}\nelse {{ {LATE}\n{answers} }}{end}", True
    yield "a circle", f"{begin}\n{circle}{end}", False
    yield "a circle that is fed", (f"{begin}\nfor (int i = 0; i < {count}; ++i) {{ {here} }}\nif (rank == 0) {LATE}\n{circle}\n"
                                   f"MPI_Waitall({count}, requests + 8, {IGNORED});{end}"), True
    barrier = f"MPI_Barrier({comm});"
    yield "the other is in a barrier", f"{begin}\nif (rank < size - 1) {{ {last} }}\n{barrier}{end}", False
    yield "a barrier afterwards", f"{begin}\nif (rank < size - 1) {{ {last} }}\nelse {{ {answers}\n{LATE} }}\n{barrier}{end}", True


def collectives():
    for name in ("Barrier", "Allreduce", "Allgather", "Alltoall", "Scan", "Reduce_scatter"):
        for immediate in (False, True):
            text = call(name, immediate=immediate)
            wait = "\nMPI_Wait(&request, &status);" if immediate else ""
            who = "rank > 0" if name != "Scan" else "rank < size - 1"
            after = f"\nif (rank < size - 1) MPI_Barrier({WORLD});" if name == "Scan" else ""
            mark = "" if name == "Scan" else " /*@*/"
            kind = f"{'I' if immediate else ''}{name}"
            yield f"{kind}/one process does not come", f"{warm(WORLD, 3)}\nif ({who}) {{ {text}{mark}{wait} }}{after}", False
            yield f"{kind}/one process is late", f"{warm(WORLD, 3)}\nif (!({who})) {LATE}\n{text}{wait}", True


# Right programs in which all but a process that is late wait for each other: a message or a receive that is not
# counted would make them a circle.
RESTARTED = {
    "a receive that is started again after it was cancelled": (
        f"MPI_Recv_init(&y, 1, MPI_INT, 1, 3, {WORLD}, &request);\nMPI_Start(&request);\nMPI_Cancel(&request);\n"
        f"MPI_Wait(&request, &status);\nMPI_Send(&x, 1, MPI_INT, 1, 7, {WORLD});\n"
        "for (int i = 0; i < 2; ++i) { MPI_Start(&request);\n"
        f"if (i == 0) MPI_Wait(&request, &status); }}\nMPI_Recv(a, 1, MPI_INT, 1, 5, {WORLD}, &status);\n"
        "MPI_Wait(&request, &status);\nMPI_Request_free(&request);",
        f"MPI_Recv(&y, 1, MPI_INT, 0, 7, {WORLD}, &status);\nMPI_Ssend(&x, 1, MPI_INT, 0, 3, {WORLD});\nMPI_Irecv(a, 1, MPI_INT, 2, 4, {WORLD}, requests);\n"
        f"MPI_Issend(&x, 1, MPI_INT, 0, 3, {WORLD}, requests + 1);\nMPI_Waitall(2, requests, {IGNORED});\n"
        f"MPI_Send(&x, 1, MPI_INT, 0, 5, {WORLD});", 1),
    # The MPI may send it all the same.
    "a send that is started again after it was cancelled": (
        f"MPI_Recv(&x, 1, MPI_INT, 1, 6, {WORLD}, &status);\nif (!x) MPI_Recv(&y, 1, MPI_INT, 1, 3, {WORLD}, &status);\n"
        f"MPI_Irecv(b, 1, MPI_INT, 1, 3, {WORLD}, requests);\nMPI_Irecv(b + 1, 1, MPI_INT, 2, 4, {WORLD}, requests + 1);\n"
        f"MPI_Waitall(2, requests, {IGNORED});\nMPI_Send(&x, 1, MPI_INT, 1, 5, {WORLD});",
        f"MPI_Send_init(&x, 1, MPI_INT, 0, 3, {WORLD}, &request);\nMPI_Start(&request);\nMPI_Cancel(&request);\n"
        f"MPI_Wait(&request, &status);\nMPI_Test_cancelled(&status, &y);\nMPI_Send(&y, 1, MPI_INT, 0, 6, {WORLD});\n"
        "MPI_Start(&request);\nMPI_Wait(&request, &status);\nMPI_Request_free(&request);\n"
        f"MPI_Recv(b, 1, MPI_INT, 0, 5, {WORLD}, &status);", 0),
}


def restarted():
    for name, (first, second, to) in RESTARTED.items():
        third = f"{LATE}\nMPI_Send(&x, 1, MPI_INT, {to}, 4, {WORLD});"
        yield name, f"if (rank == 0) {{ {first} }}\nif (rank == 1) {{ {second} }}\nif (rank == 2) {{ {third} }}"


def bodies():
    number = 0
    for sends, ways in ((False, RECEIVES), (True, SENDS)):
        for name, (text, count) in ways.items():
            number += 1
            for shape, body, is_right in shapes(number, name, text, count, sends):
                yield f"{name}/{shape}", body, is_right
    yield from collectives()


def wrong():
    for name, body, is_right in bodies():
        if not is_right:
            yield Case(f"run/{name}", body, kinds=("missing", "deadlock", "mismatch"), mode="run")


def right():
    for name, body, is_right in bodies():
        if is_right:
            yield Case(f"run/{name}", body, mode="run")
    for name, body in restarted():
        yield Case(f"run/{name}", body, mode="run")
