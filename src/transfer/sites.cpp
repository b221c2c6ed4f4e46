// SPDX-License-Identifier: Apache-2.0
#include "transfer/sites.hpp"

#include <algorithm>

namespace lapwing::transfer {

Site& Sites::at(const void* address, const char* call) {
  const auto mixed =
      reinterpret_cast<std::uint64_t>(address) * 0x9e3779b97f4a7c15u ^ reinterpret_cast<std::uint64_t>(call);
  const auto [found, fresh] = index_.try_emplace(mixed, static_cast<std::uint32_t>(sites_.size()));
  if (fresh) {
    Site& site = sites_.emplace_back();
    site.address = address;
    site.call = call;
    site.key = found->second;
  }
  return sites_[found->second];
}

Learning::Way Learning::next(std::uint64_t now_ns, std::size_t bytes, bool optimistic) {
  if (last_ns_ != 0 && last_counts_) {
    // The period that ends now belongs to the way that began it. Per byte, as
    // sizes of one class still differ by up to a factor of two.
    const auto way = static_cast<unsigned>(last_way_);
    kept_[way][taken_[way]++ % samples] = static_cast<double>(now_ns - last_ns_) / static_cast<double>(bytes);
  }
  Way way;
  const unsigned trial = calls_ % (trial_calls + retry_after);
  if (trial < trial_calls) {
    const bool first_half = (trial / block) % 2 == 0;
    way = first_half == optimistic ? Way::stripped : Way::plain;
    // The first call of a block still carries the other way's consequences.
    last_counts_ = trial % block != 0;
  } else {
    if (trial == trial_calls) judge();
    way = best_;
    last_counts_ = false;
  }
  ++calls_;
  last_ns_ = now_ns;
  last_way_ = way;
  return way;
}

void Learning::judge() {
  double median[2];
  for (unsigned way = 0; way < 2; ++way) {
    const unsigned count = std::min(taken_[way], samples);
    if (count < 3) return;  // not enough to overturn what was chosen
    double sorted[samples];
    std::copy_n(kept_[way], count, sorted);
    std::sort(sorted, sorted + count);
    median[way] = sorted[count / 2];
  }
  // It has to pay, not merely to break even.
  best_ = median[1] < 0.98 * median[0] ? Way::stripped : Way::plain;
}

const char* Learning::verdict() const {
  if (!settled()) return "learning";
  return best_ == Way::stripped ? "hides" : "stands aside";
}

}  // namespace lapwing::transfer
