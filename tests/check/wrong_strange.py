# SPDX-License-Identifier: Apache-2.0
"""Programs that are wrong as strangers write them: each for any number of ranks from two."""
import dataclasses

from cases import Case

MISS = ("mismatch", "missing")
STUCK = ("deadlock", "partner", "missing")


def one_sided():
    window = "MPI_Win_create(a, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);\nMPI_Comm_group(MPI_COMM_WORLD, &group);\n"
    other = "int other = rank ^ 1;\nif (rank > 1) other = MPI_PROC_NULL;\nif (rank < 2) MPI_Group_incl(group, 1, &other, &part);\n"
    free = "\nMPI_Win_free(&win); /*@*/"
    for name, text in {
        "started but not posted": "if (rank == 0) { MPI_Win_start(part, 0, win); /*@*/\nMPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*@*/\n"
                                  "MPI_Win_complete(win); } /*@*/" + free,
        "posted but not started": "if (rank == 1) { MPI_Win_post(part, 0, win);\nMPI_Win_wait(win); } /*@*/" + free,
        "both wait before they complete": "if (rank < 2) { MPI_Win_post(part, 0, win);\nMPI_Win_start(part, 0, win);\n"
                                          "MPI_Win_wait(win); /*@*/\nMPI_Win_complete(win); }" + free,
        "both complete before they post": "if (rank < 2) { MPI_Win_start(part, 0, win); /*@*/\nMPI_Put(&x, 1, MPI_INT, other, 0, 1, MPI_INT, win); /*@*/\n"
                                          "MPI_Win_complete(win); /*@*/\nMPI_Win_post(part, 0, win);\nMPI_Win_wait(win); }" + free,
        "a barrier between post and complete": "if (rank == 1) { MPI_Win_post(part, 0, win);\nMPI_Win_wait(win); } /*@*/\n"
                                               "MPI_Barrier(MPI_COMM_WORLD); /*@*/\nif (rank == 0) { MPI_Win_start(part, 0, win);\nMPI_Win_complete(win); }" + free,
        "one epoch too few": "for (int i = 0; i < 3 && rank < 2; ++i) {\nif (rank == 1) { MPI_Win_post(part, 0, win);\nMPI_Win_wait(win); } /*@*/\n"
                             "else if (i != 2) { MPI_Win_start(part, 0, win);\nMPI_Win_complete(win); } }" + free,
        "a message waits for the epoch": "if (rank == 1) { MPI_Win_post(part, 0, win);\nMPI_Win_wait(win); /*@*/\nMPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }\n"
                                         "if (rank == 0) { MPI_Win_start(part, 0, win);\nMPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status); /*@*/\n"
                                         "MPI_Win_complete(win); }" + free,
    }.items():
        yield Case(f"strange/epoch/{name}", window + other + text, kinds=STUCK)
    yield Case("strange/epoch/process ended", window + other + "if (rank == 0) exit(0); /*@*/\nif (rank == 1) { MPI_Win_post(part, 0, win);\n"
               "MPI_Win_wait(win); } /*@*/" + free, kinds=STUCK + ("mismatch",))
    yield Case("strange/window/allocated by some", "void* p;\nif (rank) MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &win); /*@*/\n"
               "else MPI_Win_create(a, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win); /*@*/", kinds=MISS)
    yield Case("strange/window/fence of another window", "MPI_Win w[2];\nfor (int i = 0; i < 2; ++i) MPI_Win_create(a, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w + i);\n"
               "MPI_Win_fence(0, w[rank == 1]); /*@*/\nMPI_Win_fence(0, w[rank != 1]); /*@*/\nMPI_Win_free(w);\nMPI_Win_free(w + 1);", kinds=STUCK)


def topologies():
    ring = "int n = size, yes = 1;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &yes, 0, &comm);\n"
    yield Case("strange/grid/periods", "int n = size, p = rank == 0;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &p, 0, &comm); /*@*/", kinds=MISS)
    yield Case("strange/grid/some keep a dimension", "int n[2] = {size, 1}, no[2] = {0, 0}, keep[2] = {1, 0};\n"
               "MPI_Cart_create(MPI_COMM_WORLD, 2, n, no, 0, &comm);\nif (rank) MPI_Cart_sub(comm, keep, &comm2); /*@*/", kinds=MISS)
    yield Case("strange/neighbours/missing", ring + "if (rank) MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm); /*@*/", kinds=MISS)
    yield Case("strange/neighbours/other", ring + "if (rank) MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm); /*@*/\n"
               "else MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm); /*@*/", kinds=MISS)
    yield Case("strange/neighbours/shift wraps for some", "int n = size, no = 0, from, to;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &no, 0, &comm);\n"
               "MPI_Cart_shift(comm, 0, 1, &from, &to);\nif (rank == 0) from = size - 1;\n"
               "MPI_Sendrecv(&x, 1, MPI_INT, to, 0, &y, 1, MPI_INT, from, 0, comm, &status); /*@*/", kinds=STUCK)
    yield Case("strange/graph/made by some", "int me = rank, none = 0;\nif (rank) MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &none, NULL, MPI_UNWEIGHTED, "
               "MPI_INFO_NULL, 0, &comm); /*@*/", kinds=MISS)
    yield Case("strange/grid/left out rank joins", "int n = size - 1, no = 0;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &no, 0, &comm);\n"
               "if (comm != MPI_COMM_NULL && rank == 0) MPI_Barrier(MPI_COMM_WORLD); /*@*/\n", kinds=MISS)


