# SPDX-License-Identifier: Apache-2.0
"""Programs that use a buffer whose operation is in flight, and programs that do not: under --buffers."""
import cases

WORLD = "MPI_COMM_WORLD"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"


def case(name, text, wrong=False):
    return cases.Case(f"buffers/{name}", text, kinds=("buffer",) if wrong else (), buffers=True)


# (name, the program's own memory, its first and its last element, elements)
MEMORY = {
    "small": ("a", 0, 3, 4),
    "stack": ("own", 0, 3, 4),
    "pages": ("a", 2000, 19999, 20000),
    "edges": ("a + 3", 0, 19999, 20000),
}
COLLECTIVE = {
    "Ibcast": ("MPI_Ibcast({0}, {2}, MPI_INT, 0, MPI_COMM_WORLD, &request);", False, True),
    "Iallreduce": ("MPI_Iallreduce({1}, {0}, {2}, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);", True, True),
    "Ireduce": ("MPI_Ireduce({1}, {0}, {2}, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);", True, False),
    "Iallgather": ("MPI_Iallgather({1}, {2} / 4, MPI_INT, {0}, {2} / 4, MPI_INT, MPI_COMM_WORLD, &request);", True, True),
    "Ialltoall": ("MPI_Ialltoall({1}, {2} / 4, MPI_INT, {0}, {2} / 4, MPI_INT, MPI_COMM_WORLD, &request);", True, True),
    "Igather": ("MPI_Igather({1}, {2} / 4, MPI_INT, {0}, {2} / 4, MPI_INT, 0, MPI_COMM_WORLD, &request);", True, False),
    "Iscan": ("MPI_Iscan({1}, {0}, {2}, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);", True, True),
    "in place": ("MPI_Iallreduce(MPI_IN_PLACE, {0}, {2}, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);", False, True),
}


def exchange(at, elements, between, last):
    """Receives into `at`, sends from b; `between` the start and the wait, and `last` behind it."""
    return (f"int own[8] = {{0}};\nint* const got = {at};\nfor (int i = 0; i < {elements}; ++i) b[i] = 7 + rank;\n"
            f"MPI_Irecv(got, {elements}, MPI_INT, {LAST}, 0, {WORLD}, requests); /*@*/\n"
            f"MPI_Isend(b, {elements}, MPI_INT, {NEXT}, 0, {WORLD}, requests + 1); /*@*/\n{between}\n"
            f"MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\n{last}")


def wrong():
    for name, (at, first, last, elements) in MEMORY.items():
        for where in {first, last}:
            yield case(f"{name}/write to received {where}", exchange(at, elements, f"got[{where}] += 5;", ""), True)
            yield case(f"{name}/write to sent {where}", exchange(at, elements, f"b[{where}] += 5;", ""), True)
    yield case("pages/read of received", exchange("a", 20000, "x = got[3000];\nif (x == 12345) abort();", ""), True)
    yield case("waitany", "MPI_Request two[2];\n" + exchange("a", 4, "b[1] = 99;\nfor (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &which, &status);", ""), True)
    yield case("column sent", "MPI_Datatype t;\nMPI_Type_contiguous(4, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
               f"MPI_Isend(b, 1, t, {NEXT}, 0, {WORLD}, requests); /*@*/\nb[2] += 1;\n"
               f"MPI_Recv(a, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);\nMPI_Wait(requests, &status);", True)
    yield case("persistent send", f"MPI_Send_init(b, 4, MPI_INT, {NEXT}, 0, {WORLD}, requests); /*@*/\nMPI_Start(requests);\nb[2] += 1;\n"
               f"MPI_Recv(a, 4, MPI_INT, {LAST}, 0, {WORLD}, &status);\nMPI_Wait(requests, &status);\nMPI_Request_free(requests);", True)
    for name, (text, sends, receives) in COLLECTIVE.items():
        for elements in (4, 12000):
            start = text.format("a", "b", elements) + " /*@*/\n"
            if receives:
                yield case(f"{name}/{elements}/received", start + f"if (rank) a[{elements} / 2 - 2] += 5;\nMPI_Wait(&request, &status);", True)
            if sends:
                yield case(f"{name}/{elements}/sent", start + "b[0] += 5;\nMPI_Wait(&request, &status);", True)


