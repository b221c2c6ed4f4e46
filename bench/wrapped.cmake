# SPDX-License-Identifier: Apache-2.0
# `exchange` and `collectives`, each built twice by clang through lwc++ with the same flags: `NAME-plain` without the pass and
# without liblapwing, `NAME-compiled` with them. Without clang or the pass the project's own compiler builds `NAME-plain`.
set(sources_exchange exchange/main.cpp exchange/iterate.cpp)
set(sources_collectives collectives/main.cpp collectives/kinds.cpp)
set(names exchange collectives)
set(flags -O2 -std=c++20 -falign-loops=64 -Wall -Wextra -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
  -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include)

if(NOT LAPWING_CLANGXX OR NOT TARGET lwcc OR NOT TARGET LapwingPass OR LAPWING_SANITIZE)
  foreach(name IN LISTS names)
    lapwing_mpi_program(${name}-plain ${sources_${name}} ${support})
    foreach(flavour IN LISTS LAPWING_FLAVOURS)
      target_include_directories(${name}-plain_${flavour} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_compile_options(${name}-plain_${flavour} PRIVATE -O2)
    endforeach()
  endforeach()
  return()
endif()

foreach(flavour IN LISTS LAPWING_FLAVOURS)
  set(programs)
  foreach(name IN LISTS names)
    list(TRANSFORM sources_${name} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.hpp ${CMAKE_CURRENT_SOURCE_DIR}/support/*.hpp)
    foreach(variant plain compiled)
      set(compiler ${LAPWING_WITH_MPI_COMMANDS} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lwc++ --lapwing-mpi=${flavour})
      if(variant STREQUAL "plain")
        list(APPEND compiler --lapwing-off)
      endif()
      set(program ${CMAKE_BINARY_DIR}/libexec/lapwing/${flavour}/${name}-${variant})
      add_custom_command(OUTPUT ${program} VERBATIM
        COMMAND ${compiler} ${flags} ${sources} ${support} -o ${program}
        DEPENDS ${sources} ${headers} lapwing_bench_support ${support} lwcc LapwingPass lapwing_${flavour}
        COMMENT "Benchmark for ${flavour}: ${name}-${variant}" COMMAND_EXPAND_LISTS)
      list(APPEND programs ${program})
    endforeach()
  endforeach()
  add_custom_target(wrapped_benchmarks_${flavour} ALL DEPENDS ${programs})
endforeach()
