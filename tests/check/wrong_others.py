# SPDX-License-Identifier: Apache-2.0
"""Communicators, windows, files and messages that go wrong."""
from cases import Case, call

MISS = ("mismatch", "missing")
WORLD = "MPI_COMM_WORLD"


def creations():
    dims = "int n = size, no = 0;\n"
    makers = {
        "dup": f"MPI_Comm_dup({WORLD}, &comm2);",
        "split": f"MPI_Comm_split({WORLD}, 0, rank, &comm2);",
        "split_type": f"MPI_Comm_split_type({WORLD}, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm2);",
        "create": f"MPI_Comm_group({WORLD}, &group); MPI_Comm_create({WORLD}, group, &comm2);",
        "cart": f"MPI_Cart_create({WORLD}, 1, &n, &no, 0, &comm2);",
        "win": f"MPI_Win_create(a, 16, 1, MPI_INFO_NULL, {WORLD}, &win);",
        "win_allocate": f"void* p; MPI_Win_allocate(16, 1, MPI_INFO_NULL, {WORLD}, &p, &win);",
        "file": f"MPI_File_open({WORLD}, scratch(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);",
    }
    for name, make in makers.items():
        before = dims if name == "cart" else ""
        yield Case(f"creation/missing/{name}", f"{before}if (rank != 1) {{ {make} }} /*@*/", kinds=MISS)
        yield Case(f"creation/other/{name}", f"{before}if (rank == 0) {{ {make} }} /*@*/\nelse {call('Barrier')} /*@*/",
                   kinds=MISS)
    yield Case("creation/dims", f"int n[2] = {{size, 1}}, no[2] = {{0, 0}};\n"
               f"MPI_Cart_create({WORLD}, 1 + (rank == 0), n, no, 0, &comm2); /*@*/", kinds=("mismatch",))
    yield Case("creation/create_group", f"int all[3] = {{0, 1, 2}};\nMPI_Comm_group({WORLD}, &group);\n"
               f"MPI_Group_incl(group, 2, all, &part);\nif (rank == 0) MPI_Comm_create_group({WORLD}, part, 5, &comm2); /*@*/",
               kinds=("missing",))
    yield Case("creation/create_group in two orders", "int all[3] = {0, 1, 2};\n"
               f"MPI_Comm_group({WORLD}, &group);\nMPI_Group_incl(group, 2, all, &part);\n"
               f"if (rank == 0) {{ MPI_Comm_create_group({WORLD}, part, 5, &comm2); /*@*/\n{call('Barrier')} }}\n"
               f"else {{ {call('Barrier')} /*@*/\nif (rank == 1) MPI_Comm_create_group({WORLD}, part, 5, &comm2); }}",
               kinds=("missing", "deadlock"))
    yield Case("free/missing", f"MPI_Comm_dup({WORLD}, &comm);\nif (rank == 0) MPI_Comm_free(&comm); /*@*/",
               kinds=("missing",))
    yield Case("free/other", f"MPI_Comm_dup({WORLD}, &comm);\nif (rank == 0) MPI_Comm_free(&comm); /*@*/\n"
               "else MPI_Barrier(comm); /*@*/", kinds=MISS)


def windows_and_files():
    window = f"MPI_Win_create(a, 64, 4, MPI_INFO_NULL, {WORLD}, &win);\n"
    yield Case("window/fence missing", window + "if (rank != 2) MPI_Win_fence(0, win); /*@*/", kinds=MISS)
    yield Case("window/one fence more",
               window + "MPI_Win_fence(0, win);\nif (rank == 0) MPI_Win_fence(0, win); /*@*/\nMPI_Win_free(&win); /*@*/",
               kinds=("mismatch",))
    yield Case("window/free missing", window + "if (rank == 0) MPI_Win_free(&win); /*@*/", kinds=MISS)
    yield Case("window/fence and barrier",
               window + f"if (rank == 0) MPI_Win_fence(0, win); /*@*/\n{call('Barrier')} /*@*/\n"
               "if (rank) MPI_Win_fence(0, win); /*@*/", kinds=("missing", "deadlock"))
    opened = f"MPI_File_open({WORLD}, scratch(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);\n"
    for name, statement in {"close": "MPI_File_close(&file);", "sync": "MPI_File_sync(file);",
                            "set_size": "MPI_File_set_size(file, 0);",
                            "write_all": "MPI_File_write_all(file, a, 1, MPI_INT, &status);",
                            "read_all": "MPI_File_read_all(file, a, 1, MPI_INT, &status);",
                            "write_at_all": "MPI_File_write_at_all(file, 8 * rank, a, 1, MPI_INT, &status);",
                            "read_at_all": "MPI_File_read_at_all(file, 0, a, 1, MPI_INT, &status);",
                            "set_view": 'MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);'}.items():
        yield Case(f"file/missing/{name}", opened + f"if (rank != 0) {statement} /*@*/", kinds=MISS)
    yield Case("file/read and write", opened + "if (rank) MPI_File_write_all(file, a, 1, MPI_INT, &status); /*@*/\n"
               "else MPI_File_read_all(file, a, 1, MPI_INT, &status); /*@*/", kinds=("mismatch",))
    yield Case("file/mode", f"MPI_File_open({WORLD}, scratch(), MPI_MODE_CREATE | (rank ? MPI_MODE_RDWR : MPI_MODE_WRONLY),"
               " MPI_INFO_NULL, &file); /*@*/", kinds=("mismatch",))