def right():
    for name, (at, first, last, elements) in MEMORY.items():
        seen = f"for (int i = 0; i < {elements}; ++i) if (got[i] != 7 + ({LAST})) abort();"
        yield case(f"{name}/used behind the wait", exchange(at, elements, "x += 5;", seen + "\ngot[1] = b[1] = 4;"))
        yield case(f"{name}/neighbours", exchange(at, elements, f"x = got[{elements} + 1];\nb[{elements}] = x;", seen))
        yield case(f"{name}/sent is read", exchange(at, elements, "x = b[1] + b[3];\nif (x == 12345) abort();", seen))
        yield case(f"{name}/several", f"for (int k = 0; k < 3; ++k) {{\n{exchange(at, elements, '', seen)} }}")
        yield case(f"{name}/tests", exchange(at, elements, "for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);\n"
                                             + seen + "\nb[0] = got[0] = 3;", ""))
        yield case(f"{name}/one by one", exchange(at, elements, "MPI_Wait(requests, &status);\n" + seen + f"\ngot[{first}] = got[{last}] = 1;", ""))
    yield case("less than there is room for", f"for (int i = 0; i < 9000; ++i) a[i] = i;\nMPI_Irecv(a, 9000, MPI_INT, {LAST}, 0, {WORLD}, requests);\n"
               f"MPI_Send(b, 1000, MPI_INT, {NEXT}, 0, {WORLD});\nMPI_Wait(requests, &status);\nMPI_Get_count(&status, MPI_INT, &x);\n"
               "if (x != 1000 || a[1000] != 1000 || a[8999] != 8999) abort();")
    yield case("columns", "MPI_Datatype t;\nMPI_Type_vector(3000, 1, 2, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
               f"MPI_Irecv(a, 1, t, {LAST}, 0, {WORLD}, requests);\nMPI_Isend(b, 1, t, {NEXT}, 0, {WORLD}, requests + 1);\na[1] = b[1] = 3;\n"
               "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\nMPI_Type_free(&t);")
    yield case("cancelled", f"a[0] = 3;\nMPI_Irecv(a, 4, MPI_INT, {LAST}, 44, {WORLD}, requests);\nMPI_Cancel(requests);\nMPI_Wait(requests, &status);\n"
               "if (a[0] != 3) abort();\na[0] = 4;")
    yield case("freed receive", f"a[0] = 3;\nMPI_Irecv(a, 4, MPI_INT, {LAST}, 44, {WORLD}, &request);\nMPI_Request_free(&request);\nb[0] = 9;\n"
               f"MPI_Send(b, 4, MPI_INT, {NEXT}, 44, {WORLD});\nMPI_Barrier({WORLD});\n"
               f"MPI_Sendrecv(b, 1, MPI_INT, {NEXT}, 0, b + 10, 1, MPI_INT, {LAST}, 0, {WORLD}, &status);\nif (a[0] != 9) abort();")
    yield case("persistent", f"MPI_Send_init(b, 3000, MPI_INT, {NEXT}, 0, {WORLD}, requests);\nMPI_Recv_init(a, 3000, MPI_INT, {LAST}, 0, {WORLD}, requests + 1);\n"
               "for (int i = 0; i < 3; ++i) { b[0] = i;\nMPI_Startall(2, requests);\nMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\nif (a[0] != i) abort(); }\n"
               "MPI_Request_free(requests);\nMPI_Request_free(requests + 1);")
    yield case("exchange", f"MPI_Sendrecv(b, 9000, MPI_INT, {NEXT}, 0, a, 9000, MPI_INT, {LAST}, 0, {WORLD}, &status);\nb[0] = a[0];")
    yield case("many", f"for (int i = 0; i < 40; ++i) {{ MPI_Irecv(a + 1500 * i, 1500, MPI_INT, {LAST}, i, {WORLD}, requests + i % 20);\n"
               f"MPI_Send(b, 1500, MPI_INT, {NEXT}, i, {WORLD});\nif (i % 20 == 19) MPI_Waitall(20, requests, MPI_STATUSES_IGNORE); }}")
    for name, (text, sends, receives) in COLLECTIVE.items():
        for elements in (4, 12000):
            start = text.format("a", "b", elements)
            yield case(f"{name}/{elements}/right", "for (int k = 0; k < 2; ++k) { a[0] = b[0] = k + 1;\n" + start + "\nx = b[0];\nMPI_Wait(&request, &status);\n"
                       "a[1] = b[1] = 3; }")
    for elements in (4, 12000):
        yield case(f"sum/{elements}", f"for (int i = 0; i < {elements}; ++i) a[i] = i + rank;\n"
                   f"MPI_Iallreduce(MPI_IN_PLACE, a, {elements}, MPI_INT, MPI_SUM, {WORLD}, &request);\nMPI_Wait(&request, &status);\n"
                   f"for (int i = 0; i < {elements}; ++i) if (a[i] != size * i + size * (size - 1) / 2) abort();")
        yield case(f"gather/{elements}", f"for (int i = 0; i < {elements}; ++i) b[i] = 100 * rank + i;\n"
                   f"MPI_Igather(b, {elements}, MPI_INT, a, {elements}, MPI_INT, 1, {WORLD}, &request);\nMPI_Wait(&request, &status);\n"
                   f"for (int i = 0; rank == 1 && i < size * {elements}; ++i) if (a[i] != 100 * (i / {elements}) + i % {elements}) abort();")
