# SPDX-License-Identifier: Apache-2.0
"""Programs that are right, as strangers write them: each for any number of ranks from two."""
import dataclasses

from cases import Case


def one_sided():
    window = "MPI_Win_create(a, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);\nMPI_Comm_group(MPI_COMM_WORLD, &group);\n"
    ring = "int next = (rank + 1) % size, last = (rank + size - 1) % size;\nMPI_Group to, from;\nMPI_Group_incl(group, 1, &next, &to);\nMPI_Group_incl(group, 1, &last, &from);\n"
    ring_freed = "\nMPI_Group_free(&to);\nMPI_Group_free(&from);"
    free = "\nMPI_Win_free(&win);\nMPI_Group_free(&group);"
    for name, text in {
        "ring": ring + "for (int i = 0; i < 5; ++i) { MPI_Win_post(from, 0, win); MPI_Win_start(to, 0, win); MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win); "
                       "MPI_Win_complete(win); MPI_Win_wait(win); if (a[0] != last) MPI_Abort(MPI_COMM_WORLD, 3); }" + ring_freed,
        "tested": ring + "MPI_Win_post(from, 0, win); MPI_Win_start(to, 0, win); MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win); "
                         "MPI_Win_complete(win); for (flag = 0; !flag;) MPI_Win_test(win, &flag);" + ring_freed,
        "all to all": "MPI_Win_post(group, 0, win); MPI_Win_start(group, 0, win); for (int i = 0; i < size; ++i) MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, win); "
                      "MPI_Win_complete(win); MPI_Win_wait(win);",
        "the null process": ring + "MPI_Win_post(from, 0, win); MPI_Win_start(to, 0, win); MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win); "
                                   "MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win); MPI_Win_complete(win); MPI_Win_wait(win);" + ring_freed,
        "the null process, locked": "MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win); MPI_Get(b, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win); "
                                    "MPI_Accumulate(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win); MPI_Win_unlock(rank, win);",
        "nobody": "MPI_Win_post(MPI_GROUP_EMPTY, 0, win); MPI_Win_start(MPI_GROUP_EMPTY, 0, win); MPI_Win_complete(win); MPI_Win_wait(win);",
        "one target": "int zero = 0;\nMPI_Group_incl(group, 1, &zero, &part);\nif (rank == 0) { MPI_Group_free(&part); MPI_Group_excl(group, 1, &zero, &part); MPI_Win_post(part, 0, win); MPI_Win_wait(win); }\n"
                      "else { sleep(rank == 1); MPI_Win_start(part, 0, win); MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); MPI_Win_complete(win); }\nMPI_Group_free(&part);",
        "a late target": ring + "if (rank == 0) sleep(1);\nMPI_Win_post(from, 0, win); MPI_Win_start(to, 0, win); MPI_Get(b, 1, MPI_INT, next, 0, 1, MPI_INT, win); "
                                "MPI_Win_complete(win); MPI_Win_wait(win);" + ring_freed,
        "a promise not to check": ring + "MPI_Win_post(from, MPI_MODE_NOSTORE, win); MPI_Barrier(MPI_COMM_WORLD); MPI_Win_start(to, MPI_MODE_NOCHECK, win); "
                                         "MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win); MPI_Win_complete(win); MPI_Win_wait(win);"
                                  + ring_freed,
        "epochs and a barrier under way": ring + "MPI_Ibarrier(MPI_COMM_WORLD, &request); MPI_Win_post(from, 0, win); MPI_Win_start(to, 0, win); "
                                                 "MPI_Win_complete(win); MPI_Win_wait(win); MPI_Wait(&request, &status);" + ring_freed,
        "of different lengths": "int r[2] = {0, 1};\nMPI_Group_incl(group, 2, r, &part);\nif (rank == 0) for (int i = 0; i < 4; ++i) { int one = 1; MPI_Group o; MPI_Group_incl(group, 1, &one, &o); "
                                "MPI_Win_start(o, 0, win); MPI_Put(&x, 1, MPI_INT, 1, i, 1, MPI_INT, win); MPI_Win_complete(win); MPI_Group_free(&o); }\n"
                                "if (rank == 1) for (int i = 0; i < 4; ++i) { int zero = 0; MPI_Group o; MPI_Group_incl(group, 1, &zero, &o); MPI_Win_post(o, 0, win); "
                                "MPI_Group_free(&o); MPI_Win_wait(win); }\nMPI_Group_free(&part);",
        "locks": "for (int i = 0; i < size; ++i) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win); MPI_Accumulate(&x, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, win); MPI_Win_unlock(i, win); }\n"
                 "MPI_Barrier(MPI_COMM_WORLD); MPI_Win_lock_all(0, win); MPI_Fetch_and_op(&x, &y, MPI_INT, 0, 4, MPI_SUM, win); MPI_Win_flush_all(win); MPI_Win_unlock_all(win); MPI_Barrier(MPI_COMM_WORLD);",
        "waits for a value": "MPI_Win_lock_all(0, win);\nif (rank == 0) { sleep(1); MPI_Accumulate(&x, 1, MPI_INT, 1, 7, 1, MPI_INT, MPI_REPLACE, win); MPI_Win_flush(1, win); }\n"
                             "if (rank == 1) for (y = 0; !y;) { MPI_Fetch_and_op(NULL, &y, MPI_INT, 1, 7, MPI_NO_OP, win); MPI_Win_flush(1, win); }\nMPI_Win_unlock_all(win);",
        "requests": "MPI_Win_lock_all(0, win); MPI_Rput(&rank, 1, MPI_INT, (rank + 1) % size, 3, 1, MPI_INT, win, requests); MPI_Ibarrier(MPI_COMM_WORLD, requests + 1); "
                    "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); MPI_Win_unlock_all(win);",
    }.items():
        yield Case(f"strange/epoch/{name}", window + text + free)
    yield Case("strange/window/shared", "int* p;\nMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);\n"
               "MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, comm, &p, &win);\nMPI_Win_fence(0, win);\n*p = rank;\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);\nMPI_Comm_free(&comm);")


