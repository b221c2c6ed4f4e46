# SPDX-License-Identifier: Apache-2.0
"""Accesses of windows that race, use memory too early or stand outside of an epoch, and those that do not."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
WIN = f"for (int i = 0; i < 40; ++i) a[i] = b[i] = i;\nMPI_Win_create(a, 160, 4, MPI_INFO_NULL, {WORLD}, &win);\n"
FREE = "\nMPI_Win_free(&win);"
FENCE = "MPI_Win_fence(0, win);\n"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"


def put(target, at=0, count=1, origin="b"):
    return f"MPI_Put({origin}, {count}, MPI_INT, {target}, {at}, {count}, MPI_INT, win);"


def get(target, at=0, count=1, origin="b"):
    return f"MPI_Get({origin}, {count}, MPI_INT, {target}, {at}, {count}, MPI_INT, win);"


def add(target, at=0, op="MPI_SUM", count=1, kind="MPI_INT"):
    return f"MPI_Accumulate(b, {count}, {kind}, {target}, {at}, {count}, {kind}, {op}, win);"


def fetch(target, at=0, op="MPI_SUM", result="&y"):
    return f"MPI_Fetch_and_op(b, {result}, MPI_INT, {target}, {at}, {op}, win);"


def lock(target, text, kind="MPI_LOCK_SHARED"):
    return f"MPI_Win_lock({kind}, {target}, 0, win);\n{text}\nMPI_Win_unlock({target}, win);"


def by(rank, text):
    return f"if (rank == {rank}) {{ {text} }}\n"


def of_two(first, second, at=(1, 2)):
    return by(at[0], first + " /*@*/") + by(at[1], second + " /*@*/")


def races():
    pairs = {"put and put": (put(0), put(0)), "put and get": (put(0, origin="b + 4"), get(0)), "put and accumulate": (put(0), add(0)),
             "get and accumulate": (get(0), add(0)), "two operations": (add(0, op="MPI_SUM"), add(0, op="MPI_MAX")), "in part": (put(0, 2, 4), put(0, 5, 4)),
             "put and fetch": (put(0), fetch(0)), "get and fetch": (get(0, origin="b + 4"), fetch(0))}
    for name, (first, second) in pairs.items():
        yield f"fence/{name}", WIN + FENCE + of_two(first, second) + FENCE + FREE
        yield f"lock all/{name}", WIN + f"MPI_Win_lock_all(0, win);\n" + of_two(first, second) + "MPI_Win_unlock_all(win);" + FREE
        yield f"shared locks/{name}", WIN + of_two(lock(0, first), lock(0, second)).replace("win);\nMPI", "win); /*@*/\nMPI") + FREE
    yield "one origin/put and put", WIN + FENCE + by(1, f"{put(0)} /*@*/\n{put(0, origin='b + 8')} /*@*/") + FENCE + FREE
    yield "one origin/put and get", WIN + FENCE + by(1, f"{put(0)} /*@*/\n{get(0, origin='b + 8')} /*@*/") + FENCE + FREE
    yield "to itself", WIN + FENCE + of_two(put(1), put(1)) + FENCE + FREE
    yield "epochs of started ones", (WIN + f"int zero = 0;\nMPI_Comm_group({WORLD}, &group);\n"
                                     "if (rank == 0) { MPI_Group_excl(group, 1, &zero, &part);\nMPI_Win_post(part, 0, win);\nMPI_Win_wait(win); }\n"
                                     f"else {{ MPI_Group_incl(group, 1, &zero, &part);\nMPI_Win_start(part, 0, win);\n{put(0)} /*@*/\nMPI_Win_complete(win); }}\n"
                                     "MPI_Group_free(&part);\nMPI_Group_free(&group);" + FREE)
    yield "third epoch", WIN + FENCE + by(1, put(0)) + FENCE + by(2, put(0)) + FENCE + of_two(put(0, 3), put(0, 3)) + FENCE + FREE
    yield "a column", (WIN + "MPI_Datatype t;\nMPI_Type_vector(3, 1, 4, MPI_INT, &t);\nMPI_Type_commit(&t);\n" + FENCE
                       + by(1, "MPI_Put(b, 3, MPI_INT, 0, 1, 1, t, win); /*@*/") + by(2, put(0, 5) + " /*@*/") + FENCE + "MPI_Type_free(&t);" + FREE)
    yield "a request waited for is complete here only", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"MPI_Rput(b, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request); /*@*/\nMPI_Wait(&request, &status);\n"
                                                  f"MPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});") + by(2, f"MPI_Recv(&y, 1, MPI_INT, 1, 0, {WORLD}, &status);\n{put(0)} /*@*/") + "MPI_Win_unlock_all(win);" + FREE
    yield "flushed, but no order", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, put(0) + " /*@*/\nMPI_Win_flush(0, win);") + by(2, f"{put(0)} /*@*/\nMPI_Win_flush(0, win);") + "MPI_Win_unlock_all(win);" + FREE


def reused():
    """Buffers of accesses that are still under way."""
    cases = {
        "get and get": f"{get(0)} /*@*/\n{get(0, 5)} /*@*/", "get and put": f"{get(0)} /*@*/\n{put(0, 5)} /*@*/", "put and get": f"{put(0)} /*@*/\n{get(0, 5)} /*@*/",
        "put and receive": f"{put(0)} /*@*/\nMPI_Recv(b, 1, MPI_INT, 2, 0, {WORLD}, &status); /*@*/", "get and receive": f"{get(0)} /*@*/\nMPI_Recv(b, 1, MPI_INT, 2, 0, {WORLD}, &status); /*@*/",
        "get and send": f"MPI_Request r;\n{get(0)} /*@*/\nMPI_Isend(b, 1, MPI_INT, 1, 9, {WORLD}, &r); /*@*/\nMPI_Recv(b + 8, 1, MPI_INT, 1, 9, {WORLD}, &status);\nMPI_Wait(&r, &status);\nMPI_Recv(b + 9, 1, MPI_INT, 2, 0, {WORLD}, &status);",
    }
    for name, text in cases.items():
        if "receive" in name or "send" in name:
            text = by(1, text) + by(2, f"MPI_Send(&x, 1, MPI_INT, 1, 0, {WORLD});")
        else:
            text = by(1, text)
        yield f"fence/{name}", WIN + FENCE + text + FENCE + FREE
        yield f"lock all/{name}", WIN + "MPI_Win_lock_all(0, win);\n" + text + "MPI_Win_unlock_all(win);" + FREE
    yield "broadcast", WIN + FENCE + by(1, get(0) + " /*@*/") + f"MPI_Bcast(b, 1, MPI_INT, 0, {WORLD}); /*@*/\n" + FENCE + FREE
    yield "fetch", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{fetch(0, 3, 'MPI_SUM', 'b + 5')} /*@*/\n{get(0, 9, 1, 'b + 5')} /*@*/") + "MPI_Win_unlock_all(win);" + FREE
    yield "request not waited for", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"MPI_Rget(b, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request); /*@*/\n{get(0, 9)} /*@*/\nMPI_Wait(&request, &status);") + "MPI_Win_unlock_all(win);" + FREE


def outside():
    """Not in an epoch, or epochs that do not fit into each other."""
    for name, text in {"put": put(0), "get": get(0), "accumulate": add(0), "fetch": fetch(0)}.items():
        yield f"{name} before an epoch", WIN + by(1, text + " /*@*/") + FREE
        yield f"{name} after an unlock", WIN + by(1, lock(0, put(0)) + f"\n{text} /*@*/") + FREE
        yield f"{name} at a rank not locked", WIN + by(1, lock(2, text + " /*@*/")) + FREE
    yield "unlock without lock", WIN + by(1, "MPI_Win_unlock(0, win); /*@*/") + FREE
    yield "unlock all without lock", WIN + by(1, "MPI_Win_unlock_all(win); /*@*/") + FREE
    yield "locked twice", WIN + by(1, "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);\nMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); /*@*/") + FREE
    yield "all locked twice", WIN + by(1, "MPI_Win_lock_all(0, win);\nMPI_Win_lock_all(0, win); /*@*/") + FREE
    yield "flush without lock", WIN + by(1, "MPI_Win_flush(0, win); /*@*/") + FREE
    yield "complete without start", WIN + by(1, "MPI_Win_complete(win); /*@*/") + FREE
    yield "wait without post", WIN + by(1, "MPI_Win_wait(win); /*@*/") + FREE
    yield "freed while locked", WIN + "MPI_Win_lock_all(0, win);\nMPI_Win_free(&win); /*@*/"
    yield "finalized while locked", WIN + "MPI_Win_lock_all(0, win); /*@*/"
    yield "fence while locked", WIN + "MPI_Win_lock_all(0, win);\nMPI_Win_fence(0, win); /*@*/\nMPI_Win_unlock_all(win);" + FREE
    yield "lock in an epoch of started ones", (WIN + f"MPI_Comm_group({WORLD}, &group);\nMPI_Win_post(group, 0, win);\nMPI_Win_start(group, 0, win);\n"
                                               + by(1, "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); /*@*/\nMPI_Win_unlock(0, win);") + "MPI_Win_complete(win);\nMPI_Win_wait(win);\nMPI_Group_free(&group);" + FREE)
    yield "posted twice", WIN + f"MPI_Comm_group({WORLD}, &group);\nMPI_Win_post(group, 0, win);\nMPI_Win_post(group, 0, win); /*@*/"
    yield "fence missing at the end", WIN + FENCE + by(1, put(0) + " /*@*/") + FREE
    yield "put to a rank not started", (WIN + f"int zero = 0, two = 2;\nMPI_Comm_group({WORLD}, &group);\n"
                                        + by(1, f"MPI_Group_incl(group, 1, &zero, &part);\nMPI_Win_start(part, 0, win);\n{put(2)} /*@*/\nMPI_Win_complete(win);\nMPI_Group_free(&part);")
                                        + by(0, "int one = 1;\nMPI_Group_incl(group, 1, &one, &part);\nMPI_Win_post(part, 0, win);\nMPI_Win_wait(win);\nMPI_Group_free(&part);") + "MPI_Group_free(&group);" + FREE)


def stuck():
    hold = "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);\n" + put(0) + "\nMPI_Win_flush(0, win);\n"
    yield "lock and message", (WIN + by(1, hold + f"MPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});\nMPI_Recv(&x, 1, MPI_INT, 2, 0, {WORLD}, &status); /*@*/\nMPI_Win_unlock(0, win);")
                               + by(2, f"MPI_Recv(&x, 1, MPI_INT, 1, 0, {WORLD}, &status);\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /*@*/\n{put(0)}\nMPI_Win_unlock(0, win); /*@*/\n"
                                       f"MPI_Send(&x, 1, MPI_INT, 1, 0, {WORLD});") + FREE)
    yield "unlock missing", (WIN + by(1, hold.replace("win);", "win); /*@*/", 1) + f"MPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});")
                             + by(2, f"MPI_Recv(&x, 1, MPI_INT, 1, 0, {WORLD}, &status);\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /*@*/\n{put(0)}\nMPI_Win_unlock(0, win); /*@*/") + FREE)
    yield "barrier with a lock", (WIN + f"if (rank == 1) {{ {hold} }}\nMPI_Barrier({WORLD});\n" + by(2, f"MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /*@*/\n{put(0)}\nMPI_Win_unlock(0, win); /*@*/")
                                  + f"MPI_Barrier({WORLD}); /*@*/\nif (rank == 1) MPI_Win_unlock(0, win);" + FREE)


def wrong():
    for name, text in races():
        yield Case(f"one-sided race/{name}", text, kinds=("conflict",))
    for name, text in reused():
        yield Case(f"one-sided buffer/{name}", text, kinds=("overlap",))
    for name, text in outside():
        yield Case(f"epoch/{name}", text, kinds=("error", "epoch", "mismatch"))
    for name, text in stuck():
        yield Case(f"one-sided deadlock/{name}", text, kinds=("deadlock", "partner", "missing", "epoch"))
    for name, text in {"put": f"{put(0)} /*@*/\nb[0] += 5;", "get": f"{get(0, 3)} /*@*/\nb[0] += 5;", "get is read": f"{get(0, 3)} /*@*/\nif (b[0] == 12345) abort();",
                       "accumulate": f"{add(0)} /*@*/\nb[0] += 5;"}.items():
        yield Case(f"buffers/one-sided/{name}", WIN + FENCE + by(1, text) + FENCE + FREE, kinds=("buffer",), buffers=True)
        yield Case(f"buffers/locked/{name}", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, text) + "MPI_Win_unlock_all(win);" + FREE, kinds=("buffer",), buffers=True)


def right_texts():
    yield "different places", WIN + FENCE + by(1, put(0)) + by(2, put(0, 1)) + FENCE + FREE
    yield "different targets", WIN + FENCE + put(NEXT) + "\n" + FENCE + FREE
    yield "different epochs", WIN + FENCE + by(1, put(0)) + FENCE + by(2, put(0)) + FENCE + get(0, origin="b + 3") + "\n" + FENCE + FREE
    yield "all read", WIN + FENCE + get(0) + "\n" + FENCE + FREE
    yield "all add", WIN + FENCE + add(0) + "\n" + FENCE + FREE
    yield "add and fetch", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, add(0)) + by(2, fetch(0)) + by(0, fetch(0, op="MPI_NO_OP")) + "MPI_Win_unlock_all(win);" + FREE
    yield "exclusive locks", WIN + lock(0, put(0), "MPI_LOCK_EXCLUSIVE") + FREE
    yield "shared and exclusive", WIN + by(1, lock(0, get(0))) + by(2, lock(0, put(0), "MPI_LOCK_EXCLUSIVE")) + FREE
    yield "shared locks with a barrier between", WIN + by(1, lock(0, put(0))) + f"MPI_Barrier({WORLD});\n" + by(2, lock(0, put(0))) + FREE
    yield "shared locks with a message between", WIN + by(1, lock(0, put(0)) + f"\nMPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});") + by(2, f"MPI_Recv(&y, 1, MPI_INT, 1, 0, {WORLD}, &status);\n" + lock(0, put(0))) + FREE
    yield "flush and a message", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);\nMPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});")
                                  + by(2, f"MPI_Recv(&y, 1, MPI_INT, 1, 0, {WORLD}, &status);\n{put(0)}") + "MPI_Win_unlock_all(win);" + FREE)
    yield "flush and a message through a third", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);\nMPI_Isend(&x, 1, MPI_INT, 0, 0, {WORLD}, &request);\nMPI_Wait(&request, &status);")
                                                  + by(0, f"MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, {WORLD}, &request);\nMPI_Wait(&request, &status);\nMPI_Send(&y, 1, MPI_INT, 2, 3, {WORLD});")
                                                  + by(2, f"MPI_Recv(&y, 1, MPI_INT, 0, 3, {WORLD}, &status);\n{put(0)}") + "MPI_Win_unlock_all(win);" + FREE)
    yield "a message found by a test", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);\nMPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});")
                                        + by(2, f"MPI_Irecv(&y, 1, MPI_INT, 1, 0, {WORLD}, &request);\nfor (flag = 0; !flag;) MPI_Test(&request, &flag, &status);\n{put(0)}") + "MPI_Win_unlock_all(win);" + FREE)
    yield "an immediate barrier between", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);") + f"MPI_Ibarrier({WORLD}, &request);\nMPI_Wait(&request, &status);\n"
                                           + by(2, put(0)) + "MPI_Win_unlock_all(win);" + FREE)
    yield "an immediate barrier that is tested", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);") + f"MPI_Ibarrier({WORLD}, &request);\nfor (flag = 0; !flag;) MPI_Test(&request, &flag, &status);\n"
                                                  + by(2, put(0)) + "MPI_Win_unlock_all(win);" + FREE)
    yield "a flag in the window", (WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);\nMPI_Accumulate(&rank, 1, MPI_INT, 0, 20, 1, MPI_INT, MPI_REPLACE, win);\nMPI_Win_flush(0, win);")
                                   + by(2, "for (y = 20; y == 20;) { MPI_Fetch_and_op(NULL, &y, MPI_INT, 0, 20, MPI_NO_OP, win);\nMPI_Win_flush(0, win); }\n" + put(0)) + "MPI_Win_unlock_all(win);" + FREE)
    yield "flushed by one origin", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush(0, win);\n{get(0, origin='b + 8')}\nMPI_Win_flush_all(win);\n{put(0)}") + "MPI_Win_unlock_all(win);" + FREE
    yield "one origin adds", WIN + FENCE + f"for (int i = 0; i < 3; ++i) {add(NEXT)}\n" + FENCE + FREE
    yield "columns beside each other", (WIN + "MPI_Datatype t;\nMPI_Type_vector(3, 1, 4, MPI_INT, &t);\nMPI_Type_commit(&t);\n" + FENCE
                                        + "MPI_Put(b, 3, MPI_INT, 0, rank, 1, t, win);\n" + FENCE + "MPI_Type_free(&t);" + FREE)
    yield "buffers after local completion", WIN + "MPI_Win_lock_all(0, win);\n" + by(1, f"{put(0)}\nMPI_Win_flush_local(0, win);\nb[0] = 4;\n{put(0, 3)}\nMPI_Win_flush_local_all(win);\n{get(0, 7)}\nMPI_Win_flush(0, win);\n{put(0, 9)}") + "MPI_Win_unlock_all(win);" + FREE
    yield "requests", WIN + "MPI_Win_lock_all(0, win);\n" + f"MPI_Rget(b, 1, MPI_INT, {NEXT}, 0, 1, MPI_INT, win, &request);\nMPI_Wait(&request, &status);\nb[0] = 3;\nMPI_Rput(b, 1, MPI_INT, {NEXT}, 3, 1, MPI_INT, win, &request);\nMPI_Wait(&request, &status);\nb[0] = 5;\nMPI_Win_unlock_all(win);" + FREE
    yield "two windows", (WIN + f"MPI_Win other;\nMPI_Win_create(a + 1000, 160, 4, MPI_INFO_NULL, {WORLD}, &other);\n" + FENCE + "MPI_Win_fence(0, other);\n" + by(1, put(0))
                          + by(2, "MPI_Put(b, 1, MPI_INT, 0, 0, 1, MPI_INT, other);") + "MPI_Win_fence(0, other);\n" + FENCE + "MPI_Win_free(&other);" + FREE)
    yield "halves", f"halves();\nMPI_Comm_rank(comm, &y);\nMPI_Win_create(a, 160, 4, MPI_INFO_NULL, comm, &win);\n" + FENCE + "if (y == 1) " + put(0) + "\n" + FENCE + FREE + "\nMPI_Comm_free(&comm);"
    yield "no store promised", WIN + "MPI_Win_fence(MPI_MODE_NOPRECEDE, win);\n" + by(1, put(0)) + "MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);" + FREE
    yield "started in turn", (WIN + f"int zero = 0;\nMPI_Comm_group({WORLD}, &group);\nfor (int i = 1; i < size; ++i) {{\n"
                              "if (rank == 0) { MPI_Group_incl(group, 1, &i, &part);\nMPI_Win_post(part, 0, win);\nMPI_Win_wait(win);\nMPI_Group_free(&part); }\n"
                              f"if (rank == i) {{ MPI_Group_incl(group, 1, &zero, &part);\nMPI_Win_start(part, 0, win);\n{put(0)}\nMPI_Win_complete(win);\nMPI_Group_free(&part); }} }}\n"
                              "MPI_Group_free(&group);" + FREE)
    yield "locks and fences in turn", WIN + FENCE + by(1, put(0)) + "MPI_Win_fence(MPI_MODE_NOSUCCEED, win);\n" + lock(0, put(0), "MPI_LOCK_EXCLUSIVE") + f"\nMPI_Barrier({WORLD});\n" + FENCE + by(2, put(0)) + FENCE + FREE
    yield "swaps", WIN + "MPI_Win_lock_all(0, win);\nx = 0, y = rank + 1;\n" + "for (int i = 0; i < 3; ++i) { MPI_Compare_and_swap(&y, &x, b, MPI_INT, 0, 0, win);\nMPI_Win_flush(0, win); }\nMPI_Win_unlock_all(win);" + FREE
    yield "allocated", f"int* p;\nMPI_Win_allocate(160, 4, MPI_INFO_NULL, {WORLD}, &p, &win);\n" + FENCE + put(NEXT) + "\n" + FENCE + f"if (p[0] != b[0]) abort();\n" + FENCE + FREE
    yield "its own memory by lock", WIN + f"MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);\na[0] = 4;\nMPI_Win_unlock(rank, win);\nMPI_Barrier({WORLD});\n" + lock(NEXT, get(NEXT)) + FREE


def right():
    for name, text in right_texts():
        # Open MPI 4.1 makes no window of one process, and now and then fails with two of a part of the world each.
        version = 4 if name == "halves" else 3
        yield Case(f"one-sided/{name}", text, version=version)
        yield Case(f"buffers/one-sided right/{name}", text, version=version, buffers=True)
    yield Case("one-sided/lock of a process that computes", WIN + "if (rank == 0) usleep(700000);\nelse for (int i = 0; i < 6; ++i) {\n" + lock(0, add(0), "i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE") + "\n}" + FREE)
    yield Case("one-sided/lock and message in order", WIN + by(1, "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);\n" + put(0) + "\nMPI_Win_unlock(0, win);\n" + f"MPI_Send(&x, 1, MPI_INT, 2, 0, {WORLD});\nMPI_Recv(&x, 1, MPI_INT, 2, 0, {WORLD}, &status);")
               + by(2, f"MPI_Recv(&x, 1, MPI_INT, 1, 0, {WORLD}, &status);\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);\n{put(0)}\nMPI_Win_unlock(0, win);\nMPI_Send(&x, 1, MPI_INT, 1, 0, {WORLD});") + FREE)
    yield Case("one-sided/lock in turn", WIN + "for (int i = 0; i < 20; ++i) {\n" + lock(0, put(0), "MPI_LOCK_EXCLUSIVE") + "\n}" + FREE)