def collectives():
    yield Case("strange/immediate/two in two orders", "MPI_Request r[2];\nif (rank) { MPI_Ibcast(a, 2, MPI_INT, 0, MPI_COMM_WORLD, r); /*@*/\n"
               "MPI_Iallreduce(a + 2, b, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r + 1); } else {\n"
               "MPI_Iallreduce(a + 2, b, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r + 1); /*@*/\nMPI_Ibcast(a, 2, MPI_INT, 0, MPI_COMM_WORLD, r); }\n"
               "MPI_Waitall(2, r, MPI_STATUSES_IGNORE);", kinds=MISS)
    yield Case("strange/immediate/two roots in a loop", "for (int i = 0; i < 4; ++i) { MPI_Ireduce(a, b, 2, MPI_INT, MPI_SUM, i == 3 ? rank % 2 : 0, "
               "MPI_COMM_WORLD, &request); /*@*/\nMPI_Wait(&request, &status); }", kinds=MISS)
    yield Case("strange/immediate/forgotten by one", "MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /*@*/\nif (rank) MPI_Wait(&request, &status);\n"
               "MPI_Barrier(MPI_COMM_WORLD);", kinds=("request",))
    yield Case("strange/immediate/test loop of one that never comes", "if (rank == 0) { MPI_Ibarrier(MPI_COMM_WORLD, &request); /*@*/\n"
               "for (flag = 0; !flag;) MPI_Test(&request, &flag, &status); } /*@*/", kinds=MISS)
    yield Case("strange/in place/some only", "if (rank) MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INT, MPI_COMM_WORLD); /*@*/\n"
               "else MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD); /*@*/", kinds=MISS)
    for name, arguments in {"Reduce": "rank == 1 ? MPI_IN_PLACE : (void*)a, b, 1, MPI_INT, MPI_SUM, 0", "Gather": "MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0",
                            "Scatter": "a, 1, MPI_INT, rank == 1 ? MPI_IN_PLACE : (void*)b, 1, MPI_INT, 0"}.items():
        yield Case(f"strange/in place/not by the root/{name}", f"MPI_{name}({arguments}, MPI_COMM_WORLD); /*@*/", kinds=("mismatch",))
    yield Case("strange/v/receives less than is sent", "counts(3, MPI_INT, MPI_COMM_WORLD);\nMPI_Scatterv(a, n_of, at, MPI_INT, b, 3 - (rank == 1), MPI_INT, 0, "
               "MPI_COMM_WORLD); /*@*/", kinds=MISS)
    yield Case("strange/v/one block of an exchange", "counts(2, MPI_INT, MPI_COMM_WORLD);\nint m[64];\nmemcpy(m, n_of, sizeof m);\nif (rank == 1) m[0] = 1;\n"
               "MPI_Alltoallv(a, m, at, MPI_INT, b, n_of, at, MPI_INT, MPI_COMM_WORLD); /*@*/", kinds=MISS)
    yield Case("strange/types/dynamic types that differ", "MPI_Datatype t;\nif (rank == 1) MPI_Type_contiguous(3, MPI_INT, &t); else MPI_Type_vector(2, 1, 2, MPI_INT, &t);\n"
               "MPI_Type_commit(&t);\nMPI_Bcast(a, 2, t, 0, MPI_COMM_WORLD); /*@*/\nMPI_Type_free(&t);", kinds=MISS)
    yield Case("strange/types/pair and numbers", "MPI_Allreduce(d, d + 8, 1, rank ? MPI_DOUBLE_INT : MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD); /*@*/", kinds=MISS)
    yield Case("strange/persistent/one starts less often", "#if MPI_VERSION >= 4\nMPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);\n"
               "for (int i = 0; i < 3 - (rank == 1); ++i) { MPI_Start(&request); MPI_Wait(&request, &status); } /*@*/\nMPI_Request_free(&request);\n"
               "#else\nif (rank) MPI_Barrier(MPI_COMM_WORLD); /*@*/\n#endif", kinds=MISS)
    yield Case("strange/persistent/made by some", "#if MPI_VERSION >= 4\nif (rank) MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request); /*@*/\n"
               "#else\nif (rank) MPI_Barrier(MPI_COMM_WORLD); /*@*/\n#endif", kinds=MISS)
    yield Case("strange/persistent/never started", "if (rank == 0) { MPI_Send_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*@*/\n"
               "MPI_Wait(&request, &status);\nMPI_Request_free(&request); }\nif (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status); /*@*/", kinds=STUCK + ("unstarted",))
    partitioned = "#if MPI_VERSION >= 4\n{0}\n#else\nif (rank) MPI_Barrier(MPI_COMM_WORLD); /*@*/\n#endif"
    yield Case("strange/partitioned/no sender", partitioned.format(
        "if (rank == 1) { MPI_Precv_init(a, 2, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);\nMPI_Start(&request);\n"
        "MPI_Wait(&request, &status); /*@*/\nMPI_Request_free(&request); }"), kinds=STUCK + ("mismatch",))


