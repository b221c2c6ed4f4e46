! SPDX-License-Identifier: Apache-2.0
! Attributes, error handlers, groups, communicators, names, info and strings through mpi or mpi_f08.
#include "interface.inc"
module callbacks
  use MODULE
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0
contains
  subroutine copy_comm(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    HANDLE(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_comm(comm, comm_keyval, attribute_val, extra_state, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + int(attribute_val)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_type(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    HANDLE(MPI_Datatype) :: oldtype
    integer :: type_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = 0
    flag = .false.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_win(win, win_keyval, attribute_val, extra_state, ierror)
    HANDLE(MPI_Win) :: win
    integer :: win_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + int(attribute_val)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine on_error(comm, error_code)
    HANDLE(MPI_Comm) :: comm
    integer :: error_code
    if (error_code /= MPI_SUCCESS) errors = errors + 1
  end subroutine
  subroutine on_file_error(file, error_code)
    HANDLE(MPI_File) :: file
    integer :: error_code
    errors = errors + 100
  end subroutine
end module

program objects
  use MODULE
  use checks
  use callbacks
  implicit none
  integer :: rank, size, ierr, n
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IE)
  call MPI_Comm_size(MPI_COMM_WORLD, size IE)
  call attributes
  call handlers
  call groups
  call communicators
  call names
  call infos
  call environment
  call MPI_Finalize(ierr)
  call MPI_Finalized(flag, ierr)
  call check(flag, 'finalized')
  call finish(50)
contains

  subroutine attributes
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Datatype) :: type, second
    HANDLE(MPI_Win) :: win
    integer :: key, null_key, dup_key
    integer(kind=MPI_ADDRESS_KIND) :: value
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag IE)
    call check(flag .and. value >= 32767, 'the largest tag')
    call MPI_Comm_create_keyval(copy_comm, delete_comm, key, 5_MPI_ADDRESS_KIND IE)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, null_key, 0_MPI_ADDRESS_KIND IE)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_get_attr(MPI_COMM_SELF, key, value, flag IE)
    call check(.not. flag, 'no attribute yet')
    call MPI_Comm_dup(MPI_COMM_SELF, comm IE)
    call MPI_Comm_set_attr(comm, key, 1000000000000_MPI_ADDRESS_KIND IE)
    call MPI_Comm_set_attr(comm, null_key, 1_MPI_ADDRESS_KIND IE)
    call MPI_Comm_set_attr(comm, dup_key, 2_MPI_ADDRESS_KIND IE)
    call copied(comm, key, null_key, dup_key)
    call MPI_Comm_set_attr(comm, key, 3_MPI_ADDRESS_KIND IE)
    deletions = 0
    call MPI_Comm_delete_attr(comm, key IE)
    call check(deletions == 3, 'delete_attr')
    call MPI_Comm_free_keyval(key IE)
    call check(key == MPI_KEYVAL_INVALID, 'a freed key')
    call MPI_Comm_free(comm IE)
    call MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND IE)
    call MPI_Type_contiguous(3, MPI_REAL, type IE)
    call MPI_Type_set_attr(type, key, 9_MPI_ADDRESS_KIND IE)
    call MPI_Type_dup(type, second IE)
    call MPI_Type_get_attr(type, key, value, flag IE)
    call check(flag .and. value == 9, 'an attribute of a type')
    call MPI_Type_get_attr(second, key, value, flag IE)
    call check(.not. flag, 'an attribute that does not copy')
    call MPI_Type_free(type IE)
    call MPI_Type_free(second, ierr)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, key, 0_MPI_ADDRESS_KIND IE)
    call MPI_Win_create(MPI_BOTTOM, 0_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win IE)
    call MPI_Win_set_attr(win, key, 4_MPI_ADDRESS_KIND IE)
    deletions = 0
    call MPI_Win_free(win IE)
    call check(deletions == 4 .and. win == MPI_WIN_NULL, 'an attribute of a window')
  end subroutine

  subroutine copied(comm, key, null_key, dup_key)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: key, null_key, dup_key
    HANDLE(MPI_Comm) :: copy
    integer(kind=MPI_ADDRESS_KIND) :: value
    copies = 0
    call MPI_Comm_dup(comm, copy IE)
    call MPI_Comm_get_attr(copy, key, value, flag IE)
    call check(copies == 1 .and. flag .and. value == 1000000000005_MPI_ADDRESS_KIND, 'a copied attribute')
    call MPI_Comm_get_attr(copy, null_key, value, flag IE)
    call check(.not. flag, 'null_copy_fn')
    call MPI_Comm_get_attr(copy, dup_key, value, flag IE)
    call check(flag .and. value == 2, 'dup_fn')
    call MPI_Comm_free(copy IE)
    call check(copy == MPI_COMM_NULL, 'a freed communicator')
  end subroutine

  subroutine handlers
    HANDLE(MPI_Errhandler) :: handler, before
    HANDLE(MPI_Comm) :: comm
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: class, code, length
    call MPI_Comm_dup(MPI_COMM_WORLD, comm IE)
    call MPI_Comm_create_errhandler(on_error, handler IE)
    call MPI_Comm_set_errhandler(comm, handler IE)
    call MPI_Send(rank, 1, MPI_INTEGER, size + 5, 0, comm, ierr)
    call check(errors == 1, 'our own handler')
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER IE)
    call check(errors == 2, 'called by hand')
    call MPI_Comm_get_errhandler(comm, before IE)
    call check(before == handler, 'get_errhandler')
    call MPI_Errhandler_free(before, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call check(handler == MPI_ERRHANDLER_NULL, 'a freed handler')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN IE)
    call MPI_Send(rank, 1, MPI_INTEGER, size + 5, 0, comm, ierr)
    call MPI_Error_class(ierr, class IE)
    call check(class == MPI_ERR_RANK, 'errors return')
    text = 'none'
    call MPI_Error_string(ierr, text, length IE)
    call check(length > 5 .and. len_trim(text) == length, 'error_string')
    call MPI_Add_error_class(class IE)
    call MPI_Add_error_code(class, code IE)
    call MPI_Add_error_string(code, 'out of tea' IE)
    call MPI_Error_string(code, text, length, ierr)
    call check(text == 'out of tea' .and. length == 10, 'an error of our own')
    call MPI_File_create_errhandler(on_file_error, handler IE)
    call MPI_File_set_errhandler(MPI_FILE_NULL, handler IE)
    call MPI_File_delete('/nowhere/at/all', MPI_INFO_NULL, ierr)
    call check(errors == 102 .and. ierr /= MPI_SUCCESS, 'a handler for files')
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN IE)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Comm_free(comm IE)
  end subroutine

  subroutine groups
    HANDLE(MPI_Group) :: world, one, rest, both
    integer :: ranges(3, 1), theirs(2)
    call MPI_Comm_group(MPI_COMM_WORLD, world IE)
    call MPI_Group_size(world, n IE)
    call check(n == size, 'group_size')
    call MPI_Group_incl(world, 1, [size - 1], one IE)
    call MPI_Group_excl(world, 1, [size - 1], rest IE)
    call MPI_Group_rank(one, n IE)
    call check(n == merge(0, MPI_UNDEFINED, rank == size - 1), 'group_rank')
    call MPI_Group_union(rest, one, both IE)
    call MPI_Group_compare(world, both, n IE)
    call check(n == MPI_IDENT, 'group_compare')
    call MPI_Group_translate_ranks(world, 2, [0, size - 1], one, theirs IE)
    call check(all(theirs == [MPI_UNDEFINED, 0]), 'translate_ranks')
    call MPI_Group_free(both IE)
    call MPI_Group_intersection(rest, one, both IE)
    call check(both == MPI_GROUP_EMPTY, 'intersection')
    ranges(:, 1) = [size - 1, 0, -1]
    call MPI_Group_range_incl(world, 1, ranges, both, ierr)
    call MPI_Group_rank(both, n IE)
    call check(n == size - 1 - rank, 'range_incl')
    call MPI_Group_free(both IE)
    call MPI_Group_free(one, ierr)
    call MPI_Group_free(rest, ierr)
    call MPI_Group_free(world, ierr)
    call check(world == MPI_GROUP_NULL, 'a freed group')
  end subroutine

  subroutine communicators
    HANDLE(MPI_Comm) :: split, inter, merged, shared, copy
    HANDLE(MPI_Group) :: group
    HANDLE(MPI_Request) :: r
    integer :: color, other
    color = mod(rank, 2)
    call MPI_Comm_split(MPI_COMM_WORLD, color, -rank, split IE)
    call MPI_Comm_size(split, n IE)
    call check(n == (size + 1 - color) / 2, 'split')
    call MPI_Comm_compare(split, MPI_COMM_WORLD, n IE)
    call check(n == MPI_UNEQUAL, 'compare')
    other = 1 - color
    call MPI_Intercomm_create(split, 0, MPI_COMM_WORLD, size - 1 - mod(size - 1 - other, 2), 7, inter IE)
    call MPI_Comm_test_inter(inter, flag IE)
    call MPI_Comm_remote_size(inter, n IE)
    call check(flag .and. n == (size + 1 - other) / 2, 'an intercommunicator')
    call MPI_Intercomm_merge(inter, color == 1, merged IE)
    call MPI_Comm_size(merged, n, ierr)
    call check(n == size, 'merged')
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, shared IE)
    call MPI_Comm_size(shared, n IE)
    call check(n >= 1, 'split_type')
    call MPI_Comm_idup(merged, copy, r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call MPI_Comm_compare(copy, merged, n IE)
    call check(n == MPI_CONGRUENT, 'idup')
    call MPI_Comm_free(copy IE)
    call MPI_Comm_group(split, group IE)
    call MPI_Comm_create_group(MPI_COMM_WORLD, group, color, copy IE)
    call MPI_Comm_compare(copy, split, n IE)
    call check(n == MPI_CONGRUENT, 'create_group')
    call MPI_Group_free(group IE)
    call MPI_Comm_disconnect(copy IE)
    call MPI_Comm_free(merged, ierr)
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(shared, ierr)
    call MPI_Comm_free(split, ierr)
    call MPI_Comm_get_parent(copy IE)
    call check(copy == MPI_COMM_NULL .and. .not. copy /= MPI_COMM_NULL, 'no parent')
  end subroutine

  subroutine names
    HANDLE(MPI_Datatype) :: type
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=9) :: short
    integer :: length
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length IE)
    call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'the world''s name')
    call MPI_Comm_set_name(MPI_COMM_SELF, 'myself  ' IE)
    call MPI_Comm_get_name(MPI_COMM_SELF, short, length IE)
    call check(short == 'myself' .and. length == 6, 'a name without its blanks')
    call MPI_Type_contiguous(2, MPI_CHARACTER, type IE)
    call MPI_Type_set_name(type, 'two letters', ierr)
    call MPI_Type_get_name(type, name, length IE)
    call check(name == 'two letters', 'a type''s name')
    call MPI_Type_free(type IE)
  end subroutine

  subroutine infos
    HANDLE(MPI_Info) :: info, copy
    character(len=20) :: value
    character(len=MPI_MAX_INFO_KEY) :: key
    integer :: length
    call MPI_Info_create(info IE)
    call MPI_Info_set(info, 'colour', 'green and blue' IE)
    call MPI_Info_set(info, key='size ', value=' 12 ', ierror=ierr)
    call MPI_Info_get(info, 'colour', 20, value, flag IE)
    call check(flag .and. value == 'green and blue', 'info_get')
    call MPI_Info_get(info, 'weight', 20, value, flag, ierr)
    call check(.not. flag, 'no such key')
    call MPI_Info_get_valuelen(info, 'size', length, flag IE)
    call check(flag .and. length == 2, 'get_valuelen')
    call MPI_Info_dup(info, copy IE)
    call MPI_Info_get_nkeys(copy, n IE)
    call check(n == 2, 'nkeys')
    call MPI_Info_get_nthkey(copy, 1, key IE)
    call check(key == 'size' .or. key == 'colour', 'nthkey')
    call MPI_Info_delete(copy, 'size' IE)
    call MPI_Info_get_nkeys(copy, n IE)
    call check(n == 1, 'delete')
    call MPI_Info_free(copy IE)
    call MPI_Info_free(info, ierr)
    call check(info == MPI_INFO_NULL, 'a freed info')
  end subroutine

  subroutine environment
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    integer :: version, subversion, length, level
    double precision :: t
    call MPI_Get_processor_name(name, length IE)
    call check(length > 0 .and. len_trim(name) == length, 'processor_name')
    call MPI_Get_version(version, subversion IE)
    call check(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, 'version')
    call MPI_Get_library_version(library, length IE)
    call check(index(library, 'MPI') > 0, 'library_version')
    t = MPI_Wtime()
    call check(MPI_Wtime() >= t .and. MPI_Wtick() > 0, 'wtime')
    call MPI_Initialized(flag IE)
    call check(flag, 'initialized')
    call MPI_Is_thread_main(flag, ierr)
    call check(flag, 'is_thread_main')
    call MPI_Query_thread(level IE)
    call check(level >= MPI_THREAD_SINGLE, 'query_thread')
    call MPI_Pcontrol(1)
  end subroutine
end program
