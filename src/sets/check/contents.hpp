// SPDX-License-Identifier: Apache-2.0
// Of which basic types the messages of a channel are: what was sent as one type
// must be received as that type, however the datatypes are built.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lapwing::sets {

/// The basic type of which all of a datatype's elements are; size 0 where they
/// are of several, or may stand for anything.
struct Element {
  std::uint64_t value = 0;
  int size = 0;
  const char* name = "";  ///< of the datatype: lives on
};

/// Cheap for basic types; a derived one is looked into.
Element element_of(MPI_Datatype type);
/// The bytes that a count of such a datatype holds.
std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type);
/// "4 MPI_INT", "2 of a derived type"
std::string amount_text(std::int64_t count, const std::string& type);

/// The data that went through a channel in one direction.
class Contents {
 public:
  /// The messages of one basic type, and the call that was the first with it.
  struct Part {
    std::uint64_t value = 0, bytes = 0;
    std::int64_t count = 0;
    const char* type = "";
    const char* call = "";
    const void* returns_to = nullptr;
  };

  void add(const Element& element, std::uint64_t bytes, const Part& first);
  /// Something went through of which the types are not known.
  void forget() { known_ = false; }
  bool known() const { return known_; }
  const std::vector<Part>& parts() const { return parts_; }
  const Part* find(std::uint64_t value) const;

 private:
  std::vector<Part> parts_;
  bool known_ = true;
};

}  // namespace lapwing::sets
