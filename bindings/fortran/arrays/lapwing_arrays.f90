! SPDX-License-Identifier: Apache-2.0
!
! Distributed arrays for Fortran: data-parallel tasks send each other whole arrays. The
! routines have the names of the C API (lapwing/arrays.h, where each is described).
! Local memory may be of any numeric kind and of rank 1 to 4, without temporary copies;
! what non-blocking and persistent calls use needs the target or asynchronous attribute.
module lapwing_arrays
  use lapwing_arrays_c, only: c_int, c_int64_t, lapwing_array_status, lapwing_array_steps, lapwing_local_part, &
    lapwing_array_ok, lapwing_array_err_shape, lapwing_array_err_type, lapwing_array_err_grid, lapwing_array_err_task, &
    lapwing_array_err_buffer, lapwing_array_err_differs, lapwing_array_err_argument, lapwing_array_err_state, &
    lapwing_array_err_mpi, lapwing_array_err_file, lapwing_int8, lapwing_uint8, lapwing_int16, lapwing_uint16, &
    lapwing_int32, lapwing_uint32, &
    lapwing_int64, lapwing_uint64, lapwing_float32, lapwing_float64, lapwing_long_double, &
    lapwing_complex64, lapwing_complex128, lapwing_complex_long_double, &
    lapwing_row_major, lapwing_column_major, lapwing_strategy_automatic, lapwing_strategy_parallel, &
    lapwing_strategy_packed, lapwing_strategy_direct, lapwing_strategy_centralized, lapwing_schedule_text, &
    lapwing_schedule_ascii, lapwing_schedule_svg, lapwing_any_task, lapwing_any_tag, lapwing_task_null, &
    lapwing_ghosts_faces, lapwing_ghosts_corners, lapwing_op_none, lapwing_op_transpose, &
    lapwing_op_conjugate_transpose, lapwing_op_conjugate
  use lapwing_arrays_dimensions
  use lapwing_arrays_base
  use lapwing_arrays_tasks
  use lapwing_arrays_lists
  use lapwing_arrays_plain
  use lapwing_arrays_fft
  use lapwing_arrays_calls
  implicit none
  public
end module lapwing_arrays
