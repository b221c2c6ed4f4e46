# SPDX-License-Identifier: Apache-2.0
"""Programs that are correct, however odd they look."""
from cases import ALL, REDUCING, ROOTED, Case, call

WORLD = "MPI_COMM_WORLD"


def collectives():
    for name in ALL:
        yield Case(f"plain/{name}", call(name))
        yield Case(f"two places/{name}", f"if (rank % 2) {call(name)}\nelse {call(name)}")
        yield Case(f"immediate/{name}", f"{call(name, immediate=True)}\nx = 2;\nMPI_Wait(&request, &status);")
        yield Case(f"tested/{name}", f"{call(name, immediate=True)}\nfor (flag = 0; !flag;) MPI_Test(&request, &flag, &status);")
        yield Case(f"subgroup/{name}", f"halves();\n{call(name, 'comm')}\nMPI_Comm_free(&comm);", ranks=4)
        yield Case(f"one subgroup only/{name}",
                   f"halves();\nif (rank % 2) for (int i = 0; i < 3; ++i) {call(name, 'comm')}\nMPI_Comm_free(&comm);", ranks=4)
        yield Case(f"loop/{name}", f"for (int i = rank; i < rank + 4; ++i) {call(name)}")
        yield Case(f"always true/{name}", f"if (rank >= 0 && rank < size) {call(name)}\nelse MPI_Abort({WORLD}, 1);")
        if name not in REDUCING + ("Barrier",):
            yield Case(f"other type/{name}",
                       "MPI_Datatype t;\nMPI_Type_contiguous(2, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
                       + f"if (rank == 1) {call(name, kind='t', count='1')}\nelse {call(name)}\nMPI_Type_free(&t);"
                       if name not in ("Alltoallv", "Alltoallw", "Allgatherv") else call(name))
    for name in ROOTED:
        yield Case(f"each root/{name}", f"for (int r = 0; r < size; ++r) {call(name, root='r')}")
    for name in REDUCING:
        yield Case(f"operation/{name}", f"{call(name, op='MPI_MAX')}\n{call(name, op='MPI_MIN')}")
    yield Case("own operation", "MPI_Op op;\nMPI_Op_create((MPI_User_function*)own_function, 1, &op);\n"
               f"MPI_Allreduce(a, b, 4, MPI_INT, op, {WORLD});\nMPI_Op_free(&op);")
    for name in ("Allreduce", "Scan", "Exscan"):
        yield Case(f"in place/{name}", f"MPI_{name}(MPI_IN_PLACE, a, 3, MPI_INT, MPI_SUM, {WORLD});")
    yield Case("in place/Reduce", f"MPI_Reduce(rank ? (void*)a : MPI_IN_PLACE, rank ? NULL : a, 3, MPI_INT, MPI_SUM, 0, {WORLD});")
    yield Case("in place/Gather", f"MPI_Gather(rank ? (void*)a : MPI_IN_PLACE, 2, MPI_INT, a, 2, MPI_INT, 0, {WORLD});")
    yield Case("in place/Scatter", f"MPI_Scatter(a, 2, MPI_INT, rank ? (void*)b : MPI_IN_PLACE, 2, MPI_INT, 0, {WORLD});")
    yield Case("in place/Allgather", f"MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 2, MPI_INT, {WORLD});")
    yield Case("in place/Alltoall", f"MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 2, MPI_INT, {WORLD});")
    yield Case("in place/Gatherv", f"counts(2, MPI_INT, {WORLD});\n"
               f"MPI_Gatherv(rank ? (void*)a : MPI_IN_PLACE, 2, MPI_INT, b, n_of, at, MPI_INT, 0, {WORLD});")
    yield Case("insignificant arguments/Gather",
               f"if (rank) MPI_Gather(a, 2, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0, {WORLD});\n"
               f"else MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 0, {WORLD});")
    yield Case("insignificant arguments/Scatterv",
               f"counts(2, MPI_INT, {WORLD});\n"
               f"if (rank) MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, b, 2, MPI_INT, 0, {WORLD});\n"
               f"else MPI_Scatterv(a, n_of, at, MPI_INT, b, 2, MPI_INT, 0, {WORLD});")
    yield Case("insignificant arguments/Reduce",
               f"MPI_Reduce(a, rank ? NULL : b, 2, MPI_INT, MPI_SUM, 0, {WORLD});")
    yield Case("uneven blocks", f"for (int i = 0; i < size; ++i) n_of[i] = i + 1, at[i] = i * (i + 1) / 2;\n"
               f"MPI_Allgatherv(a, rank + 1, MPI_INT, b, n_of, at, MPI_INT, {WORLD});\n"
               f"MPI_Gatherv(a, rank + 1, MPI_INT, b, n_of, at, MPI_INT, 1, {WORLD});\n"
               f"MPI_Scatterv(b, n_of, at, MPI_INT, a, rank + 1, MPI_INT, 1, {WORLD});")
    yield Case("uneven exchange", "for (int i = 0; i < size; ++i) n_of[i] = rank + i, at[i] = i * 8;\n"
               f"MPI_Alltoallv(a, n_of, at, MPI_INT, b, n_of, at, MPI_INT, {WORLD});")
    yield Case("nothing at all", f"MPI_Bcast(NULL, 0, rank ? MPI_INT : MPI_DOUBLE, 0, {WORLD});\n"
               f"MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, {WORLD});")
    yield Case("structure and numbers", "struct { double a, b; } s = {0, 0};\nMPI_Datatype t;\nint n[2] = {1, 1};\n"
               "MPI_Aint p[2] = {0, 8};\nMPI_Datatype ts[2] = {MPI_DOUBLE, MPI_DOUBLE};\n"
               "MPI_Type_create_struct(2, n, p, ts, &t);\nMPI_Type_commit(&t);\n"
               f"if (rank) MPI_Bcast(&s, 1, t, 0, {WORLD});\nelse MPI_Bcast(d, 2, MPI_DOUBLE, 0, {WORLD});\nMPI_Type_free(&t);")
    yield Case("vector and numbers", "MPI_Datatype t;\nMPI_Type_vector(3, 2, 5, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
               f"if (rank == 1) MPI_Bcast(a, 2, t, 0, {WORLD});\nelse MPI_Bcast(a, 12, MPI_INT, 0, {WORLD});\nMPI_Type_free(&t);")
    yield Case("subarray and numbers", "MPI_Datatype t;\nint n[2] = {6, 6}, m[2] = {2, 3}, o[2] = {1, 1};\n"
               "MPI_Type_create_subarray(2, n, m, o, MPI_ORDER_C, MPI_DOUBLE, &t);\nMPI_Type_commit(&t);\n"
               f"if (rank == 1) MPI_Bcast(d, 1, t, 0, {WORLD});\nelse MPI_Bcast(d, 6, MPI_DOUBLE, 0, {WORLD});\nMPI_Type_free(&t);")
    yield Case("pairs", "struct { double v; int i; } in = {1, 0}, out;\n"
               f"MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, {WORLD});")
    yield Case("packed and numbers", "char p[64];\nint n = 0;\nMPI_Pack(&x, 1, MPI_INT, p, 64, &n, MPI_COMM_WORLD);\n"
               f"if (rank == 0) MPI_Bcast(p, n, MPI_PACKED, 0, {WORLD});\nelse MPI_Bcast(&x, 1, MPI_INT, 0, {WORLD});")


