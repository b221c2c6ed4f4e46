# SPDX-License-Identifier: Apache-2.0
"""MPI_Init and MPI_Finalize in the wrong place, and requests that are never started, completed or freed."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
NEXT, LAST = "(rank + 1) % size", "(rank + size - 1) % size"
INIT = f"MPI_Init(NULL, NULL);\nMPI_Comm_rank({WORLD}, &rank);\nMPI_Comm_size({WORLD}, &size);\n"
WAIT = "MPI_Wait(&request, &status);"
BOTH = "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);"


def version_of(text):
    """Partitions and persistent collective operations came with MPI 4."""
    return 4 if "INFO_NULL" in text else 3


def ends():
    yield "no finalize", INIT + f"MPI_Barrier({WORLD});"
    yield "finalize of some", INIT + "if (rank) MPI_Finalize(); /*@*/"
    yield "finalized twice", INIT + "MPI_Finalize();\nMPI_Finalize(); /*@*/"
    yield "initialised twice", INIT + "MPI_Init(NULL, NULL); /*@*/\nMPI_Finalize();"
    yield "initialised again", INIT + "MPI_Finalize();\nMPI_Init(NULL, NULL); /*@*/"
    for name, text in {"barrier": f"MPI_Barrier({WORLD});", "rank": f"MPI_Comm_rank({WORLD}, &rank);", "send": f"MPI_Send(a, 1, MPI_INT, 0, 0, {WORLD});",
                       "receive": f"MPI_Recv(a, 1, MPI_INT, 0, 0, {WORLD}, &status);", "type": "MPI_Datatype t;\nMPI_Type_contiguous(2, MPI_INT, &t);"}.items():
        yield f"{name} after finalize", INIT + f"MPI_Finalize();\n{text} /*@*/"
        yield f"{name} before init", f"{text} /*@*/\n{INIT}MPI_Finalize();"
    yield "no init", f"MPI_Comm_rank({WORLD}, &rank); /*@*/"
    yield "only finalize", "MPI_Finalize(); /*@*/"


def requests():
    send = f"MPI_Send_init(a, 4, MPI_INT, {NEXT}, 0, {WORLD}, requests);"
    receive = f"MPI_Recv_init(b, 4, MPI_INT, {LAST}, 0, {WORLD}, requests + 1);"
    free = "MPI_Request_free(requests);\nMPI_Request_free(requests + 1);"
    yield "never started/send and receive", f"{send} /*@*/\n{receive} /*@*/\n{BOTH} /*@*/\n{free}", ("unstarted",)
    yield "never started/one", f"{send} /*@*/\nMPI_Wait(requests, &status); /*@*/\nMPI_Request_free(requests);", ("unstarted",)
    yield "never started/barrier", f"MPI_Barrier_init({WORLD}, MPI_INFO_NULL, &request); /*@*/\n{WAIT} /*@*/\nMPI_Request_free(&request);", ("unstarted",)
    yield "never started/broadcast", f"MPI_Bcast_init(a, 1, MPI_INT, 0, {WORLD}, MPI_INFO_NULL, &request); /*@*/\n{WAIT} /*@*/\nMPI_Request_free(&request);", ("unstarted",)
    yield "never started/partitioned", (f"MPI_Psend_init(a, 2, 4, MPI_INT, {NEXT}, 0, {WORLD}, MPI_INFO_NULL, requests); /*@*/\n"
                                        f"MPI_Precv_init(b, 2, 4, MPI_INT, {LAST}, 0, {WORLD}, MPI_INFO_NULL, requests + 1); /*@*/\n{BOTH} /*@*/\n{free}"), ("unstarted",)
    yield "started by one only", f"{send} /*@*/\n{receive}\nif (rank) MPI_Start(requests);\nMPI_Start(requests + 1);\n{BOTH} /*@*/\n{free}", ("deadlock", "partner", "missing", "unstarted")
    yield "never completed/persistent", f"{send} /*@*/\n{receive} /*@*/\nMPI_Startall(2, requests);", ("request",)
    yield "never completed/broadcast", f"MPI_Bcast_init(a, 1, MPI_INT, 0, {WORLD}, MPI_INFO_NULL, &request); /*@*/\nMPI_Start(&request);", ("request",)
    yield "never freed/partitioned", (f"MPI_Psend_init(a, 2, 4, MPI_INT, {NEXT}, 0, {WORLD}, MPI_INFO_NULL, requests); /*@*/\n"
                                      f"MPI_Precv_init(b, 2, 4, MPI_INT, {LAST}, 0, {WORLD}, MPI_INFO_NULL, requests + 1); /*@*/\n"
                                      "MPI_Startall(2, requests);\nMPI_Pready_range(0, 1, requests[0]);\n" + BOTH), ("leak",)
    yield "never freed/broadcast", f"MPI_Bcast_init(a, 1, MPI_INT, 0, {WORLD}, MPI_INFO_NULL, &request); /*@*/\nMPI_Start(&request);\n{WAIT}", ("leak",)
    yield "overwritten/send", (f"for (int i = 0; i < 2; ++i)\nMPI_Isend(a, 1, MPI_INT, {NEXT}, i, {WORLD}, &request); /*@*/\n{WAIT}\n"
                               f"for (int i = 0; i < 2; ++i) MPI_Recv(b, 1, MPI_INT, {LAST}, i, {WORLD}, &status);"), ("request",)


def wrong():
    for name, text in ends():
        yield Case(f"end/{name}", text, kinds=("missing", "mismatch", "error", "order"), bare=True)
    for name, text, kinds in requests():
        yield Case(f"request/{name}", text, kinds=kinds, version=version_of(text))
    yield Case("buffers/persistent receive/write", f"MPI_Recv_init(b, 4, MPI_INT, {LAST}, 0, {WORLD}, requests); /*@*/\nMPI_Start(requests);\nb[1] += 7;\n"
               f"MPI_Send(a, 4, MPI_INT, {NEXT}, 0, {WORLD});\nMPI_Wait(requests, &status);\nMPI_Request_free(requests);", kinds=("buffer",), buffers=True)
    yield Case("buffers/persistent receive/read", f"MPI_Recv_init(b, 4, MPI_INT, {LAST}, 0, {WORLD}, requests); /*@*/\nMPI_Start(requests);\nx = b[1];\n"
               f"MPI_Send(a, 4, MPI_INT, {NEXT}, 0, {WORLD});\nMPI_Wait(requests, &status);\nMPI_Request_free(requests);", kinds=("buffer",), buffers=True)
    for name, start in {"broadcast": f"MPI_Bcast_init(a, 4, MPI_INT, 0, {WORLD}, MPI_INFO_NULL, &request);",
                        "sum": f"MPI_Allreduce_init(b, a, 4, MPI_INT, MPI_SUM, {WORLD}, MPI_INFO_NULL, &request);"}.items():
        yield Case(f"buffers/persistent collective/{name}", f"{start} /*@*/\nMPI_Start(&request);\na[1] += 7;\n{WAIT}\nMPI_Request_free(&request);", kinds=("buffer",), buffers=True, version=4)
    for name, text in {"receive": f"MPI_Irecv(&y, 1, MPI_INT, {LAST}, 0, {WORLD}, &request); /*@*/\nx = y;\nMPI_Send(&which, 1, MPI_INT, {NEXT}, 0, {WORLD});\n{WAIT}",
                       "receive on the stack": f"int own[2] = {{1, 2}};\nMPI_Irecv(own, 2, MPI_INT, {LAST}, 0, {WORLD}, &request); /*@*/\nif (own[1] == 3) abort();\nMPI_Send(a, 2, MPI_INT, {NEXT}, 0, {WORLD});\n{WAIT}",
                       "broadcast": f"MPI_Ibcast(&y, 1, MPI_INT, 0, {WORLD}, &request); /*@*/\nif (rank) x = y;\n{WAIT}",
                       "the same value": f"y = 7;\nMPI_Isend(&y, 1, MPI_INT, {NEXT}, 0, {WORLD}, &request); /*@*/\ny = 7;\nMPI_Recv(&x, 1, MPI_INT, {LAST}, 0, {WORLD}, &status);\n{WAIT}",
                       "sum": f"MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, {WORLD}, &request); /*@*/\nif (y == 99) abort();\n{WAIT}"}.items():
        yield Case(f"buffers/one number/{name}", text, kinds=("buffer",), buffers=True)


def right():
    for name, text in {"plain": INIT + "MPI_Finalize();", "questions": "int is;\nMPI_Initialized(&is);\nif (is) abort();\n" + INIT + "MPI_Finalize();\nMPI_Finalized(&is);\nif (!is) abort();",
                       "version": "int v, s;\nMPI_Get_version(&v, &s);\n" + INIT + "MPI_Finalize();\nMPI_Get_version(&v, &s);"}.items():
        yield Case(f"end/{name}", text, bare=True)
    send = f"MPI_Send_init(a, 4, MPI_INT, {NEXT}, 0, {WORLD}, requests);"
    receive = f"MPI_Recv_init(b, 4, MPI_INT, {LAST}, 0, {WORLD}, requests + 1);"
    free = "MPI_Request_free(requests);\nMPI_Request_free(requests + 1);"
    for name, text in {
            "made for nothing": f"{send}\n{receive}\n{free}",
            "waited for once more": f"{send}\n{receive}\nMPI_Startall(2, requests);\n{BOTH}\n{BOTH}\n{free}",
            "waited for before the first": f"{send}\n{receive}\nfor (int i = 0; i < 3; ++i) {{ {BOTH}\nMPI_Startall(2, requests); }}\n{BOTH}\n{free}",
            "tested before": f"{send}\n{receive}\nMPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);\nMPI_Startall(2, requests);\n{BOTH}\n{free}",
            "at no process": f"MPI_Send_init(a, 1, MPI_INT, MPI_PROC_NULL, 0, {WORLD}, requests);\n{receive}\nMPI_Start(requests);\nMPI_Wait(requests, &status);\n{free}",
            "barrier by turns": f"MPI_Barrier_init({WORLD}, MPI_INFO_NULL, &request);\nfor (int i = 0; i < 3; ++i) {{ MPI_Start(&request);\n{WAIT} }}\nMPI_Request_free(&request);",
            "partitions": (f"MPI_Psend_init(a, 2, 4, MPI_INT, {NEXT}, 0, {WORLD}, MPI_INFO_NULL, requests);\nMPI_Precv_init(b, 2, 4, MPI_INT, {LAST}, 0, {WORLD}, MPI_INFO_NULL, requests + 1);\n"
                           f"for (int i = 0; i < 2; ++i) {{ MPI_Startall(2, requests);\nMPI_Pready(1, requests[0]);\nMPI_Pready(0, requests[0]);\n{BOTH} }}\n{free}"),
    }.items():
        yield Case(f"request/{name}", text, version=version_of(text))
    yield Case("buffers/one number right/next to it", f"static int two[2];\nMPI_Irecv(two, 1, MPI_INT, {LAST}, 0, {WORLD}, &request);\ntwo[1] = 3;\nMPI_Send(a, 1, MPI_INT, {NEXT}, 0, {WORLD});\n{WAIT}\nx = two[0];", buffers=True)
    yield Case("buffers/one number right/sent is read", f"y = 7;\nMPI_Isend(&y, 1, MPI_INT, {NEXT}, 0, {WORLD}, &request);\nx = y;\nMPI_Recv(&which, 1, MPI_INT, {LAST}, 0, {WORLD}, &status);\n{WAIT}\ny = 3;", buffers=True)
    yield Case("buffers/one number right/many", "static int many[32];\nfor (int k = 0; k < 3; ++k) {\nfor (int i = 0; i < 32; ++i) MPI_Irecv(many + i, 1, MPI_INT, "
               f"{LAST}, i, {WORLD}, requests + i);\nfor (int i = 0; i < 32; ++i) MPI_Send(a, 1, MPI_INT, {NEXT}, i, {WORLD});\nMPI_Waitall(32, requests, MPI_STATUSES_IGNORE);\n"
               "for (int i = 0; i < 32; ++i) many[i] = i; }", buffers=True)
    yield Case("buffers/persistent receive/by turns", f"{send}\n{receive}\nfor (int i = 0; i < 3; ++i) {{ a[0] = b[0] = i;\nMPI_Startall(2, requests);\n{BOTH}\nif (b[0] != i) abort(); }}\n{free}", buffers=True)
    yield Case("buffers/persistent collective/by turns", f"MPI_Allreduce_init(b, a, 4, MPI_INT, MPI_SUM, {WORLD}, MPI_INFO_NULL, &request);\nfor (int i = 0; i < 3; ++i) {{ b[0] = i; a[0] = 99;\n"
               f"MPI_Start(&request);\n{WAIT}\nif (a[0] != i * size) abort(); }}\nMPI_Request_free(&request);", buffers=True, version=4)
