// SPDX-License-Identifier: Apache-2.0
#include "sets/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "mpi/ending.hpp"
#include "sets/messages.hpp"
#include "sets/report/error_status.hpp"
#include "sets/run/run.hpp"

namespace lapwing::sets {
namespace {

constexpr int create_tag = 77;

std::unordered_map<std::uint64_t, unsigned>& born_so_far() {
  static std::unordered_map<std::uint64_t, unsigned> map;
  return map;
}
std::unordered_map<std::uint64_t, Family*>& by_identity() {
  static std::unordered_map<std::uint64_t, Family*> map;
  return map;
}

// The world's ranks of a communicator's members; false if one has none.
bool ranks_in_world(MPI_Comm comm, int size, std::vector<int>* world) {
  MPI_Group here, there;
  PMPI_Comm_group(comm, &here);
  PMPI_Comm_group(Messages::world(), &there);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  world->resize(ranks.size());
  PMPI_Group_translate_ranks(here, size, ranks.data(), there, world->data());
  PMPI_Group_free(&here);
  PMPI_Group_free(&there);
  return std::find(world->begin(), world->end(), MPI_UNDEFINED) == world->end();
}

}  // namespace

void fail(const std::string& sentence) {
  fmt::print(stderr, "lapwing: rank {}: {}.\n", Messages::rank(), sentence);
  mpi::end_job(error_status);
}

Family::Family(MPI_Comm of, std::vector<int> world, int size, int me)
    : table(size, me), stack(table.all()), comm(of), world_(std::move(world)) {}

Family::~Family() { by_identity().erase(id_); }

// Communicators of the same processes are told apart by the order in which their
// members make them, or first divide them.
std::uint64_t Family::identify() {
  std::uint64_t h = 0x51afd7ed558ccdffu;
  for (int r = 0; r < table.all()->size(); ++r) {
    h = (h ^ static_cast<unsigned>(world_rank(r))) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  id_ = (h + ++born_so_far()[h] * 0xc4ceb9fe1a85ec53u) | 1;
  by_identity()[id_] = this;
  return id_;
}

Family* Family::by_id(std::uint64_t id) {
  const auto found = by_identity().find(id);
  return found == by_identity().end() ? nullptr : found->second;
}

Family* Family::look_up(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || keyval_ == MPI_KEYVAL_INVALID) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval_, &value, &found);
  if (!found) return nullptr;
  at_hand.comm = comm;
  at_hand.last = static_cast<Family*>(value);
  return at_hand.last;
}

Family* Family::make_of(MPI_Comm comm) {
  if (Family* found = find(comm)) return found;
  if (comm == MPI_COMM_NULL) return nullptr;
  int inter = 0, size = 0, me = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) return nullptr;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &me);
  std::vector<int> world;
  if (size < 2 || !ranks_in_world(comm, size, &world)) return nullptr;
  bool same = true;
  for (int r = 0; r < size; ++r) same = same && world[static_cast<std::size_t>(r)] == r;
  if (same) world.clear();
  if (keyval_ == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval_, nullptr);
  auto* family = new Family(comm, std::move(world), size, me);
  PMPI_Comm_set_attr(comm, keyval_, family);
  alive_.push_back(family);
  return find(comm);
}

void Family::born(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  if (Family* family = of(comm)) {
    family->id();
    family->from_birth = true;
  }
}

int Family::on_free(MPI_Comm comm, int, void* value, void*) {
  auto* family = static_cast<Family*>(value);
  const std::lock_guard guard(Messages::lock());
  if (family->stack.divided()) {
    fail(fmt::format("{} is freed while it is divided by the split at {}; free it after that split's merge",
                     family->name(), describe(family->stack.place())));
  }
  family->free_comms();
  if (comm == at_hand.comm) at_hand.last = nullptr;
  if (at_hand.run) at_hand.run->unlist(family);
  std::erase(alive_, family);
  // Other processes may still ask for votes of its ballots, which need its sets.
  family->comm = MPI_COMM_NULL;
  if (family->open == 0 && family->waiting.empty()) delete family;
  return MPI_SUCCESS;
}

void Family::forget_all() {
  while (!alive_.empty()) {
    Family* family = alive_.back();
    family->stack = Stack(family->table.all());
    if (family->comm == MPI_COMM_WORLD || family->comm != MPI_COMM_NULL)
      PMPI_Comm_delete_attr(family->comm, keyval_);
  }
  at_hand.last = nullptr;
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
  if (set_keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&set_keyval_);
}

std::string Family::name() const {
  if (comm == MPI_COMM_WORLD) return "MPI_COMM_WORLD";
  char text[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_get_name(comm, text, &length);
  if (length > 0) return fmt::format("communicator '{}'", text);
  return fmt::format("a communicator of {} processes", table.all()->size());
}

std::string Family::list(const Membership& members) {
  std::string text;
  const std::vector<int> ranks = members.members();
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", ranks[i]);
    if (end > i) text += fmt::format("{}{}", end > i + 1 ? "-" : ", ", ranks[end]);
    i = end + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

[[gnu::hot]] SetComms& Family::comms(Set& set) {
  if (!set.extra) set.extra = std::make_unique<SetComms>();
  return static_cast<SetComms&>(*set.extra);
}

MPI_Comm Family::make(const Set& set) const {
  std::vector<int> ranks = set.members().members();
  for (int& r : ranks) r = world_rank(r);
  MPI_Group world, group;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(Messages::world(), &world);
  PMPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
  const int rc = PMPI_Comm_create_group(Messages::world(), group, create_tag, &made);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (rc != MPI_SUCCESS)
    fail(fmt::format("no communicator could be made for the set of {} of {}", list(set.members()), name()));
  return made;
}

MPI_Comm Family::comm_of(Set& set) {
  if (set.full()) return comm;
  SetComms& known = comms(set);
  if (known.comm != MPI_COMM_NULL) return known.comm;
  known.comm = make(set);
  known.ranks = set.members().members();
  made_.push_back(&known);
  known.family = this;
  known.set = &set;
  if (set_keyval_ == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &set_keyval_, nullptr);
  PMPI_Comm_set_attr(known.comm, set_keyval_, &known);
  // Errors of calls on the set are the program's affair, as on the parent.
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  PMPI_Comm_set_errhandler(known.comm, handler);
  if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN) PMPI_Errhandler_free(&handler);
  PMPI_Comm_set_name(known.comm,
                     fmt::format("set of {} of {}", list(set.members()), name()).substr(0, 100).c_str());
  return known.comm;
}

SetComms* Family::set_of(MPI_Comm comm) {
  if (set_keyval_ == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, set_keyval_, &value, &found);
  return found ? static_cast<SetComms*>(value) : nullptr;
}

MPI_Comm Family::twin_of(Set& set) {
  SetComms& known = comms(set);
  if (known.twin == MPI_COMM_NULL) {
    known.twin = make(set);
    made_.push_back(&known);
  }
  return known.twin;
}

void Family::free_comms() {
  for (SetComms* known : made_) {
    if (known->comm != MPI_COMM_NULL) PMPI_Comm_free(&known->comm);
    if (known->twin != MPI_COMM_NULL) PMPI_Comm_free(&known->twin);
  }
  made_.clear();
}

}  // namespace lapwing::sets
