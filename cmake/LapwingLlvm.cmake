# SPDX-License-Identifier: Apache-2.0
# LLVM, for the compiler part: the newest that is here of the versions that the pass is built and tested with. The
# wrappers drive that version, and no other loads the plugin. How versions differ: src/compiler/llvm_versions.hpp.
#
#   LAPWING_LLVM_MAJOR                        19 or 16; empty: the compiler part is not built
#   LAPWING_CLANG, LAPWING_CLANGXX, LAPWING_FLANG   its compilers; what is missing is false
set(LAPWING_LLVM "" CACHE STRING "The major version of LLVM to build the compiler part for; empty: the newest of 19 and 16")
set(LAPWING_LLVM_MAJOR "")
set(versions ${LAPWING_LLVM})
if(NOT versions)
  set(versions 19 16)
endif()
foreach(major IN LISTS versions)
  if(NOT LAPWING_LLVM_MAJOR)
    unset(LLVM_DIR CACHE)
    foreach(version ${major}.1 ${major}.0)  # 18 and later count from 1
      if(NOT LLVM_FOUND)
        find_package(LLVM ${version} CONFIG QUIET HINTS /usr/lib/llvm-${major} /usr/lib64/llvm${major})
      endif()
    endforeach()
    if(LLVM_FOUND)
      set(LAPWING_LLVM_MAJOR ${major})
    endif()
  endif()
endforeach()
if(LAPWING_LLVM_MAJOR)
  # Compilers of another version, found earlier, are not these.
  if(NOT "${LAPWING_COMPILERS_OF}" STREQUAL "${LAPWING_LLVM_MAJOR}")
    foreach(name CLANG CLANGXX FLANG)
      unset(LAPWING_${name} CACHE)
    endforeach()
    set(LAPWING_COMPILERS_OF ${LAPWING_LLVM_MAJOR} CACHE INTERNAL "")
  endif()
  set(tools ${LLVM_TOOLS_BINARY_DIR})
  find_program(LAPWING_CLANG NAMES clang-${LAPWING_LLVM_MAJOR} clang HINTS ${tools})
  find_program(LAPWING_CLANGXX NAMES clang++-${LAPWING_LLVM_MAJOR} clang++ HINTS ${tools})
  if(LAPWING_LLVM_MAJOR GREATER_EQUAL 19)  # flang 16 reads no module mpi_f08, and the pass does not know its IR
    find_program(LAPWING_FLANG NAMES flang-new-${LAPWING_LLVM_MAJOR} flang-${LAPWING_LLVM_MAJOR} HINTS ${tools})
  endif()
else()
  message(STATUS "LLVM 19 or 16 is not here (llvm-19-dev): the compiler part is not built")
endif()