def groups():
    yield Case("communicators/dup of dup", f"MPI_Comm_dup({WORLD}, &comm);\nMPI_Comm_dup(comm, &comm2);\n"
               "MPI_Barrier(comm2);\nMPI_Comm_free(&comm);\nMPI_Barrier(comm2);\nMPI_Comm_free(&comm2);")
    yield Case("communicators/idup", f"MPI_Comm_idup({WORLD}, &comm, &request);\nMPI_Wait(&request, &status);\n"
               "MPI_Barrier(comm);\nMPI_Comm_free(&comm);")
    yield Case("communicators/freed in other orders", f"MPI_Comm_dup({WORLD}, &comm);\nMPI_Comm_dup({WORLD}, &comm2);\n"
               "if (rank) { MPI_Comm_free(&comm); MPI_Comm_free(&comm2); } else { MPI_Comm_free(&comm2); MPI_Comm_free(&comm); }")
    yield Case("communicators/freed with a message", f"MPI_Comm_dup({WORLD}, &comm);\n"
               "if (rank == 0) { MPI_Irecv(&x, 1, MPI_INT, 1, 0, comm, &request); MPI_Comm_free(&comm); MPI_Wait(&request, &status); }\n"
               "else { if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 0, comm); MPI_Comm_free(&comm); }")
    yield Case("communicators/freed at other times", f"MPI_Comm_dup({WORLD}, &comm);\n"
               "if (rank == 0) MPI_Comm_free(&comm);\n"
               f"MPI_Barrier({WORLD});\nif (rank) MPI_Comm_free(&comm);")
    yield Case("communicators/undefined colour", f"MPI_Comm_split({WORLD}, rank ? 1 : MPI_UNDEFINED, 0, &comm);\n"
               "if (comm != MPI_COMM_NULL) { MPI_Barrier(comm); MPI_Comm_free(&comm); }")
    yield Case("communicators/reversed ranks", f"MPI_Comm_split({WORLD}, 0, -rank, &comm);\nMPI_Bcast(&x, 1, MPI_INT, 0, comm);\n"
               "MPI_Comm_free(&comm);")
    yield Case("communicators/create", f"int two[2] = {{0, 2}};\nMPI_Comm_group({WORLD}, &group);\nMPI_Group_incl(group, 2, two, &part);\n"
               f"MPI_Comm_create({WORLD}, part, &comm);\nif (comm != MPI_COMM_NULL) {{ MPI_Barrier(comm); MPI_Comm_free(&comm); }}\n"
               "MPI_Group_free(&part);\nMPI_Group_free(&group);")
    yield Case("communicators/create_group", f"int two[2] = {{2, 0}};\nMPI_Comm_group({WORLD}, &group);\nMPI_Group_incl(group, 2, two, &part);\n"
               f"if (rank != 1) for (int i = 0; i < 2; ++i) {{ MPI_Comm_create_group({WORLD}, part, i, &comm); MPI_Barrier(comm); MPI_Comm_free(&comm); }}\n"
               f"MPI_Barrier({WORLD});\nMPI_Group_free(&part);\nMPI_Group_free(&group);")
    yield Case("communicators/create_group alone", f"MPI_Comm made[8];\nint first = 0;\nMPI_Comm_group({WORLD}, &group);\n"
               f"MPI_Group_incl(group, 1, &first, &part);\nfor (int i = 0; i < 8; ++i) MPI_Comm_dup({WORLD}, made + i);\n"
               f"if (!rank) {{ MPI_Comm_create_group({WORLD}, part, 0, &comm); MPI_Barrier(comm); MPI_Comm_free(&comm); }}\n"
               f"MPI_Barrier({WORLD});\nfor (int i = 0; i < 8; ++i) MPI_Comm_free(made + i);\n"
               "MPI_Group_free(&part);\nMPI_Group_free(&group);")
    yield Case("communicators/grid", f"int n[2] = {{2, 2}}, no[2] = {{0, 1}}, keep[2] = {{1, 0}};\nMPI_Cart_create({WORLD}, 2, n, no, 1, &comm);\n"
               "MPI_Cart_sub(comm, keep, &comm2);\nMPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm2);\n"
               "MPI_Comm_free(&comm2);\nMPI_Comm_free(&comm);", ranks=4)
    yield Case("communicators/neighbours", f"int n = size, yes = 1;\nMPI_Cart_create({WORLD}, 1, &n, &yes, 0, &comm);\n"
               "MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm);\nMPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm);\n"
               "MPI_Comm_free(&comm);")
    yield Case("communicators/many", f"for (int i = 0; i < 50; ++i) {{ MPI_Comm_dup({WORLD}, &comm); MPI_Barrier(comm); MPI_Comm_free(&comm); }}")
    yield Case("communicators/interleaved", f"MPI_Comm_dup({WORLD}, &comm);\nMPI_Ibarrier(comm, requests);\n"
               f"MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, {WORLD}, requests + 1);\nMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\n"
               "MPI_Comm_free(&comm);")
    yield Case("communicators/self", "MPI_Barrier(MPI_COMM_SELF);\nif (rank) MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_SELF);")
    for name, statement in {
        "barrier": "MPI_Barrier(inter);",
        "bcast": "MPI_Bcast(a, 1, MPI_INT, rank % 2 ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter);",
        "allreduce": "MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, inter);",
        "allgather": "MPI_Allgather(a, 1 + rank % 2, MPI_INT, b, 2 - rank % 2, MPI_INT, inter);",
        "gather": "MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, rank % 2 ? 1 : (rank == 2 ? MPI_ROOT : MPI_PROC_NULL), inter);",
        "merge": "MPI_Intercomm_merge(inter, rank % 2, &comm2);\nMPI_Barrier(comm2);\nMPI_Comm_free(&comm2);",
        "dup": "MPI_Comm_dup(inter, &comm2);\nMPI_Barrier(comm2);\nMPI_Comm_free(&comm2);",
        "messages": "if (rank % 2) MPI_Send(&x, 1, MPI_INT, rank / 2, 0, inter);\nelse MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, inter, &status);",
    }.items():
        yield Case(f"intercommunicator/{name}", f"two_sides();\n{statement}\nMPI_Comm_free(&inter);\nMPI_Comm_free(&comm);", ranks=4)