def topologies():
    for name, text in {
        "line": "int n = size, no = 0;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &no, 0, &comm);\nMPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm);\n"
                "MPI_Ineighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm, &request);\nMPI_Wait(&request, &status);",
        "uneven line": "int n = size, no = 0, from, to, s[2], r[2], p[2] = {0, 20};\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &no, 0, &comm);\n"
                       "for (int i = 0; i < 2; ++i) { s[i] = rank + 1; }\nr[0] = rank; r[1] = rank + 2;\nif (rank == 0) r[0] = 7;\n"
                       "MPI_Neighbor_alltoallv(a, s, p, MPI_INT, b, r, p, MPI_INT, comm);",
        "star": "int all[64], n = rank ? 0 : size - 1, in = rank ? 1 : 0, zero = 0;\nfor (int i = 0; i < size; ++i) all[i] = i + 1;\n"
                "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, &zero, MPI_UNWEIGHTED, n, all, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);\n"
                "MPI_Neighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, comm);\nMPI_Neighbor_alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, comm);",
        "each its own amount": "int next = (rank + 1) % size, last = (rank + size - 1) % size, n = last + 1, p = 0;\n"
                               "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);\n"
                               "MPI_Neighbor_allgatherv(a, rank + 1, MPI_INT, b, &n, &p, MPI_INT, comm);",
        "edges twice and to itself": "int e[3] = {rank, rank, (rank + 1) % size}, l[3] = {rank, rank, (rank + size - 1) % size};\n"
                                     "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, l, MPI_UNWEIGHTED, 3, e, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);\n"
                                     "MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm);\nMPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm);",
        "any edge from anybody": "int to[64], n = rank == 0 ? size : 0, from = 0, k[64];\nfor (int i = 0; i < size; ++i) to[i] = (i + 1) % size;\nint s[64], c[64];\n"
                                 "for (int i = 0; i < size; ++i) s[i] = i, c[i] = 1;\nMPI_Dist_graph_create(MPI_COMM_WORLD, n, s, c, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);\n"
                                 "MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm);",
        "grid of two and one": "int n[2] = {2, 1}, yes[2] = {1, 1};\nMPI_Cart_create(MPI_COMM_WORLD, 2, n, yes, 0, &comm);\nif (comm == MPI_COMM_NULL) return;\n"
                               "MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm);\nMPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm);",
        "types by neighbour": "int n = size, yes = 1, c[2] = {1, 2}, e[2] = {2, 1};\nMPI_Aint p[2] = {0, 64};\nMPI_Datatype s[2] = {MPI_INT, MPI_DOUBLE}, r[2] = {MPI_DOUBLE, MPI_INT};\n"
                              "MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &yes, 0, &comm);\nif (size > 2) MPI_Neighbor_alltoallw(a, c, p, s, b, e, p, r, comm);",
        "old graph": "int index[64], edges[128];\nfor (int i = 0; i < size; ++i) { index[i] = 2 * (i + 1); edges[2 * i] = (i + size - 1) % size; edges[2 * i + 1] = (i + 1) % size; }\n"
                     "MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);\nMPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm);",
        "smaller grid": "int n = size - 1, no = 0;\nMPI_Cart_create(MPI_COMM_WORLD, 1, &n, &no, 0, &comm);\nif (comm == MPI_COMM_NULL) return;\nMPI_Barrier(comm);",
    }.items():
        yield Case(f"strange/topology/{name}", text + "\nMPI_Comm_free(&comm);")


