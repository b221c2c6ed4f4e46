# SPDX-License-Identifier: Apache-2.0
"""Arguments that are none, and arguments that look odd but are allowed. MPI may find the former itself, or crash."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
FREED = f"MPI_Comm_dup({WORLD}, &comm);\ncomm2 = comm;\nMPI_Comm_free(&comm);\n"
TYPE = "MPI_Datatype t, u;\nMPI_Type_contiguous(2, MPI_INT, &t);\n"
GONE = TYPE + "MPI_Type_commit(&t);\nu = t;\nMPI_Type_free(&t);\n"
OP = "MPI_Op op, gone;\nMPI_Op_create((MPI_User_function*)own_function, 1, &op);\ngone = op;\nMPI_Op_free(&op);\n"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"
WIN = f"MPI_Win_create(a, 64, 4, MPI_INFO_NULL, {WORLD}, &win);\n"


def message_calls(buffer="a", count="1", kind="MPI_INT", rank="0", tag="0", comm=WORLD):
    """Each call of a message with these arguments."""
    return {
        "Send": f"MPI_Send({buffer}, {count}, {kind}, {rank}, {tag}, {comm});",
        "Ssend": f"MPI_Ssend({buffer}, {count}, {kind}, {rank}, {tag}, {comm});",
        "Isend": f"MPI_Isend({buffer}, {count}, {kind}, {rank}, {tag}, {comm}, &request);",
        "Recv": f"MPI_Recv({buffer}, {count}, {kind}, {rank}, {tag}, {comm}, &status);",
        "Irecv": f"MPI_Irecv({buffer}, {count}, {kind}, {rank}, {tag}, {comm}, &request);",
        "Send_init": f"MPI_Send_init({buffer}, {count}, {kind}, {rank}, {tag}, {comm}, &request);",
        "Recv_init": f"MPI_Recv_init({buffer}, {count}, {kind}, {rank}, {tag}, {comm}, &request);",
        "Sendrecv": f"MPI_Sendrecv({buffer}, {count}, {kind}, {rank}, {tag}, b, 1, MPI_INT, 0, 0, {comm}, &status);",
    }


def messages():
    for what, arguments, before in (
            ("rank too large", {"rank": "size"}, ""), ("rank negative", {"rank": "-9"}, ""), ("tag negative", {"tag": "-4"}, ""),
            ("count negative", {"count": "-1"}, ""), ("no type", {"kind": "MPI_DATATYPE_NULL"}, ""),
            ("type not committed", {"kind": "t"}, TYPE), ("type freed", {"kind": "u"}, GONE),
            ("no communicator", {"comm": "MPI_COMM_NULL"}, ""), ("communicator freed", {"comm": "comm2"}, FREED),
            ("no buffer", {"buffer": "NULL"}, "")):
        for name, text in message_calls(**arguments).items():
            yield f"{name}/{what}", f"{before}if (rank == 1) {text} /*@*/"
    yield "Send/any source", f"if (rank == 1) MPI_Send(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, {WORLD}); /*@*/"
    yield "Send/any tag", f"if (rank == 1) MPI_Send(a, 1, MPI_INT, 0, MPI_ANY_TAG, {WORLD}); /*@*/"
    yield "Isend/tag too large", ("int* most;\nMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);\nwhich = *most == 2147483647 ? -7 : *most + 1;\n"
                                  f"if (rank == 1) MPI_Isend(a, 1, MPI_INT, 0, which, {WORLD}, &request); /*@*/")
    yield "Probe/rank", f"if (rank == 1) MPI_Probe(size, 0, {WORLD}, &status); /*@*/"
    yield "Iprobe/communicator freed", FREED + "if (rank == 1) MPI_Iprobe(0, 0, comm2, &flag, &status); /*@*/"
    yield "Bsend/no buffer attached", f"if (rank == 1) MPI_Bsend(a, 1, MPI_INT, 0, 0, {WORLD}); /*@*/"
    yield "Bsend/too small a buffer", f"static char room[300];\nMPI_Buffer_attach(room, 300);\nif (rank == 1) MPI_Bsend(a, 9000, MPI_INT, 0, 0, {WORLD}); /*@*/"
    yield "Recv/too long", f"if (rank == 0) MPI_Send(a, 8, MPI_INT, 1, 0, {WORLD});\nif (rank == 1) MPI_Recv(b, 2, MPI_INT, 0, 0, {WORLD}, &status); /*@*/"
    yield "Irecv/too long", (f"if (rank == 0) MPI_Send(a, 8, MPI_INT, 1, 0, {WORLD});\nif (rank == 1) {{ MPI_Irecv(b, 2, MPI_INT, 0, 0, {WORLD}, &request);\n"
                             "MPI_Wait(&request, &status); } /*@*/")
    yield "Sendrecv/too long", f"MPI_Sendrecv(a, 8, MPI_INT, {NEXT}, 0, b, 4, MPI_INT, {LAST}, 0, {WORLD}, &status); /*@*/"
    yield "Irecv/all too long", (f"if (rank == 0) for (int i = 0; i < 2; ++i) MPI_Send(a, 8, MPI_INT, 1, i, {WORLD});\n"
                                 f"if (rank == 1) {{ for (int i = 0; i < 2; ++i) MPI_Irecv(b + 8 * i, 2, MPI_INT, 0, i, {WORLD}, requests + i);\n"
                                 "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); } /*@*/")


def collectives():
    """One process or all of them."""
    for what, statement in {
            "Bcast/root too large": f"MPI_Bcast(a, 1, MPI_INT, size, {WORLD});", "Bcast/root negative": f"MPI_Bcast(a, 1, MPI_INT, -7, {WORLD});",
            "Reduce/root": f"MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, size + 2, {WORLD});", "Gather/root": f"MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, -8, {WORLD});",
            "Scatter/root": f"MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, size, {WORLD});", "Ibcast/root": f"MPI_Ibcast(a, 1, MPI_INT, size, {WORLD}, &request);",
            "Bcast/count": f"MPI_Bcast(a, -1, MPI_INT, 0, {WORLD});", "Allreduce/count": f"MPI_Allreduce(a, b, -3, MPI_INT, MPI_SUM, {WORLD});",
            "Bcast/no type": f"MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, {WORLD});", "Alltoall/no type": f"MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, {WORLD});",
            "Barrier/no communicator": "MPI_Barrier(MPI_COMM_NULL);", "Bcast/no communicator": "MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_NULL);",
            "Allreduce/no communicator": "MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL);",
            "Allreduce/no operation": f"MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, {WORLD});", "Reduce/no operation": f"MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, {WORLD});",
            "Allreduce/bits of reals": f"MPI_Allreduce(d, d + 8, 1, MPI_DOUBLE, MPI_BAND, {WORLD});", "Reduce/place of integers": f"MPI_Reduce(a, b, 1, MPI_INT, MPI_MAXLOC, 0, {WORLD});",
            "Allreduce/no buffer": f"MPI_Allreduce(NULL, b, 1, MPI_INT, MPI_SUM, {WORLD});", "Bcast/no buffer": f"MPI_Bcast(NULL, 4, MPI_INT, 0, {WORLD});",
            "Comm_dup/no communicator": "MPI_Comm_dup(MPI_COMM_NULL, &comm);",
            "Cart_create/too large": f"int n = size + 1, no = 0;\nMPI_Cart_create({WORLD}, 1, &n, &no, 0, &comm);"}.items():
        yield what, "\n".join(line + " /*@*/" for line in statement.split("\n"))
    for name, text in {"Barrier": "MPI_Barrier(comm2);", "Bcast": "MPI_Bcast(a, 1, MPI_INT, 0, comm2);", "Allreduce": "MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, comm2);",
                       "Ibarrier": "MPI_Ibarrier(comm2, &request);", "Comm_dup": "MPI_Comm_dup(comm2, &comm);", "Comm_free": "MPI_Comm_free(&comm2);"}.items():
        yield f"{name}/communicator freed", f"{FREED}{text} /*@*/"
    for name, text in {"Bcast": f"MPI_Bcast(a, 1, u, 0, {WORLD});", "Gather": f"MPI_Gather(a, 1, u, b, 1, u, 0, {WORLD});",
                       "Type_free": "MPI_Type_free(&u);"}.items():
        yield f"{name}/type freed", f"{GONE}{text} /*@*/"
    yield "Bcast/type not committed", f"{TYPE}MPI_Bcast(a, 1, t, 0, {WORLD}); /*@*/\nMPI_Type_free(&t);"
    yield "Allreduce/operation freed", f"{OP}MPI_Allreduce(a, b, 1, MPI_INT, gone, {WORLD}); /*@*/"
    yield "Op_free/twice", f"{OP}MPI_Op_free(&gone); /*@*/"


def others():
    for what, statement in {
            "Type_contiguous/count": TYPE + "MPI_Type_contiguous(-2, MPI_INT, &u); /*@*/", "Type_vector/count": TYPE + "MPI_Type_vector(-1, 1, 2, MPI_INT, &u); /*@*/",
            "Type_commit/no type": "MPI_Datatype t = MPI_DATATYPE_NULL;\nMPI_Type_commit(&t); /*@*/", "Type_free/predefined": "MPI_Datatype t = MPI_INT;\nMPI_Type_free(&t); /*@*/",
            "Type_free/no type": "MPI_Datatype t = MPI_DATATYPE_NULL;\nMPI_Type_free(&t); /*@*/",
            "Op_free/predefined": "MPI_Op op = MPI_SUM;\nMPI_Op_free(&op); /*@*/", "Op_free/no operation": "MPI_Op op = MPI_OP_NULL;\nMPI_Op_free(&op); /*@*/",
            "Comm_free/no communicator": "comm = MPI_COMM_NULL;\nMPI_Comm_free(&comm); /*@*/", "Comm_rank/no communicator": "MPI_Comm_rank(MPI_COMM_NULL, &x); /*@*/",
            "Group_free/no group": "group = MPI_GROUP_NULL;\nMPI_Group_free(&group); /*@*/",
            "Group_incl/rank": f"int r = size + 4;\nMPI_Comm_group({WORLD}, &group);\nMPI_Group_incl(group, 1, &r, &part); /*@*/",
            "Cart_shift/no grid": f"MPI_Cart_shift({WORLD}, 0, 1, &x, &y); /*@*/", "Cart_rank/no grid": f"MPI_Cart_rank({WORLD}, a, &x); /*@*/",
            "Request_free/none": "request = MPI_REQUEST_NULL;\nMPI_Request_free(&request); /*@*/", "Start/none": "request = MPI_REQUEST_NULL;\nMPI_Start(&request); /*@*/",
            "Start/not persistent": f"if (rank == 0) {{ MPI_Irecv(a, 1, MPI_INT, 1, 0, {WORLD}, &request);\nMPI_Start(&request); }} /*@*/\n"
                                    f"if (rank == 1) MPI_Send(b, 1, MPI_INT, 0, 0, {WORLD});",
            "Start/twice": f"MPI_Recv_init(a, 1, MPI_INT, {LAST}, 0, {WORLD}, &request);\nMPI_Start(&request);\nMPI_Start(&request); /*@*/",
            "Waitall/count": "MPI_Waitall(-1, requests, MPI_STATUSES_IGNORE); /*@*/",
            "Get_count/no type": "MPI_Get_count(&status, MPI_DATATYPE_NULL, &x); /*@*/",
            "Win_create/size": f"MPI_Win_create(a, -4, 4, MPI_INFO_NULL, {WORLD}, &win); /*@*/", "Win_create/unit": f"MPI_Win_create(a, 4, -1, MPI_INFO_NULL, {WORLD}, &win); /*@*/",
            "Win_create/no communicator": "MPI_Win_create(a, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win); /*@*/",
            "Win_fence/no window": "MPI_Win_fence(0, MPI_WIN_NULL); /*@*/", "Win_free/no window": "win = MPI_WIN_NULL;\nMPI_Win_free(&win); /*@*/",
            "Win_lock/no window": "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, MPI_WIN_NULL); /*@*/",
            "Win_lock/kind": WIN + "MPI_Win_lock(12345, 0, 0, win); /*@*/", "Win_lock/rank": WIN + "MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win); /*@*/",
            "Win_post/no group": WIN + "MPI_Win_post(MPI_GROUP_NULL, 0, win); /*@*/", "Win_start/no group": WIN + "MPI_Win_start(MPI_GROUP_NULL, 0, win); /*@*/",
            "Win_lock/negative rank": WIN + "MPI_Win_lock(MPI_LOCK_SHARED, -6, 0, win); /*@*/"}.items():
        yield what, statement
    for what, arguments in {"rank": "b, 1, MPI_INT, size, 0, 1, MPI_INT", "negative rank": "b, 1, MPI_INT, -5, 0, 1, MPI_INT", "count": "b, -1, MPI_INT, 0, 0, 1, MPI_INT",
                            "target count": "b, 1, MPI_INT, 0, 0, -1, MPI_INT", "no type": "b, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT",
                            "target type": "b, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL", "displacement": "b, 1, MPI_INT, 0, -1, 1, MPI_INT",
                            "beyond the window": "b, 1, MPI_INT, 0, 16, 1, MPI_INT", "partly beyond the window": "b, 4, MPI_INT, 0, 14, 4, MPI_INT",
                            "no buffer": "NULL, 1, MPI_INT, 0, 0, 1, MPI_INT", "target holds less": "b, 4, MPI_INT, 0, 0, 2, MPI_INT"}.items():
        for name in ("Put", "Get"):
            yield f"{name}/{what}", f"{WIN}MPI_Win_fence(0, win);\nif (rank == 1) MPI_{name}({arguments}, win); /*@*/\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);"
    yield "Accumulate/no operation", f"{WIN}MPI_Win_fence(0, win);\nif (rank == 1) MPI_Accumulate(b, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win); /*@*/\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);"
    yield "Accumulate/own operation", (f"MPI_Op op;\nMPI_Op_create((MPI_User_function*)own_function, 1, &op);\n{WIN}MPI_Win_fence(0, win);\n"
                                       "if (rank == 1) MPI_Accumulate(b, 1, MPI_INT, 0, 0, 1, MPI_INT, op, win); /*@*/\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);\nMPI_Op_free(&op);")
    yield "Put/no window", "MPI_Put(b, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL); /*@*/"


def wrong():
    for name, text in [*messages(), *collectives(), *others()]:
        yield Case(f"argument/{name}", text, kinds=("error", "argument", "mismatch", "epoch") + (("lost",) if name.startswith("Bsend") else ()))


def right():
    for name, text in {
            "nothing to no process": f"MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, {WORLD});\nMPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, {WORLD}, &status);",
            "no elements": f"MPI_Sendrecv(NULL, 0, MPI_INT, {NEXT}, 0, NULL, 0, MPI_INT, {LAST}, 0, {WORLD}, &status);",
            "largest tag": "int* most;\nMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);\n"
                           f"MPI_Sendrecv(a, 1, MPI_INT, {NEXT}, *most, b, 1, MPI_INT, {LAST}, *most, {WORLD}, &status);",
            "a longer buffer": f"MPI_Sendrecv(a, 2, MPI_INT, {NEXT}, 0, b, 40, MPI_INT, {LAST}, 0, {WORLD}, &status);",
            "an address of its own": f"MPI_Datatype t;\nMPI_Aint where;\nint one = 1;\nMPI_Datatype kind = MPI_INT;\nMPI_Get_address(rank ? b : a, &where);\n"
                                     "MPI_Type_create_struct(1, &one, &where, &kind, &t);\nMPI_Type_commit(&t);\n"
                                     f"MPI_Bcast(MPI_BOTTOM, 1, t, 0, {WORLD});\nMPI_Type_free(&t);",
            "a type freed while it travels": f"{TYPE}MPI_Type_commit(&t);\nMPI_Irecv(b, 1, t, {LAST}, 0, {WORLD}, requests);\nMPI_Isend(a, 1, t, {NEXT}, 0, {WORLD}, requests + 1);\n"
                                             "MPI_Type_free(&t);\nMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
            "a type made of one that is freed": f"{TYPE}MPI_Type_contiguous(2, t, &u);\nMPI_Type_free(&t);\nMPI_Type_commit(&u);\nMPI_Bcast(a, 1, u, 0, {WORLD});\nMPI_Type_free(&u);",
            "a type made of one not committed": f"{TYPE}MPI_Type_vector(2, 1, 2, t, &u);\nMPI_Type_commit(&u);\nMPI_Bcast(a, 1, u, 0, {WORLD});\nMPI_Type_free(&t);\nMPI_Type_free(&u);",
            "an operation freed under way": "MPI_Op op;\nMPI_Op_create((MPI_User_function*)own_function, 1, &op);\n"
                                            f"MPI_Iallreduce(a, b, 4, MPI_INT, op, {WORLD}, &request);\nMPI_Op_free(&op);\nMPI_Wait(&request, &status);",
            "committed twice": f"{TYPE}MPI_Type_commit(&t);\nMPI_Type_commit(&t);\nMPI_Bcast(a, 1, t, 0, {WORLD});\nMPI_Type_free(&t);",
            "wait for none": "request = MPI_REQUEST_NULL;\nMPI_Wait(&request, &status);\nMPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);",
            "an error that is returned": f"MPI_Comm_set_errhandler({WORLD}, MPI_ERRORS_RETURN);\nif (MPI_Send(a, 1, MPI_INT, size + 3, 0, {WORLD}) == MPI_SUCCESS) abort();\n"
                                         f"MPI_Comm_set_errhandler({WORLD}, MPI_ERRORS_ARE_FATAL);",
            "no window memory": f"MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, {WORLD}, &win);\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);",
            "to no process": f"{WIN}MPI_Win_fence(0, win);\nMPI_Put(b, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);\nMPI_Get(NULL, 0, MPI_INT, 0, 0, 0, MPI_INT, win);\n"
                             "MPI_Win_fence(0, win);\nMPI_Win_free(&win);",
            "the last element": f"{WIN}MPI_Win_fence(0, win);\nif (rank == 1) MPI_Put(b, 2, MPI_INT, 0, 14, 2, MPI_INT, win);\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);",
            "units of one byte": f"MPI_Win_create(a, 64, 1, MPI_INFO_NULL, {WORLD}, &win);\nMPI_Win_fence(0, win);\nif (rank == 1) MPI_Put(b, 1, MPI_INT, 0, 60, 1, MPI_INT, win);\n"
                                 "MPI_Win_fence(0, win);\nMPI_Win_free(&win);",
            "memory attached later": f"MPI_Aint where, all[64];\nMPI_Win_create_dynamic(MPI_INFO_NULL, {WORLD}, &win);\nMPI_Win_attach(win, a, 64);\nMPI_Get_address(a, &where);\n"
                                     f"MPI_Allgather(&where, 1, MPI_AINT, all, 1, MPI_AINT, {WORLD});\nMPI_Win_fence(0, win);\n"
                                     f"MPI_Put(b, 2, MPI_INT, {NEXT}, all[{NEXT}], 2, MPI_INT, win);\nMPI_Win_fence(0, win);\nMPI_Win_detach(win, a);\nMPI_Win_free(&win);",
            "a group that gives nothing": "two_sides();\nMPI_Gather(rank == 0 ? NULL : a, 2, MPI_INT, rank % 2 ? NULL : b, 2, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);\n"
                                          "MPI_Comm_free(&inter);\nMPI_Comm_free(&comm);",
            "other root buffers": f"MPI_Gather(a, 1, MPI_INT, rank ? NULL : b, rank ? -1 : 1, rank ? MPI_DATATYPE_NULL : MPI_INT, 0, {WORLD});"}.items():
        yield Case(f"argument allowed/{name}", text)
