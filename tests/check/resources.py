# SPDX-License-Identifier: Apache-2.0
"""Handles that a program makes and does not free, and programs that free them."""
from cases import Case

WORLD = "MPI_COMM_WORLD"
TYPE = "MPI_Datatype t;\n"
GROUP = f"MPI_Comm_group({WORLD}, &group);\n"

# By name: the call that makes a handle, and the call that frees it.
HANDLES = {
    "comm_dup": (f"MPI_Comm_dup({WORLD}, &comm);", "MPI_Comm_free(&comm);"),
    "comm_split": (f"MPI_Comm_split({WORLD}, rank % 2, 0, &comm);", "MPI_Comm_free(&comm);"),
    "comm_idup": (f"MPI_Comm_idup({WORLD}, &comm, &request); MPI_Wait(&request, &status);", "MPI_Comm_free(&comm);"),
    "contiguous": (f"{TYPE}MPI_Type_contiguous(3, MPI_INT, &t);", "MPI_Type_free(&t);"),
    "vector": (f"{TYPE}MPI_Type_vector(2, 1, 3, MPI_INT, &t); MPI_Type_commit(&t);", "MPI_Type_free(&t);"),
    "struct": (f"{TYPE}int one = 1;\nMPI_Aint zero = 0;\nMPI_Datatype kind = MPI_DOUBLE;\n"
               "MPI_Type_create_struct(1, &one, &zero, &kind, &t);", "MPI_Type_free(&t);"),
    "type_dup": (f"{TYPE}MPI_Type_dup(MPI_INT, &t);", "MPI_Type_free(&t);"),
    "group": (f"MPI_Comm_group({WORLD}, &group);", "MPI_Group_free(&group);"),
    "group_incl": (f"{GROUP}int zero = 0;\nMPI_Group_incl(group, 1, &zero, &part); MPI_Group_free(&group);",
                   "MPI_Group_free(&part);"),
    "operation": ("MPI_Op op;\nMPI_Op_create((MPI_User_function*)own_function, 1, &op);", "MPI_Op_free(&op);"),
    "send_init": (f"MPI_Send_init(a, 1, MPI_INT, (rank + 1) % size, 3, {WORLD}, &request);", "MPI_Request_free(&request);"),
    "recv_init": (f"MPI_Recv_init(a, 1, MPI_INT, MPI_ANY_SOURCE, 3, {WORLD}, &request);", "MPI_Request_free(&request);"),
    "window": (f"MPI_Win_create(a, 16, 1, MPI_INFO_NULL, {WORLD}, &win);", "MPI_Win_free(&win);"),
}


def wrong():
    for name, (make, _) in HANDLES.items():
        marked = "\n".join(line + " /*@*/" if "MPI_" in line else line for line in make.split("\n"))
        yield Case(f"leak/{name}", marked, kinds=("leak",))
    yield Case("leak/one rank", f"{GROUP}if (rank != 1) MPI_Group_free(&group);", kinds=("leak",))
    yield Case("leak/one of two", f"{TYPE}for (int i = 0; i < 2; ++i) {{\nMPI_Type_contiguous(3, MPI_INT, &t); /*@*/\n"
               "if (i == 0) MPI_Type_free(&t);\n}", kinds=("leak",))


def right():
    for name, (make, free) in HANDLES.items():
        yield Case(f"freed/{name}", f"{make}\n{free}")
    yield Case("freed/twice the same group", f"MPI_Group other;\n{GROUP}MPI_Comm_group({WORLD}, &other);\n"
               "MPI_Group_free(&group);\nMPI_Group_free(&other);")
    yield Case("freed/nothing but what is predefined", f"{TYPE}{GROUP}MPI_Group_incl(group, 0, NULL, &part);\n"
               "MPI_Type_create_f90_real(6, 30, &t);\nMPI_Group_free(&group);\nMPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &t);")
    yield Case("freed/through a copy", f"{TYPE}MPI_Datatype copy;\nMPI_Type_contiguous(3, MPI_INT, &t);\ncopy = t;\nMPI_Type_free(&copy);")
    for name, frees in {"contents first": "MPI_Type_free(&content);\nMPI_Type_free(&t);", "contents last": "MPI_Type_free(&t);\nMPI_Type_free(&content);"}.items():
        yield Case(f"freed/what a type is made of/{name}", f"{TYPE}MPI_Datatype whole, content;\nint numbers[3];\nMPI_Aint none;\n"
                   "MPI_Type_vector(2, 1, 2, MPI_INT, &t);\nMPI_Type_vector(2, 1, 2, t, &whole);\n"
                   f"MPI_Type_get_contents(whole, 3, 0, 1, numbers, &none, &content);\n{frees}\nMPI_Type_free(&whole);")
    yield Case("freed/the view of a file", f"{TYPE}MPI_Datatype part, view;\nMPI_File file;\nMPI_Offset at;\nchar how[MPI_MAX_DATAREP_STRING];\n"
               f"MPI_File_open({WORLD}, scratch(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);\n"
               "for (int i = 0; i < 3; ++i) {\nMPI_Type_vector(2, 1, 2, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
               "MPI_File_set_view(file, 0, MPI_INT, t, \"native\", MPI_INFO_NULL);\nMPI_Type_free(&t);\n"
               "MPI_File_get_view(file, &at, &part, &view, how);\nMPI_Type_free(&view);\n}\nMPI_File_close(&file);")
    yield Case("freed/and made from a group", f"MPI_Comm own;\nMPI_Comm_dup({WORLD}, &own);\nMPI_Comm_free(&own);\n{GROUP}"
               "MPI_Comm_create_from_group(group, \"suite\", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);\n"
               "MPI_Barrier(own);\nMPI_Comm_free(&own);\nMPI_Group_free(&group);", version=4)
    yield Case("freed/and made from one that is not followed", f"MPI_Comm own, other;\nMPI_Win win;\n{GROUP}"
               "MPI_Comm_create_from_group(group, \"suite\", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);\nMPI_Group_free(&group);\n"
               f"MPI_Comm_dup({WORLD}, &other);\nMPI_Comm_free(&other);\nMPI_Comm_dup(own, &other);\nMPI_Barrier(other);\nMPI_Comm_free(&other);\n"
               f"MPI_Win_create(a, 16, 1, MPI_INFO_NULL, {WORLD}, &win);\nMPI_Win_free(&win);\nMPI_Win_create(a, 16, 1, MPI_INFO_NULL, own, &win);\n"
               "MPI_Win_fence(0, win);\nMPI_Win_fence(0, win);\nMPI_Win_free(&win);\nMPI_Comm_free(&own);", version=4)
    # MPICH over UCX has no ports.
    yield Case("freed/and made from an intercommunicator of strangers", f"#ifdef OPEN_MPI\nMPI_Comm other, inter, both;\nchar port[MPI_MAX_PORT_NAME] = \"\";\nif (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);\n"
               f"MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, {WORLD});\nif (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);\n"
               "else MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);\n"
               f"MPI_Comm_dup({WORLD}, &other);\nMPI_Comm_free(&other);\nMPI_Intercomm_merge(inter, rank, &both);\nMPI_Barrier(both);\n"
               "MPI_Comm_free(&both);\nMPI_Comm_disconnect(&inter);\nif (rank == 0) MPI_Close_port(port);\n#endif", ranks=2)
