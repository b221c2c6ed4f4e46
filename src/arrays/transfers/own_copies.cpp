// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/own_copies.hpp"

#include <algorithm>

#include "arrays/schedules/pack.hpp"

namespace lapwing::arrays {

void OwnCopies::add(const Part& from, const Part& to) {
  if (from.bytes() == 0) return;
  copies_.emplace_back(from, to);
  total_ += from.bytes();
}

void OwnCopies::prepare() {
  for (const auto& [from, to] : copies_) kept_.emplace_back(from.piece, to.piece);
}

bool OwnCopies::step() {
  if (done()) return false;
  const std::uint64_t begin = steps_.now();
  const auto& [from, to] = copies_[part_];
  std::int64_t count = whole_rows(*from.piece, from_, std::max<std::int64_t>(1, strip_size / from.wire));
  count = std::min(count, from.piece->elements - from_);
  copy_between(*from.piece, from.local, *to.piece, to.local, from_, count);
  copied_ += count * from.wire;
  from_ += count;
  if (from_ == from.piece->elements) {
    ++part_;
    from_ = 0;
  }
  steps_.add(&StepTimes::packing, begin);
  return true;
}

void OwnCopies::all() {
  if (done()) return;
  const std::uint64_t begin = steps_.now();
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const auto& [from, to] = copies_[i];
    if (kept_.empty())
      copy_between(*from.piece, from.local, *to.piece, to.local);
    else
      kept_[i].move(from.local, to.local);
  }
  part_ = copies_.size();
  copied_ = total_;
  steps_.add(&StepTimes::packing, begin);
}

// Panels are not copied in the order of the wire.
void OwnCopies::landed(std::vector<Landed>* out) const {
  for (std::size_t p = part_; p < copies_.size(); ++p) {
    const Piece* piece = copies_[p].second.piece;
    out->push_back({piece, p == part_ && piece->panel == 0 ? from_ : 0});
  }
}

}  // namespace lapwing::arrays