def groups():
    for name in ("Barrier", "Bcast", "Allreduce", "Gather", "Alltoall"):
        yield Case(f"subgroup/missing/{name}", f"halves();\nif (rank != 2) {call(name, 'comm')} /*@*/", ranks=4,
                   kinds=("missing",))
        yield Case(f"subgroup/other/{name}",
                   f"halves();\nif (rank < 2) {call(name, 'comm')} /*@*/\nelse {call('Scan', 'comm')} /*@*/", ranks=4,
                   kinds=("mismatch",))
        yield Case(f"subgroup/excluded/{name}",
                   "MPI_Comm_split(MPI_COMM_WORLD, rank ? 1 : MPI_UNDEFINED, rank, &comm);\n"
                   f"if (rank) {call(name, 'comm')}\nif (rank == 2) {call(name, 'comm')} /*@*/", kinds=("missing",))
    yield Case("intercommunicator/missing", "two_sides();\nif (rank != 1) MPI_Barrier(inter); /*@*/", ranks=4,
               kinds=("missing",))
    yield Case("intercommunicator/root", "two_sides();\n"
               "MPI_Bcast(a, 1, MPI_INT, rank % 2 ? rank / 2 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter); /*@*/",
               ranks=4, kinds=("mismatch",))
    yield Case("intercommunicator/count", "two_sides();\nMPI_Allreduce(a, b, 1 + (rank == 3), MPI_INT, MPI_SUM, inter); /*@*/",
               ranks=4, kinds=("mismatch",))
    yield Case("intercommunicator/other", "two_sides();\nif (rank % 2) MPI_Barrier(inter); /*@*/\n"
               "else MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, inter); /*@*/", ranks=4, kinds=("mismatch",))
    yield Case("intercommunicator/merge missing", "two_sides();\nif (rank) MPI_Intercomm_merge(inter, 0, &comm2); /*@*/",
               ranks=4, kinds=("missing",))
    yield Case("intercommunicator/created by one side",
               "halves();\nif (rank % 2) MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 0, 77, &inter); /*@*/\n", ranks=4,
               kinds=("missing", "partner", "deadlock"))


