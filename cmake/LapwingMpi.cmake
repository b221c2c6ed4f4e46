# SPDX-License-Identifier: Apache-2.0
# Both MPIs in one build tree: imported targets mpi::mpich and mpi::openmpi,
# and functions that build a thing once for each flavour.
find_package(PkgConfig REQUIRED)
pkg_check_modules(MPICH REQUIRED IMPORTED_TARGET mpich)
pkg_check_modules(OPENMPI REQUIRED IMPORTED_TARGET ompi-c)
# Nobody uses the C++ bindings, and Open MPI's would have to be linked.
set_property(TARGET PkgConfig::MPICH PkgConfig::OPENMPI APPEND PROPERTY
  INTERFACE_COMPILE_DEFINITIONS MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
add_library(mpi::mpich ALIAS PkgConfig::MPICH)
add_library(mpi::openmpi ALIAS PkgConfig::OPENMPI)
set(LAPWING_FLAVOURS mpich openmpi)
# Each flavour's C library; its other libraries lie beside it.
list(GET MPICH_LINK_LIBRARIES 0 LAPWING_LIBMPI_mpich)
list(GET OPENMPI_LINK_LIBRARIES 0 LAPWING_LIBMPI_openmpi)

find_program(MPIEXEC_MPICH NAMES mpiexec.mpich mpiexec.hydra REQUIRED)
find_program(MPIEXEC_OPENMPI NAMES mpiexec.openmpi REQUIRED)
set(MPIEXEC_mpich ${MPIEXEC_MPICH})
set(MPIEXEC_openmpi ${MPIEXEC_OPENMPI} --oversubscribe --allow-run-as-root --bind-to none)

# An MPI program built once per flavour, as libexec/lapwing/<flavour>/<name>;
# its targets are <name>_mpich and <name>_openmpi. LAPWING_FLAVOUR names the
# flavour as a string, so that no program needs to ask the compiler.
function(lapwing_mpi_program name)
  foreach(flavour IN LISTS LAPWING_FLAVOURS)
    add_executable(${name}_${flavour} ${ARGN})
    target_include_directories(${name}_${flavour} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${name}_${flavour} PRIVATE LAPWING_FLAVOUR="${flavour}")
    target_link_libraries(${name}_${flavour} PRIVATE mpi::${flavour})
    set_target_properties(${name}_${flavour} PROPERTIES
      OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/lapwing/${flavour})
  endforeach()
endfunction()