def intercommunicators():
    sides = "two_sides();\nint far, near, side = rank % 2;\nMPI_Comm_remote_size(inter, &far);\nMPI_Comm_size(inter, &near);\n"
    for name, text in {
        "uneven exchange": "for (int i = 0; i < 64; ++i) n_of[i] = 1 + i + rank / 2 + 3 * side, at[i] = i * 20, bytes_at[i] = 1 + i + rank / 2 + 3 * (1 - side);\n"
                           "MPI_Alltoallv(a, n_of, at, MPI_INT, b, bytes_at, at, MPI_INT, inter);",
        "gatherv": "for (int i = 0; i < 64; ++i) n_of[i] = i + 1, at[i] = i * 20;\n"
                   "MPI_Gatherv(a, rank / 2 + 1, MPI_INT, b, n_of, at, MPI_INT, side ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter);",
        "scatterv": "for (int i = 0; i < 64; ++i) n_of[i] = i + 1, at[i] = i * 20;\n"
                    "MPI_Scatterv(a, n_of, at, MPI_INT, b, rank / 2 + 1, MPI_INT, side ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter);",
        "allgatherv": "for (int i = 0; i < 64; ++i) n_of[i] = i + 1 + 2 * (1 - side), at[i] = i * 20;\n"
                      "MPI_Allgatherv(a, rank / 2 + 1 + 2 * side, MPI_INT, b, n_of, at, MPI_INT, inter);",
        "one way only": "if (side) MPI_Allgather(a, 0, MPI_INT, b, 2, MPI_INT, inter);\nelse MPI_Allgather(a, 2, MPI_INT, b, 0, MPI_INT, inter);",
        "reduce_scatter": "for (int i = 0; i < 64; ++i) n_of[i] = 12 / near;\nMPI_Reduce_scatter(a, b, n_of, MPI_INT, MPI_SUM, inter);",
        "immediate": "MPI_Ibarrier(inter, requests);\nMPI_Iallreduce(a, b, 2, MPI_INT, MPI_MAX, inter, requests + 1);\nMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
        "divided": "MPI_Comm_split(inter, 0, rank, &comm2);\nMPI_Barrier(comm2);\nMPI_Comm_free(&comm2);",
    }.items():
        yield Case(f"strange/intercommunicator/{name}", sides + text + "\nMPI_Comm_free(&inter);\nMPI_Comm_free(&comm);", ranks=4)


