// SPDX-License-Identifier: Apache-2.0
// Which record of a profile an engine takes, and the sizes that follow for each kind of destination.
#include "transfer/decisions/sizes.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "machine/costs_support.hpp"
#include "machine/profile.hpp"
#include "mpi/product.hpp"

namespace lapwing::transfer {
namespace {

using guard::Backend;

machine::Key key_here(machine::Link link) {
  std::vector<char> text(1 << 16);
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return {link, machine::this_machine(), mpi::product_of(text.data()), mpi::chosen_transport()};
}

class Sizes : public testing::Test {
 protected:
  ~Sizes() override { std::remove(settings.profile.c_str()); }

  void keep(machine::Key key, const machine::Costs& costs) {
    settings.profile = testing::TempDir() + "lapwing-sizes-" + std::to_string(getpid());
    profile.keep({std::move(key), "2026-11-26", costs});
    std::string why;
    ASSERT_TRUE(machine::write_profile(settings.profile, profile, &why)) << why;
  }
  machine::Thresholds for_network(const KnownCosts& known, Backend backend = Backend::userfaultfd) {
    return sizes_for(settings, known.network, backend, false, true);
  }
  machine::Thresholds for_node(const KnownCosts& known, bool spare_core) {
    return sizes_for(settings, known.node, Backend::userfaultfd, true, spare_core);
  }

  Settings settings;
  machine::Profile profile;
  const machine::Costs gigabit = machine::link_of(8.5, 0.3), memory = machine::link_of(0.15, 0.12);
  const machine::Thresholds defaults;
};

TEST_F(Sizes, DefaultsWithoutAProfile) {
  const KnownCosts known = known_costs(settings);
  EXPECT_FALSE(known.node || known.network);
  EXPECT_TRUE(known.unreadable.empty());
  EXPECT_EQ(for_network(known).guard, defaults.guard);
  EXPECT_EQ(for_node(known, false).strip, defaults.strip);
  EXPECT_EQ(for_node(known, false).first, defaults.first);
}

TEST_F(Sizes, EachKindOfDestinationHasItsOwn) {
  keep(key_here(machine::Link::node), memory);
  keep(key_here(machine::Link::network), gigabit);
  const KnownCosts known = known_costs(settings);
  ASSERT_TRUE(known.node && known.network) << known.unreadable << known.node_other << known.network_other;
  EXPECT_LT(for_network(known).strip, defaults.strip);
  EXPECT_EQ(for_node(known, false).guard, machine::never);
  EXPECT_EQ(for_node(known, false).strip, machine::never);
  EXPECT_NE(for_node(known, true).guard, machine::never);
}

TEST_F(Sizes, ARecordOfOneLinkSaysNothingOfTheOther) {
  keep(key_here(machine::Link::network), gigabit);
  const KnownCosts known = known_costs(settings);
  EXPECT_TRUE(known.network);
  EXPECT_FALSE(known.node);
  EXPECT_TRUE(known.node_other.empty());
  EXPECT_EQ(for_node(known, false).guard, defaults.guard);
}

TEST_F(Sizes, GuardsHaveCostsOfTheirOwn) {
  machine::Costs costs = gigabit;
  costs.mprotect.fault_us = 4000;
  keep(key_here(machine::Link::network), costs);
  const KnownCosts known = known_costs(settings);
  EXPECT_GT(for_network(known, Backend::mprotect).guard, for_network(known, Backend::userfaultfd).guard);
}

TEST_F(Sizes, ThoseOfTheUserStandOverAnyProfile) {
  keep(key_here(machine::Link::network), gigabit);
  settings.guard_threshold = 1 << 20;
  settings.guard_given = true;
  const machine::Thresholds sizes = for_network(known_costs(settings));
  EXPECT_EQ(sizes.guard, 1u << 20);
  EXPECT_GE(sizes.strip, sizes.guard);
  EXPECT_EQ(sizes.first, for_network(known_costs(settings)).first);
}

TEST_F(Sizes, AnotherMachineIsRefusedInOneSentence) {
  machine::Key other = key_here(machine::Link::network);
  other.machine.kernel = "2.6.18";
  keep(other, gigabit);
  const KnownCosts known = known_costs(settings);
  EXPECT_FALSE(known.network);
  EXPECT_NE(known.network_other.find("another kernel (2.6.18"), std::string::npos) << known.network_other;
  EXPECT_NE(known.network_other.find("lapwing tune"), std::string::npos);
  EXPECT_EQ(for_network(known).guard, defaults.guard);
}

TEST_F(Sizes, AnotherMpiAndAnotherTransportAreRefused) {
  machine::Key other = key_here(machine::Link::network);
  other.mpi = "MPICH 1.0";
  keep(other, gigabit);
  EXPECT_NE(known_costs(settings).network_other.find("another MPI (MPICH 1.0"), std::string::npos);
  machine::Key nearer = key_here(machine::Link::network);
  nearer.transport = "UCX_TLS=carrier_pigeon";
  keep(nearer, gigabit);
  EXPECT_NE(known_costs(settings).network_other.find("another transport (UCX_TLS=carrier"), std::string::npos)
      << "of several records the nearest one says what differs";
}

TEST_F(Sizes, AFileThatIsNoProfileIsRefused) {
  settings.profile = "/nonexistent/profile";
  const KnownCosts known = known_costs(settings);
  EXPECT_NE(known.unreadable.find("/nonexistent/profile cannot be read"), std::string::npos);
  EXPECT_FALSE(known.node || known.network);
}

}  // namespace
}  // namespace lapwing::transfer
