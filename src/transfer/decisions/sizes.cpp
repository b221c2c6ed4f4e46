// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/sizes.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "machine/profile.hpp"
#include "mpi/product.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {
namespace {

static_assert(machine::header_travels == header_bytes && machine::header_begins == edge_bytes);

// Members of a family have texts of different greatest lengths.
std::string library_version() {
  std::vector<char> text(1 << 16);
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return text.data();
}

std::string refusal(const std::string& path, const std::string& difference) {
  return difference.empty() ? std::string()
                            : fmt::format(
                                  "the profile {} was measured {}, so sizes keep their defaults; measure "
                                  "here with `lapwing tune`",
                                  path, difference);
}

}  // namespace

KnownCosts known_costs(const Settings& settings) {
  KnownCosts known;
  if (settings.profile.empty()) return known;
  machine::Profile profile;
  if (!machine::read_profile(settings.profile, &profile, &known.unreadable)) return known;
  machine::Key key{machine::Link::node, machine::this_machine(), mpi::product_of(library_version()),
                   mpi::chosen_transport()};
  std::string differs;
  if (const machine::Measured* found = profile.find(key, &differs)) known.node = found->costs;
  known.node_other = refusal(settings.profile, differs);
  differs.clear();
  key.link = machine::Link::network;
  if (const machine::Measured* found = profile.find(key, &differs)) known.network = found->costs;
  known.network_other = refusal(settings.profile, differs);
  return known;
}

machine::Thresholds sizes_for(const Settings& settings, const std::optional<machine::Costs>& costs,
                              guard::Backend backend, bool same_node, bool spare_core) {
  machine::Thresholds sizes{settings.guard_threshold, settings.strip_threshold, settings.strip_first};
  if (!costs) return sizes;
  const machine::Circumstances in{same_node, spare_core && costs->spare_cores > 0, 0};
  const machine::GuardCosts& guard =
      backend == guard::Backend::userfaultfd ? costs->userfaultfd : costs->mprotect;
  const machine::Thresholds measured = machine::thresholds_of(*costs, guard, in);
  if (!settings.guard_given) sizes.guard = measured.guard;
  if (!settings.strip_given) sizes.strip = measured.strip;
  if (!settings.first_given) sizes.first = measured.first;
  sizes.strip = std::max(sizes.strip, sizes.guard);
  return sizes;
}

}  // namespace lapwing::transfer