def collectives():
    for name, text in {
        "pair and numbers": "if (rank) MPI_Bcast(a, 3, MPI_2INT, 0, MPI_COMM_WORLD);\nelse MPI_Bcast(a, 6, MPI_INT, 0, MPI_COMM_WORLD);",
        "names of one type": "MPI_Bcast(a, 4, rank ? MPI_INT64_T : MPI_LONG, 0, MPI_COMM_WORLD);\nMPI_Bcast(a, 4, rank ? MPI_UNSIGNED_LONG : MPI_UINT64_T, 0, MPI_COMM_WORLD);",
        "empty parts": "MPI_Datatype t, ts[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};\nint n[3] = {2, 0, 1};\nMPI_Aint p[3] = {0, 16, 32};\nMPI_Type_create_struct(3, n, p, ts, &t);\n"
                       "MPI_Type_commit(&t);\nif (rank) MPI_Bcast(a, 2, t, 0, MPI_COMM_WORLD);\nelse MPI_Bcast(a, 6, MPI_INT, 0, MPI_COMM_WORLD);\nMPI_Type_free(&t);",
        "type freed while under way": "MPI_Datatype t;\nMPI_Type_contiguous(4, MPI_INT, &t);\nMPI_Type_commit(&t);\nMPI_Ibcast(a, 1, t, 0, MPI_COMM_WORLD, &request);\nMPI_Type_free(&t);\n"
                                      "MPI_Wait(&request, &status);",
        "nothing of any type": "MPI_Gather(NULL, 0, rank ? MPI_CHAR : MPI_DOUBLE, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);\ncounts(0, MPI_INT, MPI_COMM_WORLD);\n"
                               "MPI_Alltoallv(a, n_of, at, rank ? MPI_INT : MPI_FLOAT, b, n_of, at, MPI_INT, MPI_COMM_WORLD);\nMPI_Reduce(a, b, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);",
        "in place by the root": "counts(2, MPI_INT, MPI_COMM_WORLD);\nMPI_Scatterv(a, n_of, at, MPI_INT, rank == 1 ? MPI_IN_PLACE : (void*)b, 2, MPI_INT, 1, MPI_COMM_WORLD);\n"
                                "MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n_of, at, MPI_INT, MPI_COMM_WORLD);\n"
                                "MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, b, n_of, bytes_at, types, MPI_COMM_WORLD);\nMPI_Reduce_scatter(MPI_IN_PLACE, a, n_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
        "root goes round": "for (int i = 0; i < 3 * size; ++i) { MPI_Bcast(&x, 1, MPI_INT, i % size, MPI_COMM_WORLD); MPI_Ireduce(a, b, 2, MPI_INT, MPI_MAX, (i + 1) % size, MPI_COMM_WORLD, &request); "
                           "MPI_Wait(&request, &status); }",
        "twenty under way": "for (int i = 0; i < 20; ++i) MPI_Iallreduce(a + i, b + i, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, requests + i);\n"
                            "for (int i = 19; i >= 0; --i) MPI_Wait(requests + (rank ? i : 19 - i), &status);",
        "waits for any of two kinds": "MPI_Ibarrier(MPI_COMM_WORLD, requests);\nMPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, requests + 1);\n"
                                      "MPI_Isend(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, requests + 2);\nfor (int i = 0; i < 3; ++i) MPI_Waitany(3, requests, &which, &status);",
        "sub-communicators of two groupings": "for (int i = 0; i < 6; ++i) { MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank % 2 : rank / 2, rank, &comm); MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm); "
                                              "if (rank == 0) MPI_Barrier(comm); else { int n; MPI_Comm_rank(comm, &n); MPI_Comm c = comm; if (0) MPI_Barrier(c); "
                                              "int zero = 0, mine = 0; MPI_Group w, g; MPI_Comm_group(MPI_COMM_WORLD, &w); MPI_Comm_group(comm, &g); MPI_Group_translate_ranks(w, 1, &zero, g, &mine); "
                                              "if (mine != MPI_UNDEFINED) MPI_Barrier(comm); MPI_Group_free(&w); MPI_Group_free(&g); } MPI_Comm_free(&comm); }",
        "large counts in the middle": "MPI_Bcast(a, 60000, MPI_INT, size - 1, MPI_COMM_WORLD);\nMPI_Allgather(a, 5000, MPI_INT, b, 5000, MPI_INT, MPI_COMM_WORLD);",
    }.items():
        yield Case(f"strange/collective/{name}", text)


