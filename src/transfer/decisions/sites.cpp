// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/sites.hpp"

#include "transfer/accounts/places.hpp"

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
    if (hints_) site.hints = hints_->find(place_of(address));
  }
  return sites_[found->second];
}

}  // namespace lapwing::transfer
