// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/hdf5_dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lapwing::arrays::hdf5 {
namespace {

const char* predefined_of(ElementType type) {
  constexpr const char* names[] = {"H5T_NATIVE_INT8_g",   "H5T_NATIVE_UINT8_g",  "H5T_NATIVE_INT16_g",
                                   "H5T_NATIVE_UINT16_g", "H5T_NATIVE_INT32_g",  "H5T_NATIVE_UINT32_g",
                                   "H5T_NATIVE_INT64_g",  "H5T_NATIVE_UINT64_g", "H5T_NATIVE_FLOAT_g",
                                   "H5T_NATIVE_DOUBLE_g", "H5T_NATIVE_LDOUBLE_g"};
  switch (type) {
    case ElementType::complex64:
      return names[static_cast<int>(ElementType::float32)];
    case ElementType::complex128:
      return names[static_cast<int>(ElementType::float64)];
    case ElementType::complex_long_double:
      return names[static_cast<int>(ElementType::long_double)];
    default:
      return names[static_cast<int>(type)];
  }
}

// Complex numbers are pairs of r and i, as h5py has them.
Object type_of(const Content& content) {
  const Library& h5 = library();
  const auto size =
      static_cast<std::size_t>(content.opaque_bytes != 0 ? content.opaque_bytes : size_of(content.type));
  if (content.type == ElementType::opaque) return {h5.H5Tcreate(opaque_class, size), h5.H5Tclose};
  const Id part = h5.predefined(predefined_of(content.type));
  if (content.type < ElementType::complex64) return {h5.H5Tcopy(part), h5.H5Tclose};
  Object made(h5.H5Tcreate(compound_class, size), h5.H5Tclose);
  h5.H5Tinsert(made.id(), "r", 0, part);
  h5.H5Tinsert(made.id(), "i", size / 2, part);
  return made;
}

std::vector<Size> sizes(const std::vector<std::int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

Object space_of(const std::vector<std::int64_t>& extents) {
  const Library& h5 = library();
  if (extents.empty()) return {h5.H5Screate(scalar_space), h5.H5Sclose};
  return {h5.H5Screate_simple(static_cast<int>(extents.size()), sizes(extents).data(), nullptr), h5.H5Sclose};
}

std::string shown(const std::vector<std::int64_t>& extents) {
  return fmt::format("({})", fmt::join(extents, ", "));
}

}  // namespace

std::string Dataset::failed(const std::string& what) const {
  return fmt::format("the dataset {} of the file {} {}", name_, path_, what);
}

std::string Dataset::create(const std::string& path, const std::string& name, const Content& content) {
  const Library& h5 = library();
  path_ = path;
  name_ = name;
  const bool there = access(path.c_str(), F_OK) == 0;
  errno = 0;
  file_ = {there ? h5.H5Fopen(path.c_str(), read_write, 0) : h5.H5Fcreate(path.c_str(), must_be_new, 0, 0),
           h5.H5Fclose};
  if (!file_) {
    if (there && access(path.c_str(), W_OK) == 0)
      return fmt::format(
          "the file {} is there, and HDF5 cannot open it for writing: it is no file of HDF5's, or another "
          "program has it",
          path);
    return fmt::format("the file {} cannot be opened for writing: {}", path,
                       errno != 0 ? std::strerror(errno) : "HDF5 does not say why");
  }
  dataset_ = {h5.H5Dopen2(file_.id(), name.c_str(), 0), h5.H5Dclose};
  if (dataset_) {
    if (const std::string why = look(content); !why.empty()) return why;
    if (place_ < 0 && !content.extents.empty() &&
        std::find(content.extents.begin(), content.extents.end(), 0) == content.extents.end())
      return failed(
          same_type_
              ? "is there already, in chunks or compressed; elements are written in one run of bytes only"
              : "is there already, with elements of another type");
    return "";
  }
  type_ = type_of(content);
  const Object space = space_of(content.extents);
  const Object links(h5.H5Pcreate(h5.predefined("H5P_CLS_LINK_CREATE_ID_g")), h5.H5Pclose);
  const Object how(h5.H5Pcreate(h5.predefined("H5P_CLS_DATASET_CREATE_ID_g")), h5.H5Pclose);
  h5.H5Pset_create_intermediate_group(links.id(), 1);
  h5.H5Pset_layout(how.id(), contiguous);
  h5.H5Pset_alloc_time(how.id(), early);
  h5.H5Pset_fill_time(how.id(), never_filled);
  dataset_ = {h5.H5Dcreate2(file_.id(), name.c_str(), type_.id(), space.id(), links.id(), how.id(), 0),
              h5.H5Dclose};
  if (!dataset_) return failed("cannot be made: part of its name is no group, or there is no room");
  return look(content);
}

std::string Dataset::open(const std::string& path, const std::string& name, const Content& content) {
  const Library& h5 = library();
  path_ = path;
  name_ = name;
  if (access(path.c_str(), R_OK) != 0)
    return fmt::format("the file {} cannot be opened for reading: {}", path, std::strerror(errno));
  file_ = {h5.H5Fopen(path.c_str(), read_only, 0), h5.H5Fclose};
  if (!file_)
    return fmt::format(
        "the file {} cannot be opened by HDF5: it is no file of HDF5's, or another program has it", path);
  dataset_ = {h5.H5Dopen2(file_.id(), name.c_str(), 0), h5.H5Dclose};
  if (!dataset_) return fmt::format("the file {} has no dataset {}", path, name);
  return look(content);
}

std::string Dataset::look(const Content& content) {
  const Library& h5 = library();
  const Object space(h5.H5Dget_space(dataset_.id()), h5.H5Sclose);
  const int dimensions = h5.H5Sget_simple_extent_ndims(space.id());
  std::vector<Size> found(static_cast<std::size_t>(dimensions > 0 ? dimensions : 0));
  if (dimensions > 0) h5.H5Sget_simple_extent_dims(space.id(), found.data(), nullptr);
  const std::vector<std::int64_t> extents(found.begin(), found.end());
  if (dimensions < 0 || extents != content.extents)
    return failed(fmt::format("has the shape {}, and the array {}", shown(extents), shown(content.extents)));
  type_ = type_of(content);
  const Object type(h5.H5Dget_type(dataset_.id()), h5.H5Tclose);
  same_type_ = h5.H5Tequal(type.id(), type_.id()) > 0;
  const Object how(h5.H5Dget_create_plist(dataset_.id()), h5.H5Pclose);
  const Size place = h5.H5Dget_offset(dataset_.id());
  const bool plain =
      same_type_ && h5.H5Pget_layout(how.id()) == contiguous && h5.H5Pget_external_count(how.id()) == 0;
  place_ = plain && place != no_address ? static_cast<std::int64_t>(place) : -1;
  return "";
}

std::string Dataset::read(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                          void* to) const {
  const Library& h5 = library();
  const Object from(h5.H5Dget_space(dataset_.id()), h5.H5Sclose), memory = space_of(count);
  if (!count.empty())
    h5.H5Sselect_hyperslab(from.id(), select_these, sizes(first).data(), nullptr, sizes(count).data(),
                           nullptr);
  if (h5.H5Dread(dataset_.id(), type_.id(), memory.id(), from.id(), 0, to) >= 0) return "";
  return failed("cannot be read: HDF5 does not convert its elements, lacks a filter, or finds it damaged");
}

std::string Dataset::close() {
  const bool well = dataset_.close();
  return file_.close() && well ? "" : failed("could not be brought into the file: there may be no room");
}

}  // namespace lapwing::arrays::hdf5
