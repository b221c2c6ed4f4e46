// SPDX-License-Identifier: Apache-2.0
// The functions of HDF5 that arrays in its files need, found when the first such file is used: in the
// program, or in the system's library. Lapwing is built without HDF5. Names and numbers are those of its
// documented C interface, 1.10 and later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace lapwing::arrays::hdf5 {

using Id = std::int64_t;
using Size = unsigned long long;
inline constexpr Size no_address = static_cast<Size>(-1);

enum : unsigned { read_only = 0, read_write = 1, must_be_new = 4 };  // H5F_ACC_*
enum Layout : int { compact = 0, contiguous = 1, chunked = 2 };      // H5D_layout_t
enum : int { early = 1, never_filled = 1 };           // H5D_ALLOC_TIME_EARLY, H5D_FILL_TIME_NEVER
enum : int { opaque_class = 5, compound_class = 6 };  // H5T_class_t
enum : int { scalar_space = 0, select_these = 0 };    // H5S_SCALAR, H5S_SELECT_SET

// result, name, arguments
#define LAPWING_HDF5_FUNCTIONS(F)                                                            \
  F(int, H5open, (void))                                                                     \
  F(int, H5get_libversion, (unsigned*, unsigned*, unsigned*))                                \
  F(int, H5Eget_auto2, (Id, void**, void**))                                                 \
  F(int, H5Eset_auto2, (Id, void*, void*))                                                   \
  F(Id, H5Fcreate, (const char*, unsigned, Id, Id))                                          \
  F(Id, H5Fopen, (const char*, unsigned, Id))                                                \
  F(int, H5Fclose, (Id))                                                                     \
  F(Id, H5Dcreate2, (Id, const char*, Id, Id, Id, Id, Id))                                   \
  F(Id, H5Dopen2, (Id, const char*, Id))                                                     \
  F(int, H5Dclose, (Id))                                                                     \
  F(Id, H5Dget_space, (Id))                                                                  \
  F(Id, H5Dget_type, (Id))                                                                   \
  F(Id, H5Dget_create_plist, (Id))                                                           \
  F(Size, H5Dget_offset, (Id))                                                               \
  F(int, H5Dread, (Id, Id, Id, Id, Id, void*))                                               \
  F(Id, H5Screate, (int))                                                                    \
  F(Id, H5Screate_simple, (int, const Size*, const Size*))                                   \
  F(int, H5Sget_simple_extent_ndims, (Id))                                                   \
  F(int, H5Sget_simple_extent_dims, (Id, Size*, Size*))                                      \
  F(int, H5Sselect_hyperslab, (Id, int, const Size*, const Size*, const Size*, const Size*)) \
  F(int, H5Sclose, (Id))                                                                     \
  F(Id, H5Tcreate, (int, std::size_t))                                                       \
  F(int, H5Tinsert, (Id, const char*, std::size_t, Id))                                      \
  F(Id, H5Tcopy, (Id))                                                                       \
  F(int, H5Tequal, (Id, Id))                                                                 \
  F(int, H5Tclose, (Id))                                                                     \
  F(Id, H5Pcreate, (Id))                                                                     \
  F(int, H5Pset_layout, (Id, int))                                                           \
  F(int, H5Pset_alloc_time, (Id, int))                                                       \
  F(int, H5Pset_fill_time, (Id, int))                                                        \
  F(int, H5Pset_create_intermediate_group, (Id, unsigned))                                   \
  F(int, H5Pget_layout, (Id))                                                                \
  F(int, H5Pget_external_count, (Id))                                                        \
  F(int, H5Pclose, (Id))

struct Library {
#define LAPWING_HDF5_MEMBER(RESULT, NAME, ARGUMENTS) RESULT(*NAME) ARGUMENTS = nullptr;
  LAPWING_HDF5_FUNCTIONS(LAPWING_HDF5_MEMBER)
#undef LAPWING_HDF5_MEMBER
  std::string why;  ///< it cannot be used; "" where it can

  /// A predefined type or class of properties: the value of that variable.
  Id predefined(const char* name) const;

 private:
  void* where_ = nullptr;
  Library();
  friend const Library& library();
};

/// Looks for it once in a process.
const Library& library();

/// While it lives HDF5 prints no errors of its own.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  void *function_ = nullptr, *data_ = nullptr;
};

/// An object of HDF5's, closed at the end.
class Object {
 public:
  using Close = int (*)(Id);
  Object() = default;
  Object(Id id, Close close) : id_(id), close_(close) {}
  Object(Object&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Object& operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Object() { close(); }
  /// Whether that went well; true where there is none.
  bool close() {
    const bool well = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return well;
  }
  Id id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace lapwing::arrays::hdf5
