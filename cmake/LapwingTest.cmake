# SPDX-License-Identifier: Apache-2.0
# How a test enters the house: always with a time limit, always with labels.
#
#   lapwing_unit_test(name sources... [ROOMS guard machine] [LIBRARIES ...]
#                     [TIMEOUT s] [LABELS ...] [NOT_UNDER address thread undefined] [SERIAL])
#     A GoogleTest without MPI. Labels "unit" and "sanitized": the sanitizer
#     presets build and run exactly these (target lapwing_unit_tests), and `make test`
#     does so under the sanitizers only. One that has a single thread is NOT_UNDER
#     thread, which could find nothing; one that is NOT_UNDER address is under none.
#
#   lapwing_mpi_test(name sources... RANKS 1 2 3 4 8 [INTERNALS | PRELOAD | PLAIN]
#                    [LIBRARIES ...] [ENVIRONMENT A=b ...] [TIMEOUT s] [LABELS ...] [SERIAL])
#     A GoogleTest built once per MPI and run under each number of ranks. Its
#     main is tests/support/mpi_main.cpp: a failure on any rank fails the test.
#     PROGRAM other, instead of sources: the program of another such test again.
#     By default it is linked with the library as a program would be; INTERNALS
#     links the engine's objects instead, so that hidden names can be tested;
#     PRELOAD links plain MPI and preloads Lapwing; PLAIN leaves Lapwing out.
#     Labels "mpi", the flavour, and "ranksN". Of three numbers of ranks and more, each
#     goes to one of the MPIs, in turn; TESTED_CASES=all in the environment of CMake
#     gives all of them to each (lapwing_in_turn).
#
#   lapwing_mpi_environment(out [TIMED])   what both MPIs need to run as root, on fewer
#     cores than ranks; for tests that start mpiexec themselves. TIMED: MPICH's ranks
#     keep their cores while they wait, as in programs, for tests that compare times.
find_package(GTest REQUIRED)

set(LAPWING_MPI_ENVIRONMENT "")
if(LAPWING_MPI_COMMANDS)
  set(LAPWING_MPI_ENVIRONMENT PATH=${LAPWING_MPI_COMMANDS}:$ENV{PATH})
endif()
list(JOIN LAPWING_FLAVOURS "," tested)

# hwloc would load each driver of OpenCL that is installed: ranks then leave MPI_Init tens of milliseconds apart.
# Open MPI would look a fifth of a second for networks that it drives by matching interfaces of their own.
list(APPEND LAPWING_MPI_ENVIRONMENT
  HWLOC_COMPONENTS=-opencl
  OMPI_MCA_mtl=^ofi,psm,psm2
  TESTED_MPIS=${tested}
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  PRTE_MCA_hwloc_default_binding_policy=none
  OMPI_MCA_mpi_yield_when_idle=1
  PYTHONDONTWRITEBYTECODE=1
  LAPWING_TESTING=1)

# MPICH's ranks give their cores up as well, but those of tests that say themselves what is preloaded.
set(LAPWING_YIELDING "")
if(NOT LAPWING_SANITIZE AND "mpich" IN_LIST LAPWING_FLAVOURS)
  add_library(lapwing_test_yield MODULE ${PROJECT_SOURCE_DIR}/tests/support/yield.c)
  target_link_libraries(lapwing_test_yield PRIVATE dl)
  set_target_properties(lapwing_test_yield PROPERTIES PREFIX lib
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/support)
  set(LAPWING_YIELDING $<TARGET_FILE:lapwing_test_yield>)
  list(APPEND LAPWING_MPI_ENVIRONMENT LD_PRELOAD=${LAPWING_YIELDING})
endif()

# ThreadSanitizer of GCC 12 cannot map its shadow under the address space
# randomisation of recent kernels.
set(LAPWING_TEST_LAUNCHER "")
if(LAPWING_SANITIZE STREQUAL "thread")
  execute_process(COMMAND setarch -R true RESULT_VARIABLE no_setarch OUTPUT_QUIET ERROR_QUIET)
  if(no_setarch EQUAL 0)
    set(LAPWING_TEST_LAUNCHER setarch -R)
  endif()
endif()

add_custom_target(lapwing_unit_tests)
set_target_properties(lapwing_unit_tests PROPERTIES LAPWING_UNIT ON)

function(lapwing_mpi_environment out)
  set(environment ${LAPWING_MPI_ENVIRONMENT})
  if("TIMED" IN_LIST ARGN)
    list(FILTER environment EXCLUDE REGEX "^LD_PRELOAD=")
  endif()
  set(${out} ${environment} PARENT_SCOPE)
endfunction()

function(lapwing_test_program target)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE GTest::gtest lapwing_formatting Threads::Threads)
endfunction()

# A main and the parsed headers that go with it, compiled as programs are.
function(lapwing_test_main target source)
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/tests/support/${source})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIE)
  target_link_libraries(${target} PRIVATE GTest::gtest ${ARGN})
  lapwing_precompile(${target} ${LAPWING_STANDARD_HEADERS} <random> <gtest/gtest.h>)
endfunction()