def windows_and_files():
    yield Case("window/fences", f"MPI_Win_create(a, 64, 4, MPI_INFO_NULL, {WORLD}, &win);\nMPI_Win_fence(0, win);\n"
               "if (rank == 0) MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);")
    yield Case("window/different sizes", f"MPI_Win_create(a, rank ? 0 : 64, rank ? 1 : 4, MPI_INFO_NULL, {WORLD}, &win);\n"
               "MPI_Win_fence(rank ? 0 : MPI_MODE_NOPRECEDE, win);\nMPI_Win_free(&win);")
    yield Case("window/allocated", f"int* p;\nMPI_Win_allocate(16, 4, MPI_INFO_NULL, {WORLD}, &p, &win);\nMPI_Win_fence(0, win);\n"
               "MPI_Win_free(&win);")
    opened = f"MPI_File_open({WORLD}, scratch(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);\n"
    yield Case("file/all", opened + "MPI_File_write_at_all(file, 4 * rank, &x, 1, MPI_INT, &status);\nMPI_File_sync(file);\n"
               "MPI_File_read_at_all(file, 0, &y, rank, MPI_INT, &status);\nMPI_File_close(&file);")
    for one, other in (("MPI_File_write_all(file, a, 0, MPI_INT, &status);", "MPI_File_write_at_all(file, 0, a, 1, MPI_INT, &status);"),
                       ("MPI_File_read_all(file, a, 0, MPI_INT, &status);", "MPI_File_read_at_all(file, 0, a, 1, MPI_INT, &status);")):
        yield Case("file/by pointer and at an offset, " + ("writing" if "write" in one else "reading"),
                   opened + f"if (rank) {one}\nelse {other}\nMPI_File_close(&file);")
    yield Case("file/split", opened + "MPI_File_write_all_begin(file, a, 1, MPI_INT);\nMPI_File_write_all_end(file, a, &status);\n"
               "MPI_File_close(&file);")
    yield Case("file/many requests", "static int much[20][1000];\nMPI_Request many[24];\nMPI_Status each[24];\n" + opened +
               "MPI_File_set_view(file, 80000 * rank, MPI_INT, MPI_INT, \"native\", MPI_INFO_NULL);\n"
               "for (int i = 0; i < 20; ++i) MPI_File_iwrite(file, much[i], 1000, MPI_INT, many + i);\n"
               f"MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 0, {WORLD}, many + 20);\nmany[21] = MPI_REQUEST_NULL;\n"
               f"MPI_Isend(&x, 1, MPI_INT, (rank + size - 1) % size, 0, {WORLD}, many + 22);\nmany[23] = MPI_REQUEST_NULL;\n"
               "MPI_Waitall(24, many, each);\nMPI_Get_count(each + 7, MPI_INT, &x);\n"
               f"if (x != 1000 || each[20].MPI_SOURCE != (rank + 1) % size) MPI_Abort({WORLD}, 3);\nMPI_File_close(&file);")
    yield Case("file/own", "MPI_File_open(MPI_COMM_SELF, scratch(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);\n"
               "if (rank) MPI_File_write_all(file, a, 1, MPI_INT, &status);\nMPI_File_close(&file);")


