# SPDX-License-Identifier: Apache-2.0
# Lapwing's pass in a project of yours, without lwcc:
#
#   find_package(Lapwing REQUIRED)
#   lapwing_compile(target [MODE conservative|aggressive|demand|verify|report]
#                          [MPI mpich|openmpi] [PROFILE file])
#
# gives the pass to the sources of the target that clang or flang of
# the pass's version (here 19) compiles, but for the Debug configuration, and links the engine before the
# MPI's libraries. MPI can be left out where find_package(MPI), or the compiler,
# tells which it is. With CC=lwcc and its like nothing of this is needed; the
# function then only passes the mode on.
#
# The plugin alone, with any build system:
#
#   clang-19 -O2 -fpass-plugin=LIB/LapwingPass.so -c a.c
#   clang-19 a.o -LLIB -llapwing-mpich -Wl,-rpath,LIB -lmpich
#
# and flang-new-19 alike. Options are in the environment of the compiler, as a
# list: LAPWING_PASS=mode=conservative,profile=FILE. With full LTO compile with
# -flto and without the plugin, and link by
#
#   clang-19 -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=LIB/LapwingPass.so ...
#
# A compiler cache sees neither the plugin's content nor that variable: tell
# ccache with CCACHE_EXTRAFILES=LIB/LapwingPass.so.

function(lapwing_compile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODE;MPI;PROFILE" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lapwing_compile(${target}): '${arg_UNPARSED_ARGUMENTS}' is unknown; "
                        "there are MODE, MPI and PROFILE.")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "lapwing_compile(${target}): there is no target of this name yet.")
  endif()
  if(NOT arg_MODE)
    set(arg_MODE aggressive)
  elseif(NOT arg_MODE MATCHES "^(conservative|aggressive|demand|verify|report)$")
    message(FATAL_ERROR "lapwing_compile(${target}): MODE ${arg_MODE} is unknown; "
                        "there are conservative, aggressive, demand, verify and report.")
  endif()
  set(profile "")
  if(arg_PROFILE)
    get_filename_component(profile "${arg_PROFILE}" ABSOLUTE)
    if(NOT EXISTS "${profile}")
      message(FATAL_ERROR "lapwing_compile(${target}): the profile ${profile} is not there.")
    endif()
  endif()

  set(driven "")
  set(plain "")
  _lapwing_languages(driven plain)
  if(NOT driven AND NOT plain)
    message(FATAL_ERROR "lapwing_compile(${target}): no language of this project is compiled by clang or flang ${Lapwing_LLVM}, "
                        "which alone can load the pass; configure with CC=clang-${Lapwing_LLVM}, or CC=lwcc.")
  endif()
  foreach(language IN LISTS driven)
    set(options -flapwing=${arg_MODE})
    if(profile)
      list(APPEND options "--lapwing-profile=${profile}")
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:${options}>")
    target_link_options(${target} PRIVATE "$<$<LINK_LANGUAGE:${language}>:-flapwing=${arg_MODE}>")
  endforeach()
  if(NOT plain)
    return()
  endif()
  if(NOT EXISTS "${Lapwing_PASS}")
    message(WARNING "lapwing_compile(${target}): ${Lapwing_PASS} is missing, so it is compiled plainly; "
                    "build or install Lapwing again.")
    return()
  endif()
  _lapwing_load(${target} "${plain}" "${arg_MODE}" "${profile}")
  _lapwing_link(${target} "${arg_MODE}" "${arg_MPI}")
endfunction()

# The languages that Lapwing's wrappers compile, and those that clang and flang of
# the pass's version compile.
function(_lapwing_languages driven_out plain_out)
  set(driven "")
  set(plain "")
  get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language C CXX Fortran)
    if(NOT language IN_LIST enabled)
      continue()
    endif()
    get_filename_component(name "${CMAKE_${language}_COMPILER}" NAME)
    if(name MATCHES "^(lwcc|lwc[+][+]|lwfc)([.](mpich|openmpi))?$")
      list(APPEND driven ${language})
    elseif(CMAKE_${language}_COMPILER_ID MATCHES "^(Clang|LLVMFlang)$"
           AND CMAKE_${language}_COMPILER_VERSION MATCHES "^${Lapwing_LLVM}[.]")
      list(APPEND plain ${language})
    endif()
  endforeach()
  set(${driven_out} ${driven} PARENT_SCOPE)
  set(${plain_out} ${plain} PARENT_SCOPE)
endfunction()

function(_lapwing_load target languages mode profile)
  set(options "mode=${mode}")
  if(profile)
    string(APPEND options ",profile=${profile}")
  endif()
  foreach(language IN LISTS languages)
    # -O0 inlines nothing: there is nothing to be seen.
    set(wanted "$<AND:$<COMPILE_LANGUAGE:${language}>,$<NOT:$<CONFIG:Debug>>>")
    target_compile_options(${target} PRIVATE "$<${wanted}:-fpass-plugin=${Lapwing_PASS}>")
    if(NOT options STREQUAL "mode=aggressive")
      # Before a launcher that is there already, such as ccache.
      set(launcher env "LAPWING_PASS=${options}")
      get_target_property(present ${target} ${language}_COMPILER_LAUNCHER)
      if(present)
        list(APPEND launcher ${present})
      endif()
      set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER "${launcher}")
    endif()
  endforeach()
endfunction()

function(_lapwing_link target mode mpi)
  if(NOT mpi)
    set(known "${MPI_C_LIBRARIES};${MPI_CXX_LIBRARIES};${MPI_Fortran_LIBRARIES};${CMAKE_C_IMPLICIT_LINK_LIBRARIES}")
    if(known MATCHES "mpich")
      set(mpi mpich)
    elseif(known MATCHES "openmpi|libmpi[._]|(^|;)mpi(;|$)")
      set(mpi openmpi)
    else()
      message(FATAL_ERROR "lapwing_compile(${target}): which MPI it is for is not known; "
                          "call find_package(MPI) before, or say MPI mpich or MPI openmpi.")
    endif()
  endif()
  if(NOT TARGET Lapwing::${mpi})
    message(FATAL_ERROR "lapwing_compile(${target}): this Lapwing has no library for the MPI '${mpi}'.")
  endif()
  get_target_property(library Lapwing::${mpi} IMPORTED_LOCATION)
  get_filename_component(folder "${library}" DIRECTORY)
  set(libraries "\"${library}\"")
  if(mode MATCHES "^(demand|verify)$")
    # Takes calls of libc, so it comes first.
    set(libraries "\"${folder}/liblapwing-preload.so\" ${libraries}")
  endif()
  # Options stand before all libraries: the engine takes the MPI's calls. What
  # links a static library needs it too.
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_link_options(${target} BEFORE ${scope}
    "SHELL:-Wl,--push-state,--no-as-needed ${libraries} -Wl,--pop-state \"-Wl,-rpath,${folder}\"")
endfunction()
