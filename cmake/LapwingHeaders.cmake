# SPDX-License-Identifier: Apache-2.0
# Most of the time that a file takes to compile goes into the headers of the
# standard library, of fmt, LLVM and GoogleTest. Each group of targets that is
# compiled alike parses them once. Files name what they include all the same:
# with -DLAPWING_PRECOMPILE=OFF nothing is parsed for them.
option(LAPWING_PRECOMPILE "parse the headers of other libraries once for many files" ON)

set(LAPWING_STANDARD_HEADERS <algorithm> <array> <atomic> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <thread> <unordered_map> <utility> <vector>)

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
