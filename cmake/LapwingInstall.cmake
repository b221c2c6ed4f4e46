# SPDX-License-Identifier: Apache-2.0
# What `make install` puts under PREFIX. The command finds its libraries and
# programs relative to itself, so the installed tree may be moved.
install(TARGETS lapwing_preload lapwing_tasks_library LIBRARY DESTINATION lib)
foreach(flavour IN LISTS LAPWING_ENGINES)
  install(TARGETS lapwing_${flavour} lapwing_tasks_${flavour} LIBRARY DESTINATION lib)
endforeach()
install(DIRECTORY include/lapwing DESTINATION include)

# Benchmarks, demo programs and drivers: whatever the rooms put there, but for
# the programs of the tests.
install(DIRECTORY ${CMAKE_BINARY_DIR}/libexec/lapwing DESTINATION libexec
  USE_SOURCE_PERMISSIONS OPTIONAL
  PATTERN __pycache__ EXCLUDE PATTERN fuzz_* EXCLUDE PATTERN programs_cases* EXCLUDE)
install(DIRECTORY tools/netlab DESTINATION libexec/lapwing
  USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/lapwing)
install(DIRECTORY docs DESTINATION share/doc/lapwing FILES_MATCHING PATTERN *.md PATTERN *.svg)
