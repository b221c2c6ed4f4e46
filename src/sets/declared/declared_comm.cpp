// SPDX-License-Identifier: Apache-2.0
#include "sets/declared/declared_comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "progress/locks.hpp"
#include "sets/messages.hpp"

namespace lapwing::sets::declared {
namespace {

std::map<std::uint64_t, std::unique_ptr<Comm>> open_comms;
int keyval = MPI_KEYVAL_INVALID;
std::uint32_t made_here = 0;

// Freed by the program, and not yet taken off the list of open ones: MPI calls
// back under a lock of its own, under which ours must not be taken.
progress::OwnedMutex freed_lock;
std::vector<std::uint64_t> freed LAPWING_GUARDED_BY(freed_lock);

int forget(MPI_Comm, int, void* attribute, void*) {
  const progress::Holding guard(freed_lock);
  freed.push_back(static_cast<Comm*>(attribute)->id());
  return MPI_SUCCESS;
}

void sweep() {
  const progress::Holding guard(freed_lock);
  for (const std::uint64_t id : freed) open_comms.erase(id);
  freed.clear();
}

}  // namespace

Comm::Comm(MPI_Comm comm, std::uint64_t id) : id_(id) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &rank_);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  world_.resize(ranks.size());
  MPI_Group here, all;
  PMPI_Comm_group(comm, &here);
  PMPI_Comm_group(Messages::world(), &all);
  PMPI_Group_translate_ranks(here, size, ranks.data(), all, world_.data());
  PMPI_Group_free(&here);
  PMPI_Group_free(&all);
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  name_ = length > 0 ? std::string(name, static_cast<std::size_t>(length))
                     : fmt::format("a communicator of {} processes", size);
}

void Comm::start() {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  open_comms[0].reset(new Comm(MPI_COMM_WORLD, 0));
}

void Comm::stop() {
  // Communicators that the program leaves open are forgotten when MPI frees them, or here.
  PMPI_Comm_free_keyval(&keyval);
  open_comms.erase(0);
}

std::string Comm::open(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return "the communicator is MPI_COMM_NULL";
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) return "the communicator is an intercommunicator; nothing can be declared on one";
  if (of(comm)) return {};
  // Its first process names it: no other process gives that name.
  std::uint64_t id = (static_cast<std::uint64_t>(Messages::rank()) + 1) << 32 | made_here++;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(&id, 1, MPI_UINT64_T, 0, comm, &request);
  Messages::wait([&] {
    int here = 0;
    PMPI_Test(&request, &here, MPI_STATUS_IGNORE);
    return here != 0;
  });
  const std::lock_guard guard(Messages::lock());
  sweep();
  Comm* made = new Comm(comm, id);
  open_comms[id].reset(made);
  const bool foreign = std::count(made->world_.begin(), made->world_.end(), MPI_UNDEFINED) > 0;
  if (foreign) return "the communicator has processes outside MPI_COMM_WORLD; nothing can be declared on it";
  PMPI_Comm_set_attr(comm, keyval, made);
  return {};
}

Comm* Comm::of(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return open_comms[0].get();
  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval, &attribute, &found);
  return found ? static_cast<Comm*>(attribute) : nullptr;
}

Comm* Comm::find(std::uint64_t id) {
  const auto found = open_comms.find(id);
  return found == open_comms.end() ? nullptr : found->second.get();
}

int Comm::rank_of(int world_rank) const {
  return static_cast<int>(std::find(world_.begin(), world_.end(), world_rank) - world_.begin());
}

Key Comm::next(int peer, int tag, bool outgoing) {
  Key key{id_, world_rank(peer), tag, 0, 0};
  Key channel = key;
  channel.collective = outgoing;
  key.number = channels_[channel]++;
  return key;
}

bool Comm::has_declared(const Key& key, bool outgoing) const {
  if (key.collective) return key.number < collectives_;
  Key channel = key;
  channel.number = 0;
  channel.collective = outgoing;
  const auto found = channels_.find(channel);
  return found != channels_.end() && key.number < found->second;
}

Key Comm::next_collective() { return {id_, 0, 0, collectives_++, 1}; }

}  // namespace lapwing::sets::declared