lapwing_test_main(lapwing_unit_main unit_main.cpp)
set_target_properties(lapwing_unit_main PROPERTIES LAPWING_UNIT ON)
if(NOT LAPWING_SANITIZE)
  foreach(flavour IN LISTS LAPWING_FLAVOURS)
    lapwing_test_main(lapwing_mpi_main_${flavour} mpi_main.cpp mpi::${flavour})
  endforeach()
endif()

# A test that takes ten seconds or more says COST (seconds, about): ctest starts the longest first, and knows none in a
# new tree.
#
# lapwing_in_turn(out flavour case...): the cases that are tried with this MPI. Three and more go to the MPIs in turn,
# each call beginning with the next MPI; give the MPIs one after another.
function(lapwing_in_turn out flavour)
  set(cases ${ARGN})
  list(LENGTH cases all)
  list(LENGTH LAPWING_FLAVOURS flavours)
  list(FIND LAPWING_FLAVOURS ${flavour} turn)
  get_property(calls GLOBAL PROPERTY lapwing_in_turn_calls)
  if(NOT calls)
    set(calls 0)
  endif()
  math(EXPR next "${calls} + 1")
  set_property(GLOBAL PROPERTY lapwing_in_turn_calls ${next})
  if(all GREATER 2 AND NOT "$ENV{TESTED_CASES}" STREQUAL "all")
    math(EXPR turn "(${calls} / ${flavours} + ${turn}) % ${flavours}")
    set(index 0)
    set(cases "")
    foreach(case IN LISTS ARGN)
      math(EXPR whose "${index} % ${flavours}")
      if(whose EQUAL turn)
        list(APPEND cases ${case})
      endif()
      math(EXPR index "${index} + 1")
    endforeach()
  endif()
  set(${out} ${cases} PARENT_SCOPE)
endfunction()

# A program of GoogleTests that runs under mpiexec.
function(lapwing_mpi_test_program target flavour)
  lapwing_test_program(${target})
  lapwing_precompiled(${target} lapwing_mpi_main_${flavour})
  target_link_libraries(${target} PRIVATE lapwing_mpi_main_${flavour} mpi::${flavour})
endfunction()

function(lapwing_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "ROOMS;LIBRARIES;LABELS;NOT_UNDER")
  foreach(sanitizer IN LISTS LAPWING_SANITIZERS)
    if(sanitizer IN_LIST arg_NOT_UNDER)
      return()
    endif()
  endforeach()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  lapwing_test_program(${name})
  lapwing_unity(${name} 8)
  lapwing_precompiled(${name} lapwing_unit_main)
  list(TRANSFORM arg_ROOMS PREPEND lapwing_)
  target_link_libraries(${name} PRIVATE ${arg_ROOMS} ${arg_LIBRARIES} lapwing_unit_main)
  set(sanitized "sanitized")
  if("address" IN_LIST arg_NOT_UNDER)
    set(sanitized "")
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit LAPWING_UNIT "${sanitized}")
  add_dependencies(lapwing_unit_tests ${name})
  add_test(NAME ${name} COMMAND ${LAPWING_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "unit;${sanitized};${arg_LABELS}"
    ENVIRONMENT "LAPWING_TESTING=1")
  if(arg_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

function(lapwing_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNALS;PRELOAD;PLAIN;SERIAL" "TIMEOUT;PROGRAM"
    "RANKS;LIBRARIES;ENVIRONMENT;LABELS")
  if(LAPWING_SANITIZE)
    return()  # the MPIs themselves are not built for sanitizers
  endif()
  if(NOT arg_RANKS)
    message(FATAL_ERROR "lapwing_mpi_test(${name}): say with RANKS how many ranks it runs with")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  foreach(flavour IN LISTS LAPWING_FLAVOURS)
    set(target ${name}_${flavour})
    if(arg_PROGRAM)
      set(target ${arg_PROGRAM}_${flavour})
    else()
      add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
      lapwing_mpi_test_program(${target} ${flavour})
      lapwing_unity(${target} 8)
      set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${flavour})
    endif()
    set(environment ${LAPWING_MPI_ENVIRONMENT} ${arg_ENVIRONMENT})
    if(arg_PRELOAD)
      add_dependencies(${target} lapwing_${flavour} lapwing_preload)
      list(APPEND environment LD_PRELOAD=$<TARGET_FILE:lapwing_preload>:${LAPWING_YIELDING})
    endif()
    if(arg_PROGRAM)
      # linked where it was made
    elseif(arg_INTERNALS)
      target_link_libraries(${target} PRIVATE lapwing_engine_${flavour} ${LAPWING_ENGINE_ROOMS} dl)
    elseif(NOT arg_PRELOAD AND NOT arg_PLAIN)
      target_link_libraries(${target} PRIVATE lapwing_${flavour})
    endif()
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    lapwing_in_turn(counts ${flavour} ${arg_RANKS})
    foreach(ranks IN LISTS counts)
      set(test ${name}.${flavour}.${ranks})
      set(processors 2)
      if(ranks LESS 2)
        set(processors 1)
      endif()
      add_test(NAME ${test} COMMAND ${LAPWING_LAUNCHER_${flavour}} -n ${ranks} $<TARGET_FILE:${target}>)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${processors}
        LABELS "mpi;${flavour};ranks${ranks};${arg_LABELS}" ENVIRONMENT "${environment}")
      if(arg_SERIAL)
        set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
      endif()
    endforeach()
  endforeach()
endfunction()
