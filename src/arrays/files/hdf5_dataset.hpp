// SPDX-License-Identifier: Apache-2.0
// A dataset of an HDF5 file, as one process makes it or finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrays/files/hdf5_library.hpp"
#include "arrays/schedules/element.hpp"

namespace lapwing::arrays::hdf5 {

/// The type of a dataset's elements, and its extents in C's order.
struct Content {
  ElementType type = ElementType::float64;
  std::int64_t opaque_bytes = 0;
  std::vector<std::int64_t> extents;
};

class Dataset {
 public:
  /// Makes it, and its groups, and the file where there is none; or takes one that is there and holds the
  /// same in one run of bytes. "" or why not.
  std::string create(const std::string& path, const std::string& name, const Content& content);
  /// Finds it. It has these extents and a type that HDF5 converts.
  std::string open(const std::string& path, const std::string& name, const Content& content);

  /// Where its elements lie in the file one after the other, as in memory; -1 where they do not, or where
  /// there are none.
  std::int64_t place() const { return place_; }
  /// A box of its elements, converted to the content's type. After open().
  std::string read(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                   void* to) const;
  /// The file then has all that HDF5 has kept of it. "" or why not.
  std::string close();

 private:
  std::string look(const Content& content);
  std::string failed(const std::string& what) const;

  std::string path_, name_;
  Object file_, type_, dataset_;
  std::int64_t place_ = -1;
  bool same_type_ = false;
};

}  // namespace lapwing::arrays::hdf5