def messages():
    for name, text in {
        "errors that are returned": "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\nif (MPI_Send(&x, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);\n"
                                    "if (MPI_Bcast(a, 1, MPI_INT, size + 1, MPI_COMM_WORLD) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 4);\nMPI_Barrier(MPI_COMM_WORLD);\n"
                                    "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);",
        "workers that are told to stop": "if (rank == 0) { int out = 0, sent = 0;\nfor (int i = 1; i < size; ++i) { MPI_Send(&sent, 1, MPI_INT, i, 1, MPI_COMM_WORLD); ++out; ++sent; }\n"
                                         "while (out) { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status); --out;\n"
                                         "if (sent < 20) { MPI_Send(&sent, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD); ++out; ++sent; } else MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD); } }\n"
                                         "else for (;;) { MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); if (status.MPI_TAG == 2) break; MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); }",
        "size by probe": "if (rank == 0) for (int i = 1; i < size; ++i) { MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); MPI_Get_count(&status, MPI_INT, &x); "
                         "MPI_Recv(b, x, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }\nelse MPI_Send(a, 10 * rank, MPI_INT, 0, 4, MPI_COMM_WORLD);",
        "polled by turns": "MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\nif (rank == 0) sleep(1);\nMPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);\n"
                           "for (flag = 0; !flag;) { MPI_Test(&request, &flag, &status); MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &which, MPI_STATUS_IGNORE); }",
        "consensus by barrier": "int done = 0;\nMPI_Request sends[64], bar = MPI_REQUEST_NULL;\nfor (int i = 0; i < size; ++i) MPI_Issend(&x, 1, MPI_INT, i, 6, MPI_COMM_WORLD, sends + i);\n"
                                "while (!done) { MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status); if (flag) MPI_Recv(&y, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, &status);\n"
                                "if (bar == MPI_REQUEST_NULL) { MPI_Testall(size, sends, &flag, MPI_STATUSES_IGNORE); if (flag) MPI_Ibarrier(MPI_COMM_WORLD, &bar); } else MPI_Test(&bar, &done, &status); }",
        "persistent, of several sizes": "for (int n = 1; n < 3; ++n) { MPI_Recv_init(b, 100, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests);\n"
                                        "MPI_Ssend_init(a, 10 * n, MPI_INT, (rank + 1) % size, n, MPI_COMM_WORLD, requests + 1);\nfor (int i = 0; i < 4; ++i) { MPI_Startall(2, requests); "
                                        "for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE); MPI_Barrier(MPI_COMM_WORLD); }\nMPI_Request_free(requests); MPI_Request_free(requests + 1); }",
        "partitioned": "#if MPI_VERSION >= 4\nMPI_Psend_init(a, 4, 2, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests);\n"
                       "MPI_Precv_init(b, 2, 4, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);\nfor (int i = 0; i < 3; ++i) { MPI_Startall(2, requests);\n"
                       "for (int p = 3; p >= 0; --p) MPI_Pready(p, requests[0]);\nfor (flag = 0; !flag;) MPI_Parrived(requests[1], 1, &flag);\nMPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }\n"
                       "MPI_Request_free(requests); MPI_Request_free(requests + 1);\n#endif",
        "partitioned, late": "#if MPI_VERSION >= 4\nif (rank == 0) { MPI_Psend_init(a, 2, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests);\nMPI_Start(requests); MPI_Pready(1, requests[0]); sleep(1); "
                             "MPI_Pready(0, requests[0]); MPI_Wait(requests, &status); MPI_Request_free(requests); }\n"
                             "if (rank == 1) { MPI_Precv_init(b, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests); MPI_Start(requests); MPI_Wait(requests, &status); MPI_Request_free(requests); }\n#endif",
        "buffered, and taken late": "static char m[300000];\nconst int taker = size > 2 ? 2 : 1;\nint n;\nvoid* p;\nMPI_Ibarrier(MPI_COMM_WORLD, &request);\nMPI_Buffer_attach(m, sizeof m);\nif (rank == 0) MPI_Bsend(a, 60000, MPI_INT, taker, 0, MPI_COMM_WORLD);\n"
                                    "if (rank == 0) MPI_Buffer_detach(&p, &n);\nMPI_Wait(&request, &status);\nif (rank == taker) MPI_Recv(b, 60000, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);\n"
                                    "if (rank) MPI_Buffer_detach(&p, &n);",
        "cancelled if nobody came": "MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request);\nif (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);\nMPI_Barrier(MPI_COMM_WORLD);\n"
                                    "MPI_Cancel(&request);\nMPI_Wait(&request, &status);\nMPI_Test_cancelled(&status, &flag);\nif (rank == 1 && flag) MPI_Recv(&y, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &status);",
        "matched at once": "MPI_Message m;\nMPI_Isend(a, 3, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);\nfor (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &m, &status);\n"
                           "MPI_Imrecv(b, 3, MPI_INT, &m, requests + 1);\nMPI_Wait(requests + 1, &status);\nMPI_Wait(&request, &status);",
        "exchange of nothing": "MPI_Sendrecv(NULL, 0, MPI_INT, (rank + 1) % size, 0, NULL, 0, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);",
        "errors of statuses": "MPI_Status all[2];\nfor (int turn = 0; turn < 2; ++turn) { all[0].MPI_ERROR = all[1].MPI_ERROR = 77;\nif (turn) MPI_Ibarrier(MPI_COMM_WORLD, requests);\n"
                              "else MPI_Irecv(b, 3, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, requests);\nMPI_Isend(a, 3, MPI_INT, (rank + 1) % size, turn, MPI_COMM_WORLD, requests + 1);\n"
                              "if (turn) MPI_Recv(b, 3, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);\nMPI_Waitall(2, requests, all);\n"
                              "#ifdef MPICH_NAME\nif (all[0].MPI_ERROR || all[1].MPI_ERROR) MPI_Abort(MPI_COMM_WORLD, 3);\n#endif\n}",
        "a process forks": "fflush(NULL);\nif (rank == 0) { FILE* f = popen(\"true\", \"r\"); pclose(f); }\nMPI_Barrier(MPI_COMM_WORLD);",
        "attributes and names": "int key;\nMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);\nMPI_Comm_dup(MPI_COMM_WORLD, &comm);\nMPI_Comm_set_attr(comm, key, a);\n"
                                "MPI_Comm_set_name(comm, \"mine\");\nMPI_Comm_free(&comm);\nMPI_Comm_free_keyval(&key);",
    }.items():
        yield Case(f"strange/message/{name}", text, ranks=4 if name == "buffered, and taken late" else 3)


def cases():
    yield from intercommunicators()
    each = [*one_sided(), *topologies(), *collectives(), *messages()]
    for number, case in enumerate(each):
        yield dataclasses.replace(case, ranks=2 + number % 3) if case.ranks == 3 else case
