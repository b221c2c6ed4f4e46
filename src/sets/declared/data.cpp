// SPDX-License-Identifier: Apache-2.0
#include "sets/declared/data.hpp"

#include <algorithm>
#include <cstring>

#include "sets/messages.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::sets::declared {

Layout::Layout(int count, MPI_Datatype type) : count_(count), type_(type) {
  int size = 0;
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  bytes_ = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  dense_ = true_lower == 0 && true_extent == size && (extent == size || count == 1);
  const MPI_Aint furthest = count > 0 ? (count - 1) * extent : 0;
  first_ = true_lower + std::min<MPI_Aint>(furthest, 0);
  last_ = true_lower + true_extent + std::max<MPI_Aint>(furthest, 0);
  if (count == 0 || size == 0) first_ = last_ = 0;
  if (!transfer::is_predefined(type)) {
    PMPI_Type_dup(type, &type_);
    own_ = true;
  }
  if (!dense_) {
    int packed = 0;
    PMPI_Pack_size(count, type, Messages::world(), &packed);
    packed_ = static_cast<std::size_t>(packed);
  }
}

Layout::~Layout() {
  if (own_) PMPI_Type_free(&type_);
}

Range Layout::range(const void* buffer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  return {address + static_cast<std::uintptr_t>(first_), address + static_cast<std::uintptr_t>(last_)};
}

std::size_t Layout::pack(const void* buffer, char* bytes) const {
  if (dense_) {
    std::memcpy(bytes, buffer, bytes_);
    return bytes_;
  }
  int position = 0;
  PMPI_Pack(buffer, count_, type_, bytes, static_cast<int>(packed_), &position, Messages::world());
  return static_cast<std::size_t>(position);
}

void Layout::unpack(const char* bytes, std::size_t size, void* buffer) const {
  if (dense_) {
    std::memcpy(buffer, bytes, bytes_);
    return;
  }
  int position = 0;
  PMPI_Unpack(bytes, static_cast<int>(size), &position, buffer, count_, type_, Messages::world());
}

Block::Block(const Layout& layout)
    : memory_(new char[static_cast<std::size_t>(layout.last_ - layout.first_) + 1]),
      buffer_(memory_.get() - layout.first_) {}

void Block::fill(const Layout& layout, const void* buffer) {
  std::memcpy(memory_.get(), static_cast<const char*>(buffer) + layout.first_,
              static_cast<std::size_t>(layout.last_ - layout.first_));
}

}  // namespace lapwing::sets::declared
