# SPDX-License-Identifier: Apache-2.0
# What every target of the tree is built with.
set(DART_TESTING_TIMEOUT 120)  # a test that names no limit gets this one
include(CTest)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

set(LAPWING_SANITIZE "" CACHE STRING "address, undefined, both with a comma between, or thread; empty for none")
set_property(CACHE LAPWING_SANITIZE PROPERTY STRINGS "" address undefined address,undefined thread)
if(NOT LAPWING_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)?$")
  message(FATAL_ERROR
    "LAPWING_SANITIZE is '${LAPWING_SANITIZE}': use address, undefined, address,undefined, thread or nothing")
endif()
string(REPLACE "," ";" LAPWING_SANITIZERS "${LAPWING_SANITIZE}")

add_compile_definitions(LAPWING_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(LAPWING_SANITIZE)
  add_compile_options(-fsanitize=${LAPWING_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LAPWING_SANITIZE})
  if("undefined" IN_LIST LAPWING_SANITIZERS)
    add_compile_options(-fno-sanitize-recover=undefined)
    add_link_options(-fno-sanitize-recover=undefined)
  endif()
  if("address" IN_LIST LAPWING_SANITIZERS AND "undefined" IN_LIST LAPWING_SANITIZERS)
    add_compile_options(-fno-sanitize=vptr)  # a sixth of what both take to compile; the preset ubsan has it
  endif()
endif()
