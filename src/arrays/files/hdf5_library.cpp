// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/hdf5_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lapwing::arrays::hdf5 {
namespace {

// Debian's serial one, and what others call theirs: HDF5 1.10, 1.12, 1.14 and 2.0.
constexpr const char* names[] = {
    "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5.so.200",    "libhdf5.so.310",
    "libhdf5_serial.so.310", "libhdf5.so.320", "libhdf5_serial.so", "libhdf5.so"};

}  // namespace

Library::Library() {
  where_ = RTLD_DEFAULT;
  if (!dlsym(where_, "H5Dget_offset")) {
    where_ = nullptr;
    for (const char* name : names)
      if (!where_) where_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  } else {
    where_ = dlopen(nullptr, RTLD_NOW);
  }
  if (!where_) {
    why =
        "HDF5 is not installed on this machine: install its library (Debian: libhdf5-103-1), link the "
        "program with it, or "
        "write the plain file of lapwing_array_write()";
    return;
  }
#define LAPWING_HDF5_FIND(RESULT, NAME, ARGUMENTS)                    \
  NAME = reinterpret_cast<RESULT(*) ARGUMENTS>(dlsym(where_, #NAME)); \
  if (!NAME && why.empty()) why = "this machine's HDF5 lacks " #NAME "; Lapwing needs 1.10 or later";
  LAPWING_HDF5_FUNCTIONS(LAPWING_HDF5_FIND)
#undef LAPWING_HDF5_FIND
  if (!why.empty()) return;
  unsigned version[3] = {};
  if (H5open() < 0 || H5get_libversion(&version[0], &version[1], &version[2]) < 0) {
    why = "this machine's HDF5 does not start";
  } else if (version[0] < 2 && (version[0] < 1 || version[1] < 10)) {
    why = fmt::format("this machine's HDF5 is {}.{}.{}; Lapwing needs 1.10 or later", version[0], version[1],
                      version[2]);
  }
}

Id Library::predefined(const char* name) const {
  const auto* const value = static_cast<const Id*>(dlsym(where_, name));
  return value ? *value : -1;
}

const Library& library() {
  static const Library found;
  return found;
}

Silence::Silence() {
  library().H5Eget_auto2(0, &function_, &data_);
  library().H5Eset_auto2(0, nullptr, nullptr);
}

Silence::~Silence() { library().H5Eset_auto2(0, function_, data_); }

}  // namespace lapwing::arrays::hdf5