def communicators():
    yield Case("strange/communicator/created by its members only", "int two[2] = {0, 1};\nMPI_Comm_group(MPI_COMM_WORLD, &group);\nMPI_Group_incl(group, 1, two, &part);\n"
               "if (rank == 0) MPI_Comm_create(MPI_COMM_WORLD, part, &comm); /*@*/", kinds=MISS)
    yield Case("strange/communicator/sent on one, received on another", "MPI_Comm_dup(MPI_COMM_WORLD, &comm);\nMPI_Comm_dup(MPI_COMM_WORLD, &comm2);\n"
               "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 1, 3, comm); /*@*/\nif (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 3, comm2, &status); /*@*/", kinds=STUCK)
    yield Case("strange/communicator/ranks of another", "MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);\n"
               "if (rank == 0) MPI_Ssend(&x, 1, MPI_INT, 1, 3, comm); /*@*/\nif (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 3, comm, &status); /*@*/",
               kinds=STUCK)
    yield Case("strange/communicator/dup and idup", "if (rank) MPI_Comm_dup(MPI_COMM_WORLD, &comm); /*@*/\nelse { MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request); /*@*/\n"
               "MPI_Wait(&request, &status); }", kinds=MISS)
    yield Case("strange/communicator/leaders with two tags", "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);\n"
               "MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 1 - rank % 2, 5 + rank % 2, &inter); /*@*/", kinds=STUCK)
    yield Case("strange/communicator/leader of the wrong side", "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);\n"
               "if (rank % 2) MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 0, 5, &inter); /*@*/\nelse MPI_Barrier(MPI_COMM_WORLD); /*@*/", kinds=STUCK + ("mismatch",))


def flow():
    yield Case("strange/flow/recursion of different depth", "int depth = rank == 1 ? 3 : 4;\nwhile (depth-- > 0) MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /*@*/",
               kinds=MISS)
    yield Case("strange/flow/converges at different steps", "double r = 1.0 + rank;\nfor (int i = 0; i < 100 && r > 1e-3; ++i) { r /= 2; d[0] = r;\n"
               "MPI_Allreduce(d, d + 1, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); } /*@*/", kinds=MISS)
    yield Case("strange/flow/the master ends first", "if (rank == 0) { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);\n"
               "return; }\nMPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);\nMPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); /*@*/", kinds=STUCK)
    yield Case("strange/flow/one worker is not told to stop", "if (rank == 0) for (int i = 1; i < size - 1; ++i) MPI_Send(&x, 0, MPI_INT, i, 9, MPI_COMM_WORLD);\n"
               "else do MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); while (status.MPI_TAG != 9); /*@*/", kinds=STUCK)
    yield Case("strange/flow/a wildcard takes what was meant for later", "if (rank == 0) { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);\n"
               "MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status); } /*@*/\n"
               "else MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);", kinds=STUCK)
    yield Case("strange/flow/error path skips a call", "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n"
               "if (MPI_Send(&x, 1, MPI_INT, rank == 1 ? size + 3 : MPI_PROC_NULL, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return;\nMPI_Barrier(MPI_COMM_WORLD); /*@*/",
               kinds=MISS)
    yield Case("strange/messages/matched but not received", "if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
               "if (rank == 1) { MPI_Message m; MPI_Mprobe(0, 0, MPI_COMM_WORLD, &m, &status); }", kinds=("lost", "request"))
    yield Case("strange/messages/probe decides for a branch", "if (rank == 0) { MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\nMPI_Barrier(MPI_COMM_WORLD); } /*@*/\n"
               "if (rank == 1) { MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);\nif (status.MPI_TAG == 1) MPI_Barrier(MPI_COMM_WORLD);\n"
               "MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status); }", kinds=MISS)
    yield Case("strange/messages/buffered and never received", "char m[1000 + MPI_BSEND_OVERHEAD];\nint n;\nvoid* p;\nMPI_Buffer_attach(m, sizeof m);\n"
               "if (rank == 0) MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);", kinds=("lost",))
    yield Case("strange/messages/receives nobody, waits for all", "for (int i = 0; i < size; ++i) MPI_Irecv(b + i, 1, MPI_INT, i, 0, MPI_COMM_WORLD, requests + i);\n"
               "for (int i = 0; i < size; ++i) if (i != rank) MPI_Isend(a, 1, MPI_INT, i, 0, MPI_COMM_WORLD, requests + size + i); else requests[size + i] = MPI_REQUEST_NULL;\n"
               "MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE); /*@*/", kinds=STUCK)


def cases():
    each = [*one_sided(), *topologies(), *collectives(), *communicators(), *flow()]
    for number, case in enumerate(each):
        yield dataclasses.replace(case, ranks=2 + number % 3)
