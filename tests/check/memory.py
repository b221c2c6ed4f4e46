# SPDX-License-Identifier: Apache-2.0
"""Buffers of operations in flight that other calls use, and programs that only look so."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"


def irecv(at, request="requests", count=4, source=LAST, tag=0):
    return f"MPI_Irecv({at}, {count}, MPI_INT, {source}, {tag}, {WORLD}, {request});"


def isend(at, request="requests + 1", count=4, to=NEXT, tag=0):
    return f"MPI_Isend({at}, {count}, MPI_INT, {to}, {tag}, {WORLD}, {request});"


def both(first, second, wait="MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);"):
    return f"{first} /*@*/\n{second} /*@*/\n{wait}"


IMMEDIATE = {
    "Ibcast": "MPI_Ibcast({0}, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);",
    "Iallreduce": "MPI_Iallreduce({1}, {0}, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);",
    "Ireduce": "MPI_Ireduce({1}, {0}, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);",
    "Iallgather": "MPI_Iallgather({1}, 2, MPI_INT, {0}, 2, MPI_INT, MPI_COMM_WORLD, &request);",
    "Igather": "MPI_Igather({1}, 2, MPI_INT, {0}, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);",
    "Iscatter": "MPI_Iscatter({1}, 2, MPI_INT, {0}, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);",
    "Ialltoall": "MPI_Ialltoall({1}, 2, MPI_INT, {0}, 2, MPI_INT, MPI_COMM_WORLD, &request);",
    "Iscan": "MPI_Iscan({1}, {0}, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);",
    "Iallgatherv": "counts(2, MPI_INT, MPI_COMM_WORLD);\nMPI_Iallgatherv({1}, 2, MPI_INT, {0}, n_of, at, MPI_INT, MPI_COMM_WORLD, &request);",
    "Ireduce_scatter_block": "MPI_Ireduce_scatter_block({1}, {0}, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);",
}
BLOCKING = {
    "Allreduce": "MPI_Allreduce({1}, {0}, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
    "Allgather": "MPI_Allgather({1}, 2, MPI_INT, {0}, 2, MPI_INT, MPI_COMM_WORLD);",
    "Alltoall": "MPI_Alltoall({1}, 2, MPI_INT, {0}, 2, MPI_INT, MPI_COMM_WORLD);",
    "Scan": "MPI_Scan({1}, {0}, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
    "Bcast": "MPI_Bcast({0}, 4, MPI_INT, 0, MPI_COMM_WORLD);",
}


def wrong():
    recv = f"MPI_Recv(b, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);"
    for name, text in {
        "two receives": "if (rank == 0) { " + both(irecv("a", source=1), irecv("a", "requests + 1", source=1, tag=1)) + " }\n"
                        f"if (rank == 1) {{ MPI_Send(b, 4, MPI_INT, 0, 0, {WORLD}); MPI_Send(b, 4, MPI_INT, 0, 1, {WORLD}); }}",
        "two receives, in part": both(irecv("a"), irecv("a + 3", "requests + 1", tag=1)),
        "receive and send": both(irecv("a"), isend("a")),
        "receive and send, in part": both(irecv("a + 2"), isend("a")),
        "send and receive": both(isend("a", "requests"), irecv("a", "requests + 1")),
        "receive and blocking send": both(irecv("a"), f"MPI_Send(a, 4, MPI_INT, {NEXT}, 0, {WORLD});"),
        "receive and synchronous send": both(irecv("a + 1"), f"MPI_Ssend(a, 2, MPI_INT, {NEXT}, 0, {WORLD});"),
        "send and blocking receive": both(isend("a", "requests"), f"MPI_Recv(a, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);"),
        "receives in a loop": f"for (int i = 0; i < 2; ++i)\n{irecv('a', 'requests + i', tag='i')} /*@*/\n"
                              f"for (int i = 0; i < 2; ++i) MPI_Send(b, 4, MPI_INT, {NEXT}, i, {WORLD});\n"
                              "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
        "exchange": f"MPI_Sendrecv(a, 4, MPI_INT, {NEXT}, 0, a + 2, 4, MPI_INT, {LAST}, 0, {WORLD}, &status); /*@*/",
        "exchange and receive": irecv("a", tag=7) + f" /*@*/\nMPI_Sendrecv_replace(a, 4, MPI_INT, {NEXT}, 0, {LAST}, 0, {WORLD}, &status); /*@*/",
        "contiguous types": "MPI_Datatype t;\nMPI_Type_contiguous(3, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
                            f"MPI_Irecv(a, 2, t, {LAST}, 0, {WORLD}, requests); /*@*/\n{isend('a + 5')} /*@*/\n"
                            "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
        "persistent": f"MPI_Recv_init(a, 4, MPI_INT, {LAST}, 0, {WORLD}, requests); /*@*/\nMPI_Start(requests);\n"
                      f"MPI_Send(a, 4, MPI_INT, {NEXT}, 0, {WORLD}); /*@*/",
        "both persistent": f"MPI_Recv_init(a, 4, MPI_INT, {LAST}, 0, {WORLD}, requests); /*@*/\n"
                           f"MPI_Send_init(a + 3, 4, MPI_INT, {NEXT}, 0, {WORLD}, requests + 1);\nMPI_Startall(2, requests); /*@*/",
        "arrived but not completed": f"if (rank == 0) MPI_Send(b, 4, MPI_INT, 1, 0, {WORLD});\nif (rank == 1) {{ {irecv('a')} /*@*/\n"
                                     "sleep(1);\nMPI_Send(a, 4, MPI_INT, 2, 0, MPI_COMM_WORLD); } /*@*/\n"
                                     "if (rank == 2) " + recv,
    }.items():
        yield Case(f"memory/{name}", text, kinds=("overlap",))
    for name, text in IMMEDIATE.items():
        start = text.format("a", "b")
        yield Case(f"memory/{name} and receive", f"{irecv('a', tag=3)} /*@*/\n{start} /*@*/", kinds=("overlap",))
        if name in ("Ibcast", "Ireduce", "Igather", "Iscatter"):
            continue
        yield Case(f"memory/{name} and send of what it receives", f"{start} /*@*/\n{isend('a + 1', count=1)} /*@*/", kinds=("overlap",))
        yield Case(f"memory/{name} and receive into what it sends", f"{start} /*@*/\n{irecv('b + 1')} /*@*/", kinds=("overlap",))
        if "v" not in name:
            yield Case(f"memory/{name} twice", f"{start} /*@*/\n{text.format('a', 'b + 50').replace('&request', 'requests')} /*@*/",
                       kinds=("overlap",))
    for name, text in BLOCKING.items():
        yield Case(f"memory/{name} of a pending receive", f"{irecv('a + 1', tag=2)} /*@*/\n{text.format('a', 'b')} /*@*/", kinds=("overlap",))
        if name != "Bcast":
            # MPICH finds equal addresses itself.
            yield Case(f"memory/{name} in its own way", f"{text.format('a + 1', 'a')} /*@*/", kinds=("overlap",))


def right():
    wait = "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);"
    for name, text in {
        "two sends of one buffer": f"{isend('a', 'requests')}\n{isend('a', tag=1)}\n"
                                   f"for (int i = 0; i < 2; ++i) MPI_Recv(b, 4, MPI_INT, {LAST}, i, {WORLD}, &status);\n{wait}",
        "neighbours": f"{irecv('a')}\n{isend('a + 4')}\n{wait}",
        "send and reduce": f"{isend('a', 'requests')}\nMPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, {WORLD});\n"
                           f"MPI_Recv(b, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);\nMPI_Wait(requests, &status);",
        "no bytes": f"{irecv('a', count=0)}\n{isend('a', count=0)}\n{wait}",
        "to nobody": f"{irecv('a', source='MPI_PROC_NULL')}\n{irecv('a', 'requests + 1', source='MPI_PROC_NULL')}\n{wait}",
        "again after a wait": f"for (int i = 0; i < 3; ++i) {{ {irecv('a')}\n{isend('b')}\n{wait}\n"
                              f"MPI_Bcast(a, 4, MPI_INT, i, {WORLD}); }}",
        "again after a test": f"{irecv('a')}\n{isend('b')}\nfor (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);\n"
                              f"MPI_Bcast(a, 4, MPI_INT, 0, {WORLD});\nMPI_Bcast(b, 4, MPI_INT, 1, {WORLD});",
        "again after waitany": f"{irecv('a')}\n{isend('b')}\nfor (int i = 0; i < 2; ++i) {{ MPI_Waitany(2, requests, &which, &status);\n"
                               "if (which == 0) a[0] = 1; else b[0] = 1; }\nMPI_Bcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD);",
        "columns": "MPI_Datatype t;\nMPI_Type_vector(4, 1, 2, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
                   f"MPI_Irecv(a, 1, t, {LAST}, 0, {WORLD}, requests);\nMPI_Isend(a + 1, 1, t, {NEXT}, 0, {WORLD}, requests + 1);\n{wait}\n"
                   "MPI_Type_free(&t);",
        "cancelled": f"{irecv('a', tag=50)}\nMPI_Cancel(requests);\nMPI_Wait(requests, &status);\n{irecv('a')}\n{isend('b')}\n{wait}",
        "freed send": f"{isend('a', '&request')}\nMPI_Request_free(&request);\nMPI_Recv(b, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);\n"
                      f"MPI_Barrier({WORLD});\nMPI_Bcast(a, 4, MPI_INT, 0, {WORLD});",
        "persistent by turns": f"MPI_Recv_init(a, 4, MPI_INT, {LAST}, 0, {WORLD}, requests);\nMPI_Send_init(b, 4, MPI_INT, {NEXT}, 0, {WORLD}, requests + 1);\n"
                               f"for (int i = 0; i < 3; ++i) {{ MPI_Startall(2, requests);\n{wait}\nMPI_Sendrecv(a, 4, MPI_INT, {NEXT}, 1, b, 4, MPI_INT, {LAST}, 1, "
                               f"{WORLD}, &status); }}\nMPI_Request_free(requests);\nMPI_Request_free(requests + 1);",
        "persistent and idle": f"MPI_Recv_init(a, 4, MPI_INT, {LAST}, 0, {WORLD}, requests);\nMPI_Sendrecv(a, 4, MPI_INT, {NEXT}, 1, b, 4, MPI_INT, {LAST}, 1, "
                               f"{WORLD}, &status);\nMPI_Request_free(requests);",
        "exchange replaced": f"MPI_Sendrecv_replace(a, 4, MPI_INT, {NEXT}, 0, {LAST}, 0, {WORLD}, &status);",
        "blocks of others": "for (int i = 0; i < size; ++i) n_of[i] = i + 1, at[i] = 4 * i;\n"
                            f"MPI_Iallgatherv(b, rank + 1, MPI_INT, a, n_of, at, MPI_INT, {WORLD}, &request);\n"
                            f"{irecv('a + 3', count=1)}\n{isend('b + 20', count=1)}\n{wait}\nMPI_Wait(&request, &status);",
        "root reads": f"MPI_Ibcast(a, 4, MPI_INT, 0, {WORLD}, &request);\nif (rank == 0) MPI_Send(a, 4, MPI_INT, 1, 0, {WORLD});\n"
                      f"if (rank == 1) MPI_Recv(b, 4, MPI_INT, 0, 0, {WORLD}, &status);\nMPI_Wait(&request, &status);",
        "in place": f"MPI_Iallreduce(MPI_IN_PLACE, a, 4, MPI_INT, MPI_SUM, {WORLD}, &request);\nMPI_Bcast(b, 4, MPI_INT, 0, {WORLD});\n"
                    "MPI_Wait(&request, &status);",
        "stack": "int own[8] = {0};\nfor (int i = 0; i < 4; ++i) { " + irecv("own") + "\n" + isend("own + 4") + "\n" + wait + " own[4] = own[0]; }",
        "ring of many": f"for (int i = 0; i < 20; ++i) {{ {irecv('a + 4 * i', 'requests + i', tag='i')} }}\n"
                        f"for (int i = 0; i < 20; ++i) {{ {isend('b', 'requests + 20 + i', tag='i')} }}\n"
                        "MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);",
    }.items():
        yield Case(f"memory/{name}", text)
    for name, text in IMMEDIATE.items():
        yield Case(f"memory/{name} beside others", f"{text.format('a', 'b')}\n{irecv('a + 100')}\n{isend('b', '&requests[1]', count=4)}\n"
                   f"{wait}\nMPI_Wait(&request, &status);\nMPI_Bcast(a, 4, MPI_INT, 0, {WORLD});")
        yield Case(f"memory/{name} twice in turn", f"for (int i = 0; i < 2; ++i) {{ {text.format('a', 'b')}\nMPI_Wait(&request, &status); }}\n"
                   f"MPI_Bcast(b, 4, MPI_INT, 1, {WORLD});")
    for name, text in BLOCKING.items():
        yield Case(f"memory/{name} beside a send", f"{isend('b', 'requests')}\n{text.format('a', 'b')}\n"
                   f"MPI_Recv(a, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);\nMPI_Wait(requests, &status);")
