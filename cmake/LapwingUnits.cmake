# SPDX-License-Identifier: Apache-2.0
# How many files the compiler reads at a time, and which targets `make` builds.
#
# Headers of the standard library, of fmt, LLVM and GoogleTest take most of the time that a file takes to compile.
# The files of a room are therefore compiled several at a time, as one unit, and read those headers once: the
# names that a file keeps to itself differ from those of the other files of its room. Units, and the programs of the
# tests, share parsed headers as well. Files include what they use all the same: with -DLAPWING_UNITY=OFF and
# -DLAPWING_PRECOMPILE=OFF each is compiled alone, which clang's tools need.
option(LAPWING_UNITY "compile several files of a room as one unit" ON)
option(LAPWING_PRECOMPILE "parse the headers of other libraries once for many units" ON)

set(LAPWING_STANDARD_HEADERS <algorithm> <array> <atomic> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <thread> <unordered_map> <utility> <vector>)

# lapwing_unity(target n): its C++ files in units of about n, none much smaller than the rest
function(lapwing_unity target size)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources files)
  math(EXPR units "(${files} + ${size} - 1) / ${size}")
  if(LAPWING_UNITY AND files GREATER 1)
    math(EXPR size "(${files} + ${units} - 1) / ${units}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# lapwing_precompile(target <header>...) for its C++ files
function(lapwing_precompile target)
  if(LAPWING_PRECOMPILE)
    list(TRANSFORM ARGN REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# lapwing_precompiled(target owner): the same as the owner's, which is compiled alike
function(lapwing_precompiled target owner)
  if(LAPWING_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# lapwing_deep(target): only tests with the label `deep` need the target, which belongs to lapwing_deep_tests alone.
function(lapwing_deep target)
  set_target_properties(${target} PROPERTIES LAPWING_DEEP ON)
  if(NOT TARGET lapwing_deep_tests)
    add_custom_target(lapwing_deep_tests)
    set_target_properties(lapwing_deep_tests PROPERTIES LAPWING_DEEP ON)
  endif()
  add_dependencies(lapwing_deep_tests ${target})
endfunction()

# lapwing_group(name [WITHOUT_UNITS] folder...): a target that builds whatever the folders and those below them describe.
# `make` does not build it by itself: the folders are added with EXCLUDE_FROM_ALL. WITHOUT_UNITS leaves out the targets
# with the property LAPWING_UNIT, the programs of the unit tests.
function(lapwing_group name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_UNITS" "" "")
  set(without LAPWING_DEEP)
  set(option "")
  if(arg_WITHOUT_UNITS)
    list(APPEND without LAPWING_UNIT)
    set(option WITHOUT_UNITS)
  endif()
  if(NOT TARGET ${name})
    add_custom_target(${name})
  endif()
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      set(left_out OFF)
      foreach(property IN LISTS without)
        get_target_property(value ${target} ${property})
        if(value)
          set(left_out ON)
        endif()
      endforeach()
      if(NOT left_out)
        add_dependencies(${name} ${target})
      endif()
    endforeach()
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    if(folders)
      lapwing_group(${name} ${option} ${folders})
    endif()
  endforeach()
endfunction()
