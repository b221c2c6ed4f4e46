// SPDX-License-Identifier: Apache-2.0
#include "sets/circle_make.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "sets/messages.hpp"

namespace lapwing::sets {
namespace {

// The members of a group, and two leaders, agree on these: no number of a call that
// makes something (made_id) is like these.
constexpr std::uint64_t of_a_group = ~std::uint64_t{0}, of_a_pair = of_a_group - 1;

std::uint64_t made_id(const Circle& parent, std::uint64_t number, const std::vector<int>& members) {
  const int first = members.empty() ? 0 : *std::min_element(members.begin(), members.end());
  return mixed(mixed(parent.id, number + 1), static_cast<std::uint64_t>(first) + 1);
}

int position(const std::vector<int>& members) {
  const auto at = std::find(members.begin(), members.end(), Messages::rank());
  return at == members.end() ? -1 : static_cast<int>(at - members.begin());
}

}  // namespace

std::vector<int> world_ranks(MPI_Group group) {
  static MPI_Group world = [] {
    MPI_Group g;
    PMPI_Comm_group(MPI_COMM_WORLD, &g);
    return g;
  }();
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), translated(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (size > 0) PMPI_Group_translate_ranks(group, size, ranks.data(), world, translated.data());
  if (std::find(translated.begin(), translated.end(), MPI_UNDEFINED) != translated.end()) translated.clear();
  return translated;
}

Members members_of(MPI_Comm comm) {
  Members members;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  members.inter = inter != 0;
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  members.all = members.peers = world_ranks(group);
  PMPI_Group_free(&group);
  if (!inter) return members;
  PMPI_Comm_remote_group(comm, &group);
  members.peers = world_ranks(group);
  PMPI_Group_free(&group);
  if (members.all.empty() || members.peers.empty()) {
    members.all.clear();
    return members;
  }
  members.first_side = *std::min_element(members.all.begin(), members.all.end()) <
                       *std::min_element(members.peers.begin(), members.peers.end());
  members.all.insert(members.first_side ? members.all.end() : members.all.begin(), members.peers.begin(),
                     members.peers.end());
  return members;
}

void make_world_circles() {
  std::vector<int> everybody(static_cast<std::size_t>(Messages::processes()));
  std::iota(everybody.begin(), everybody.end(), 0);
  Circle* world = Circles::add(1, everybody, Messages::rank());
  world->peers = everybody;
  world->comm = MPI_COMM_WORLD;
  world->name = "MPI_COMM_WORLD";
  Circles::bind(MPI_COMM_WORLD, world);
  Circle* self = Circles::add(mixed(2, static_cast<std::uint64_t>(Messages::rank())), {Messages::rank()}, 0);
  self->peers = self->members;
  self->comm = MPI_COMM_SELF;
  self->name = "MPI_COMM_SELF";
  Circles::bind(MPI_COMM_SELF, self);
}

Circle* group_circle(const Circle& parent, MPI_Group group) {
  if (group == MPI_GROUP_NULL) return nullptr;
  std::vector<int> members = world_ranks(group);
  const int me = position(members);
  if (me < 0) return nullptr;
  std::uint64_t id = mixed(parent.id, of_a_group);
  for (const int rank : members) id = mixed(id, static_cast<std::uint64_t>(rank) + 1);
  Circle* circle = Circles::add(id, std::move(members), me);
  if (circle->name.empty()) circle->name = "a group of " + parent.described();
  return circle;
}

Circle* pair_circle(const Circle& peers, int other, int tag) {
  const int here = Messages::rank();
  if (other == here) return nullptr;
  const std::vector<int> both{std::min(here, other), std::max(here, other)};
  std::uint64_t id = mixed(mixed(peers.id, of_a_pair), static_cast<std::uint32_t>(tag) + std::uint64_t{1});
  for (const int rank : both) id = mixed(id, static_cast<std::uint64_t>(rank) + 1);
  Circle* circle = Circles::add(id, both, both[0] == here ? 0 : 1);
  circle->name = "the two leaders, with tag " + std::to_string(tag) + ", on " + peers.described();
  return circle;
}

std::uint64_t id_of_both_sides(const Circle& parent, std::uint64_t number, MPI_Comm comm) {
  // Strangers may not be asked: they may not be checked.
  if (position(members_of(comm).all) < 0) return 0;
  // The two sides know it by what each has called; now they can tell.
  std::uint64_t mine = mixed(parent.id, number + 1), theirs = 0;
  PMPI_Allreduce(&mine, &theirs, 1, MPI_UINT64_T, MPI_MIN, comm);
  return mixed(std::min(mine, theirs), std::max(mine, theirs));
}

Circle* comm_circle(const Circle& parent, std::uint64_t number, MPI_Comm comm, const Told& maker,
                    std::uint64_t agreed_id) {
  Members members = members_of(comm);
  const int me = position(members.all);
  if (me < 0) return nullptr;
  const std::uint64_t id = agreed_id != 0 ? agreed_id : made_id(parent, number, members.all);
  Circle* circle = Circles::add(id, std::move(members.all), me);
  circle->peers = std::move(members.peers);
  circle->inter = members.inter;
  circle->first_side = members.first_side;
  circle->comm = comm;
  circle->maker = maker;
  Circles::bind(comm, circle);
  return circle;
}

Circle* object_circle(const Circle& parent, std::uint64_t number, const Told& maker) {
  Circle* circle = Circles::add(made_id(parent, number, parent.members), parent.members, parent.me);
  circle->inter = parent.inter;
  circle->maker = maker;
  return circle;
}

Circle* twin_circle(const Circle& parent, std::uint64_t number, MPI_Comm comm, const Told& maker) {
  Circle* circle = object_circle(parent, number, maker);
  circle->peers = parent.peers;
  circle->first_side = parent.first_side;
  circle->comm = comm;
  Circles::bind(comm, circle);
  return circle;
}

}  // namespace lapwing::sets
