// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/datatypes.hpp"

#include <algorithm>

namespace lapwing::arrays {
namespace {

// A struct of types at displacements in bytes, which it takes over.
struct Members {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;

  void add(MPI_Datatype type, MPI_Aint place) {
    types.push_back(type);
    places.push_back(place);
  }
  MPI_Datatype make() {
    const std::vector<int> ones(types.size(), 1);
    MPI_Datatype made;
    PMPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &made);
    for (MPI_Datatype& type : types) PMPI_Type_free(&type);
    return made;
  }
};

// `count` of a type that is taken over, `stride` bytes apart.
MPI_Datatype repeat(std::int64_t count, MPI_Aint stride, MPI_Datatype type) {
  MPI_Datatype made;
  PMPI_Type_create_hvector(static_cast<int>(count), 1, stride, type, &made);
  PMPI_Type_free(&type);
  return made;
}

MPI_Datatype copy_of(MPI_Datatype type) {
  MPI_Datatype made;
  PMPI_Type_dup(type, &made);
  return made;
}

// The elements that one dimension selects, each of them an `inner`.
MPI_Datatype select(const IndexSet& set, MPI_Aint place, MPI_Datatype inner) {
  Members members;
  for (const Falls& falls : set.members()) {
    Members families;
    for (const Segments& family : falls.inner) {
      const MPI_Datatype segment = repeat(family.length, set.step() * place, copy_of(inner));
      families.add(repeat(family.count, family.local_stride * place, segment), family.local * place);
    }
    members.add(repeat(falls.count, falls.local_stride * place, families.make()), falls.local * place);
  }
  PMPI_Type_free(&inner);
  return members.make();
}

bool listed(const PieceDimension& dimension) {
  const auto& members = dimension.set->members();
  return std::any_of(members.begin(), members.end(),
                     [](const Falls& falls) { return !falls.listed.empty(); });
}

// Open MPI 4.1 takes a vector whose elements lie one before the other for one whose elements follow.
bool backwards(const PieceDimension& dimension) {
  const IndexSet& set = *dimension.set;
  if (set.elements() > 1 && set.step() * dimension.stride < 0) return true;
  return std::any_of(set.members().begin(), set.members().end(), [](const Falls& falls) {
    return (falls.count > 1 && falls.local_stride < 0) ||
           std::any_of(falls.inner.begin(), falls.inner.end(),
                       [](const Segments& family) { return family.count > 1 && family.local_stride < 0; });
  });
}

// Beyond, to make a datatype of each costs more than to pack them.
constexpr std::int64_t most_families = 4096;

}  // namespace

// Bytes as they are cannot be converted on their way, and a transposition in
// panels is no product of dimensions. Both sides have the same panels.
bool fits_datatype(const Piece& piece) {
  return piece.wire == piece.local && piece.panel == 0 &&
         std::none_of(piece.dimensions.begin(), piece.dimensions.end(), [](const PieceDimension& dimension) {
           return backwards(dimension) || listed(dimension) || dimension.set->families() > most_families;
         });
}

MPI_Datatype make_datatype(const std::vector<Part>& parts) {
  Members all;
  for (const Part& part : parts) {
    const Piece& piece = *part.piece;
    if (piece.elements == 0) continue;
    MPI_Datatype type;
    PMPI_Type_contiguous(static_cast<int>(piece.local_bytes), MPI_BYTE, &type);
    for (auto dimension = piece.dimensions.rbegin(); dimension != piece.dimensions.rend(); ++dimension)
      type = select(*dimension->set, dimension->stride * piece.local_bytes, type);
    MPI_Aint address;
    PMPI_Get_address(part.local + piece.base * piece.local_bytes, &address);
    all.add(type, address);
  }
  MPI_Datatype made = all.make();
  PMPI_Type_commit(&made);
  return made;
}

}  // namespace lapwing::arrays