# Right where MPI buffers what they send; what matters is something else.
BUFFERED = ("eager head to head", "tags out of order", "types that are equal", "types by turns", "structures of two types",
            "bytes of anything", "packed message")


def messages():
    recv = "MPI_Recv(&x, 1, MPI_INT, {0}, {1}, MPI_COMM_WORLD, &status);"
    send = "MPI_Send(&x, 1, MPI_INT, {0}, {1}, MPI_COMM_WORLD);"
    for name, text in {
        "eager head to head": send.format("(rank + 1) % size", 0) + recv.format("(rank + size - 1) % size", 0),
        "ring": "if (rank) " + recv.format("rank - 1", 0) + "\n" + send.format("(rank + 1) % size", 0) + "\nif (!rank) " + recv.format("size - 1", 0),
        "large ring": "MPI_Irecv(b, 65000, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\n"
                      "MPI_Send(a, 65000, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);\nMPI_Wait(&request, &status);",
        "master and workers": "if (rank == 0) for (int i = 1; i < size; ++i) " + recv.format("MPI_ANY_SOURCE", "MPI_ANY_TAG")
                              + "\nelse " + send.format(0, "rank"),
        "work on demand": "if (rank == 0) { for (int i = 0; i < 3 * (size - 1); ++i) { " + recv.format("MPI_ANY_SOURCE", 1)
                          + " MPI_Send(&x, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD); } }\n"
                          "else for (int i = 0; i < 3; ++i) { " + send.format(0, 1) + recv.format(0, 2) + " }",
        "long computation": "if (rank == 0) sleep(1);\nMPI_Barrier(MPI_COMM_WORLD);\nif (rank == 1) { sleep(1); " + send.format(0, 0) + " }\n"
                            "if (rank == 0) " + recv.format(1, 0),
        "messages while others are in a collective": "if (rank == 0) " + send.format(1, 0) + "\nif (rank == 1) { sleep(1); " + recv.format(0, 0)
                                                     + " }\nMPI_Barrier(MPI_COMM_WORLD);",
        "immediate collective overtaken": "MPI_Ibarrier(MPI_COMM_WORLD, &request);\nif (rank == 0) " + send.format(1, 0) + "\nif (rank == 1) "
                                          + recv.format(0, 0) + "\nMPI_Wait(&request, &status);",
        "immediate collective completed late": "MPI_Ibcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);\nMPI_Barrier(MPI_COMM_WORLD);\n"
                                               "MPI_Wait(&request, &status);",
        "waits in other orders": "MPI_Ibarrier(MPI_COMM_WORLD, requests);\nMPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, requests + 1);\n"
                                 "if (rank) { MPI_Wait(requests + 1, &status); MPI_Wait(requests, &status); }\n"
                                 "else { MPI_Wait(requests, &status); MPI_Wait(requests + 1, &status); }",
        "sendrecv ring": "MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);",
        "sendrecv at the ends": "MPI_Sendrecv(&x, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, &y, 1, MPI_INT, rank ? rank - 1 : "
                                "MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);",
        "sendrecv_replace": "MPI_Sendrecv_replace(a, 900, MPI_INT, (rank + 1) % size, 3, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        "to itself": "MPI_Isend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);\n" + recv.format("rank", 0).replace("&x", "&y") + "\nMPI_Wait(&request, &status);",
        "probe": "if (rank == 0) " + send.format(1, 7) + "\nif (rank == 1) { MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status); "
                 "MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status); }",
        "matched probe": "if (rank == 0) " + send.format(1, 7) + "\nif (rank == 1) { MPI_Message m; MPI_Mprobe(0, 7, MPI_COMM_WORLD, &m, &status); "
                         "MPI_Mrecv(&x, 1, MPI_INT, &m, &status); }",
        "asked until it is there": "if (rank == 0) " + send.format(1, 7) + "\nif (rank == 1) { for (flag = 0; !flag;) MPI_Iprobe(0, 7, MPI_COMM_WORLD, "
                                   "&flag, &status); " + recv.format(0, 7) + " }",
        "tags out of order": "if (rank == 0) { " + send.format(1, 1) + send.format(1, 2) + " }\nif (rank == 1) { " + recv.format(0, 2) + recv.format(0, 1) + " }",
        "waitany": "if (rank == 0) { for (int i = 1; i < size; ++i) MPI_Irecv(a + i, 1, MPI_INT, i, 0, MPI_COMM_WORLD, requests + i - 1);\n"
                   "for (int i = 1; i < size; ++i) MPI_Waitany(size - 1, requests, &which, &status); }\nelse " + send.format(0, 0),
        "waitsome": "if (rank == 0) { int left = size - 1; for (int i = 1; i < size; ++i) MPI_Irecv(a + i, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, "
                    "requests + i - 1);\nwhile (left > 0) { MPI_Waitsome(size - 1, requests, &which, n_of, MPI_STATUSES_IGNORE); left -= which; } }\nelse "
                    + send.format(0, 0),
        "waitall of everything": "MPI_Irecv(b, 10, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, requests);\n"
                                 "MPI_Isend(a, 10, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, requests + 1);\n"
                                 "MPI_Ibarrier(MPI_COMM_WORLD, requests + 2);\nrequests[3] = MPI_REQUEST_NULL;\n"
                                 "MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);",
        "persistent": "MPI_Recv_init(&y, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, requests);\n"
                      "MPI_Send_init(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, requests + 1);\n"
                      "for (int i = 0; i < 5; ++i) { MPI_Startall(2, requests); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }\n"
                      "MPI_Request_free(requests); MPI_Request_free(requests + 1);",
        "persistent collectives started in any order":
            "#if MPI_VERSION >= 4\nMPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests);\n"
            "MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);\nfor (int i = 0; i < 3; ++i) {\n"
            "MPI_Start(requests + rank % 2); MPI_Start(requests + (rank + 1) % 2);\n"
            "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }\n"
            "MPI_Request_free(requests); MPI_Request_free(requests + 1);\n#endif",
        "a persistent collective alone in a wait for all":
            "#if MPI_VERSION >= 4\nMPI_Alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, requests);\n"
            "for (int i = 0; i < 3; ++i) {\nMPI_Start(requests);\nMPI_Waitall(1, requests, MPI_STATUSES_IGNORE);\n}\n"
            "MPI_Request_free(requests);\n#endif",
        "persistent collectives and messages, one status wanted":
            "#if MPI_VERSION >= 4\nMPI_Status two[2];\nMPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests);\n"
            "for (int i = 0; i < 20; ++i) {\nMPI_Start(requests);\n"
            "MPI_Irecv(a, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, requests + 1);\n"
            "MPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);\n"
            "MPI_Waitall(2, requests, two);\nif (two[1].MPI_SOURCE != (rank + 1) % size) MPI_Abort(MPI_COMM_WORLD, 3); }\n"
            "MPI_Request_free(requests);\n#endif",
        "cancelled receive": "MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);\nMPI_Cancel(&request);\nMPI_Wait(&request, &status);",
        "buffered": "char m[1000 + MPI_BSEND_OVERHEAD];\nint n;\nvoid* p;\nMPI_Buffer_attach(m, sizeof m);\n"
                    "MPI_Bsend(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);\n" + recv.format("(rank + size - 1) % size", 0)
                    + "\nMPI_Buffer_detach(&p, &n);",
        "ready": "MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\nMPI_Barrier(MPI_COMM_WORLD);\n"
                 "MPI_Rsend(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);\nMPI_Wait(&request, &status);",
        "synchronous pair": "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\nif (rank == 1) { sleep(1); " + recv.format(0, 0) + " }",
        "immediate synchronous": "MPI_Issend(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\n" + recv.format("(rank + size - 1) % size", 0).replace("&x", "&y")
                                 + "\nMPI_Wait(&request, &status);",
        "send freed": "MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\nMPI_Request_free(&request);\n"
                      + recv.format("(rank + size - 1) % size", 0),
        "wildcard after named": "if (rank == 0) { MPI_Irecv(a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, requests); MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, "
                                "MPI_ANY_TAG, MPI_COMM_WORLD, requests + 1); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }\n"
                                "if (rank == 1) { " + send.format(0, 0) + " sleep(1); " + send.format(0, 5) + " }",
        "received as other type": "if (rank == 0) MPI_Send(a, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);\nif (rank == 1) MPI_Recv(a, 100, MPI_INT, 0, 0, "
                                  "MPI_COMM_WORLD, &status);",
        "types that are equal": "MPI_Datatype t, u;\nMPI_Type_vector(3, 2, 5, MPI_INT, &t);\nMPI_Type_contiguous(2, t, &u);\nMPI_Type_commit(&t);\n"
                                "MPI_Type_commit(&u);\nMPI_Isend(a, 1, u, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\nMPI_Type_free(&u);\n"
                                "MPI_Recv(b, 100, rank % 2 ? MPI_INT : MPI_INT32_T, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);\n"
                                "MPI_Wait(&request, &status);\nMPI_Send(a, 6, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);\n"
                                "MPI_Recv(b, 5, t, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);\nMPI_Type_free(&t);",
        "types by turns": "for (int i = 0; i < 6; ++i) { MPI_Send(a, i, i % 2 ? MPI_INT : MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
                          "MPI_Recv(b, 100, i % 2 ? MPI_INT : MPI_DOUBLE, (rank + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, &status); }",
        "bytes of anything": "MPI_Send(a, 12, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
                             "MPI_Recv(b, 3, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);",
        "packed message": "char p[64];\nint n = 0;\nMPI_Pack(a, 3, MPI_INT, p, 64, &n, MPI_COMM_WORLD);\n"
                          "MPI_Send(p, n, MPI_PACKED, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
                          "MPI_Recv(b, 3, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);",
        "structures of two types": "struct { double a; int b; } s[2] = {{0}};\nMPI_Datatype t, u;\nint n[2] = {1, 1};\nMPI_Aint p[2] = {0, 8};\n"
                                   "MPI_Datatype ts[2] = {MPI_DOUBLE, MPI_INT};\nMPI_Type_create_struct(2, n, p, ts, &t);\n"
                                   "MPI_Type_create_resized(t, 0, sizeof s[0], &u);\nMPI_Type_commit(&t);\nMPI_Type_commit(&u);\n"
                                   "MPI_Send(s, 1, t, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
                                   "MPI_Recv(s + 1, 1, u, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);\n"
                                   "MPI_Type_free(&t);\nMPI_Type_free(&u);",
        "matched receives of other types": "MPI_Message m;\nMPI_Isend(d, 2, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\n"
                                           "MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &m, &status);\n"
                                           "MPI_Mrecv(d + 4, 2, MPI_DOUBLE, &m, &status);\nMPI_Wait(&request, &status);",
        "requests freed and cancelled": "MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, requests);\nMPI_Cancel(requests);\n"
                                        "MPI_Request_free(requests);\nMPI_Recv_init(b, 1, MPI_INT, 0, 98, MPI_COMM_WORLD, requests + 1);\n"
                                        "MPI_Irecv(b, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, requests + 2);\n"
                                        "MPI_Send(a, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);\n"
                                        "for (flag = 0; !flag;) MPI_Testsome(1, requests + 2, &flag, &which, MPI_STATUSES_IGNORE);\n"
                                        "MPI_Request_free(requests + 1);",
        "to nobody": "MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);\nMPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);",
        "many": "for (int i = 0; i < 500; ++i) { MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &request); "
                "MPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD); MPI_Wait(&request, &status); }",
    }.items():
        yield Case(f"message/{name}", text, sends="off" if name in BUFFERED else "error")


