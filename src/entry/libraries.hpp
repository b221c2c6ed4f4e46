// SPDX-License-Identifier: Apache-2.0
// The shared libraries that are in the process already.
#pragma once

#include <cstdint>
#include <string>

namespace lapwing::entry {

struct LoadedLibrary {
  std::string path;
  std::uintptr_t begin = 0, end = 0;  ///< of its code
  explicit operator bool() const { return begin != 0; }
};

/// The loaded library whose file name is STEM.so or STEM.so.VERSION, where STEM matches
/// one of `patterns`, which have bars between them.
LoadedLibrary find_loaded(const char* patterns);

/// The address of `symbol` in that library or what it depends on; nullptr if
/// there is none. Never loads anything.
void* find_in(const LoadedLibrary& library, const char* symbol);

}  // namespace lapwing::entry
