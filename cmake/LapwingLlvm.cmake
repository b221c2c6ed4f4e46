# SPDX-License-Identifier: Apache-2.0
# LLVM 19, for the compiler part. Debian installs it beside other versions.
find_package(LLVM 19.1 CONFIG QUIET HINTS /usr/lib/llvm-19)
if(NOT LLVM_FOUND)
  message(STATUS "LLVM 19 is not here (llvm-19-dev): the compiler part is not built")
endif()
