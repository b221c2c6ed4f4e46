# SPDX-License-Identifier: Apache-2.0
# The package that find_package(Lapwing) finds, in the build tree as installed:
# <prefix>/lib/cmake/Lapwing.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_BINARY_DIR}/lib/cmake/Lapwing)
write_basic_package_version_file(${folder}/LapwingConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/LapwingCompile.cmake ${folder}/LapwingCompile.cmake COPYONLY)

# The headers are the sources' own in the build tree, and beside lib elsewhere.
set(LAPWING_PACKAGE_INCLUDE ${PROJECT_SOURCE_DIR}/include)
configure_file(${PROJECT_SOURCE_DIR}/cmake/LapwingConfig.cmake.in ${folder}/LapwingConfig.cmake @ONLY)
set(LAPWING_PACKAGE_INCLUDE "\${_lapwing_lib}/../include")
configure_file(${PROJECT_SOURCE_DIR}/cmake/LapwingConfig.cmake.in ${CMAKE_BINARY_DIR}/package/LapwingConfig.cmake @ONLY)

install(FILES ${folder}/LapwingConfigVersion.cmake ${folder}/LapwingCompile.cmake
              ${CMAKE_BINARY_DIR}/package/LapwingConfig.cmake
  DESTINATION lib/cmake/Lapwing)