def flow():
    for shape, text in {
        "early return of all": "if (size > 0) {{ {0} return; }}\nMPI_Abort(MPI_COMM_WORLD, 1);",
        "same trips": "for (int i = rank; i != rank + 3; ++i) {{ {0} }}",
        "switch with one call in each": "switch (rank) {{ case 0: {0} break; case 1: {0} break; default: {0} }}",
        "fall through": "switch (rank % 2) {{ case 0: x = 1; /* fall through */ case 1: {0} }}",
        "goto": "if (rank == 1) goto there;\nx = 4;\nthere: {0}",
        "loop left at different places": "for (int i = 0; i < 4; ++i) {{ if (i == 2) break; {0} }}",
        "by broadcast": "MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);\nif (x) {{ {0} }}",
        "by reduction": "MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);\nwhile (y-- > 0) {{ {0} }}",
        "one call for one, the same in a loop for others": "if (rank == 0) {{ {0} {0} }} else for (int i = 0; i < 2; ++i) {{ {0} }}",
    }.items():
        for name in ("Barrier", "Allreduce", "Bcast"):
            yield Case(f"flow/{shape}/{name}", text.format(call(name)))


def errors():
    yield Case("error/returned", "MPI_Comm_dup(MPI_COMM_WORLD, &comm);\nMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);\n"
               "if (MPI_Send(a, 1, MPI_INT, size + 3, 0, comm) == MPI_SUCCESS) abort();\nMPI_Comm_free(&comm);")


def cases():
    yield from errors()
    yield from collectives()
    yield from groups()
    yield from windows_and_files()
    yield from messages()
    yield from flow()