def messages():
    dead = ("deadlock", "partner", "missing")
    recv = "MPI_Recv(&x, 1, MPI_INT, {0}, {1}, MPI_COMM_WORLD, &status); /*@*/"
    for kind, text in {
        "ring of receives": recv.format("(rank + 1) % size", 0),
        "receive from any": recv.format("MPI_ANY_SOURCE", "MPI_ANY_TAG"),
        "ring of synchronous sends": "MPI_Ssend(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD); /*@*/\n"
                                     + recv.format("(rank + size - 1) % size", 0),
        "ring of large sends": "MPI_Send(a, 65000, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD); /*@*/\n"
                               "MPI_Recv(b, 65000, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);",
        "wrong tag": "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);\n"
                     "if (rank == 1) " + recv.format(0, 6),
        "wrong source": "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);\n"
                        "if (rank == 1) " + recv.format(2, 5),
        "no sender": "if (rank == 1) " + recv.format(0, 0),
        "one message too few": "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
                               "if (rank == 1) for (int i = 0; i < 2; ++i) " + recv.format(0, 0),
        "synchronous send without receive": "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /*@*/",
        "receive before barrier": "if (rank == 0) " + recv.format(1, 0) + "\nMPI_Barrier(MPI_COMM_WORLD); /*@*/\n"
                                  "if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);",
        "waits for what is never sent": "if (rank == 0) { MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);\n"
                                        "MPI_Wait(&request, &status); } /*@*/",
        "waitall": "if (rank == 0) { for (int i = 1; i < size; ++i)\nMPI_Irecv(a + i, 1, MPI_INT, i, 0, MPI_COMM_WORLD,"
                   " requests + i - 1);\nMPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE); } /*@*/\n"
                   "if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);",
        "waitany": "if (rank == 0) { for (int i = 1; i < size; ++i)\nMPI_Irecv(a + i, 1, MPI_INT, i, 0, MPI_COMM_WORLD,"
                   " requests + i - 1);\nMPI_Waitany(size - 1, requests, &which, &status); } /*@*/",
        "waitsome": "if (rank == 0) { MPI_Irecv(a, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests);\n"
                    "MPI_Waitsome(1, requests, &which, n_of, MPI_STATUSES_IGNORE); } /*@*/",
        "probe": "if (rank == 0) MPI_Probe(1, 0, MPI_COMM_WORLD, &status); /*@*/",
        "probe of any": "if (rank == 0) MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status); /*@*/\n"
                        "if (rank == 1) MPI_Send(&x, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);\n"
                        "if (rank == 2) MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &status);",
        "matched probe": "if (rank == 0) { MPI_Message m; MPI_Mprobe(1, 0, MPI_COMM_WORLD, &m, &status); } /*@*/",
        "sendrecv": "MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + 1) % size, 0, "
                    "MPI_COMM_WORLD, &status); /*@*/",
        "sendrecv_replace": "MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, rank, (rank + 2) % size, rank, "
                            "MPI_COMM_WORLD, &status); /*@*/",
        "master without end": "if (rank == 0) for (int i = 0; i < size; ++i) " + recv.format("MPI_ANY_SOURCE", 0)
                              + "\nelse MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);",
        "worker without work": "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\nelse " + recv.format(0, 0),
        "other communicator": "MPI_Comm_dup(MPI_COMM_WORLD, &comm);\n"
                              "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 1, 0, comm); /*@*/\n"
                              "if (rank == 1) " + recv.format(0, 0),
        "persistent": "if (rank == 0) { MPI_Recv_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);\n"
                      "MPI_Start(&request); MPI_Wait(&request, &status); } /*@*/",
        "persistent twice": "if (rank == 0) { MPI_Recv_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);\n"
                            "for (int i = 0; i < 2; ++i) { MPI_Start(&request); MPI_Wait(&request, &status); } } /*@*/\n"
                            "if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);",
        "collective among receivers": "if (rank == 0) " + recv.format(1, 0) + "\nelse MPI_Allreduce(&x, &y, 1, MPI_INT, "
                                      "MPI_SUM, MPI_COMM_WORLD); /*@*/",
        "after an immediate barrier": "MPI_Ibarrier(MPI_COMM_WORLD, &request);\n" + recv.format("(rank + 1) % size", 0)
                                      + "\nMPI_Wait(&request, &status);",
        "self": "if (rank == 0) " + recv.format(0, 0),
        "synchronous to self": "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*@*/",
        "two cycles": "MPI_Recv(&x, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, &status); /*@*/",
        "pair and a bystander": "if (rank < 2) MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &status); /*@*/",
        "after a long computation": "if (rank == 0) sleep(1);\n" + recv.format("(rank + 1) % size", 0),
    }.items():
        kinds = dead + (("mismatch",) if kind == "collective among receivers" else ())
        yield Case(f"message/{kind}", text, ranks=4 if kind == "two cycles" else 3, kinds=kinds)
    for size, count in (("small", 1), ("large", 65000)):
        yield Case(f"message/never received/{size}",
                   f"if (rank == 0) {{ MPI_Isend(a, {count}, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);\n"
                   "MPI_Request_free(&request); }", kinds=("lost",) + (("partner", "missing") if count > 1 else ()))
    yield Case("message/received once too few", "if (rank == 0) for (int i = 0; i < 2; ++i)\n"
               "MPI_Send(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);\n"
               "if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);", kinds=("lost",))
    # What is sent as one type must be received as that type.
    for name, sent, count, received, room in (("MPI_FLOAT", "MPI_INT", 4, "MPI_FLOAT", 4), ("MPI_CHAR", "MPI_INT", 2, "MPI_CHAR", 100),
                                              ("derived", "t", 2, "MPI_FLOAT", 20), ("MPI_UNSIGNED", "MPI_UNSIGNED", 3, "MPI_INT", 3)):
        yield Case(f"types/{name}", "MPI_Datatype t;\nMPI_Type_vector(2, 1, 3, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
                   f"if (rank == 0) MPI_Send(a, {count}, {sent}, 1, 3, {WORLD}); /*@*/\n"
                   f"if (rank == 1) MPI_Recv(b, {room}, {received}, MPI_ANY_SOURCE, 3, {WORLD}, &status); /*@*/\nMPI_Type_free(&t);",
                   kinds=("mismatch",))
    yield Case("types/one of many", "for (int i = 0; i < 5; ++i) {\n"
               f"MPI_Irecv(b + i, 1, MPI_INT, (rank + 1) % size, i % 2, {WORLD}, requests + i);\n"
               f"MPI_Isend(a, 1, rank == 2 && i == 3 ? MPI_FLOAT : MPI_INT, (rank + size - 1) % size, i % 2, {WORLD}, requests + 5 + i); }} /*@*/\n"
               "MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);", kinds=("mismatch",))
    yield Case("types/exchange", f"MPI_Sendrecv(a, 1, MPI_DOUBLE, (rank + 1) % size, 0, b, 2, MPI_INT, (rank + size - 1) % size, 0, "
               f"{WORLD}, &status); /*@*/", kinds=("mismatch",))
    # A request that the program forgets.
    for name, text in {"send": f"if (rank == 0) MPI_Isend(a, 1, MPI_INT, 1, 0, {WORLD}, &request); /*@*/\n"
                               f"if (rank == 1) MPI_Recv(b, 1, MPI_INT, 0, 0, {WORLD}, &status);",
                       "receive": f"if (rank == 0) MPI_Irecv(a, 1, MPI_INT, 1, 0, {WORLD}, &request); /*@*/",
                       "received": f"if (rank == 0) MPI_Irecv(a, 1, MPI_INT, 1, 0, {WORLD}, &request); /*@*/\n"
                                   f"if (rank == 1) MPI_Send(b, 1, MPI_INT, 0, 0, {WORLD});",
                       "persistent": f"MPI_Send_init(a, 1, MPI_INT, (rank + 1) % size, 0, {WORLD}, &request); /*@*/\nMPI_Start(&request);\n"
                                     f"MPI_Recv(b, 1, MPI_INT, (rank + size - 1) % size, 0, {WORLD}, &status);",
                       "barrier": f"MPI_Ibarrier({WORLD}, &request); /*@*/\nsleep(1);"}.items():
        yield Case(f"forgotten request/{name}", text, kinds=("request",))
    yield Case("end/exit", "if (rank == 1) exit(0);\nMPI_Barrier(MPI_COMM_WORLD); /*@*/", kinds=MISS)
    yield Case("end/exit before a message", "if (rank == 1) exit(0);\nif (rank == 0) "
               "MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status); /*@*/", kinds=dead)
    yield Case("end/early finalize", "if (rank == 1) { MPI_Finalize(); exit(0); } /*@*/\nMPI_Barrier(MPI_COMM_WORLD); /*@*/",
               kinds=MISS)


def errors():
    # MPI's own: what it says differs, and is not compared.
    yield Case("error/truncation", f"if (rank == 0) MPI_Send(a, 8, MPI_INT, 1, 0, {WORLD});\n"
               f"if (rank == 1) MPI_Recv(b, 2, MPI_INT, 0, 0, {WORLD}, &status); /*@*/", kinds=("error",))
    yield Case("error/rank", f"if (rank == 2) MPI_Send(a, 1, MPI_INT, size + 3, 0, {WORLD}); /*@*/", kinds=("error",))
    yield Case("error/count", f"if (rank == 1) MPI_Send(a, -2, MPI_INT, 0, 0, {WORLD}); /*@*/", kinds=("error",))
    yield Case("error/derived communicator", f"MPI_Comm_dup({WORLD}, &comm);\n"
               "if (rank == 0) MPI_Isend(a, 1, MPI_INT, 77, 0, comm, &request); /*@*/", kinds=("error",))


def cases():
    yield from errors()
    yield from creations()
    yield from windows_and_files()
    yield from groups()
    yield from messages()
