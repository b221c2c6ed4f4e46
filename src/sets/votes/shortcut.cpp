// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/shortcut.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "sets/declared/declared_comm.hpp"
#include "sets/declared/tree.hpp"
#include "sets/messages.hpp"

namespace lapwing::sets {
namespace {

constexpr int found_kind = declared_kinds + 7;

struct News {
  std::uint64_t comm;
  std::uint32_t number;
  std::int32_t finder;
};

// By identity: those that are under way here, and news of those that are not yet.
std::map<std::pair<std::uint64_t, std::uint32_t>, Shortcut*> under_way;
std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<int>> early;

void finish(MPI_Request request) {
  Messages::wait([&] {
    int here = 0;
    PMPI_Test(&request, &here, MPI_STATUS_IGNORE);
    return here != 0;
  });
}

}  // namespace

void Shortcut::start() {
  Messages::on(found_kind, [](int, const char* data, std::size_t) {
    News news;
    std::memcpy(&news, data, sizeof news);
    heard({news.comm, news.number}, news.finder);
  });
}

Shortcut::Shortcut(MPI_Comm comm, bool lowest)
    : comm_(comm), members_(*declared::Comm::of(comm)), lowest_(lowest), best_(members_.size()) {
  const std::lock_guard guard(Messages::lock());
  identity_ = {members_.id(), declared::Comm::of(comm)->next_shortcut()};
  under_way[identity_] = this;
  if (const auto found = early.find(identity_); found != early.end()) {
    for (const int finder : found->second) learn(finder);
    early.erase(found);
  }
}

Shortcut::~Shortcut() {
  const std::lock_guard guard(Messages::lock());
  under_way.erase(identity_);
}

// News that comes after the end is old: the end has told all.
void Shortcut::heard(const Identity& identity, int finder) {
  if (const auto found = under_way.find(identity); found != under_way.end())
    found->second->learn(finder);
  else if (declared::Comm* comm = declared::Comm::find(identity.first);
           !comm || comm->shortcuts() <= identity.second)
    early[identity].push_back(finder);
}

// Down the tree of that finder. A process that knows of a lower rank has told already.
void Shortcut::learn(int finder) {
  if (finder >= best_) return;
  best_ = finder;
  const News news{identity_.first, identity_.second, finder};
  for (const int child : declared::tree(members_.rank(), members_.size(), finder).children)
    Messages::send(members_.world_rank(child), found_kind, &news, sizeof news);
}

void Shortcut::found(const void* data, std::size_t size) {
  const std::lock_guard guard(Messages::lock());
  if (mine_) return;
  mine_ = true;
  result_.assign(static_cast<const char*>(data), static_cast<const char*>(data) + size);
  learn(members_.rank());
}

bool Shortcut::done() {
  Messages::progress();
  const std::lock_guard guard(Messages::lock());
  return lowest_ ? best_ < members_.rank() || mine_ : best_ < members_.size();
}

int Shortcut::end(void* data, std::size_t size, std::string* why) {
  // News may still be on its way: who has found speaks for itself here.
  struct {
    int finder, size;
  } chosen{mine_ ? members_.rank() : members_.size(), static_cast<int>(result_.size())};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, &chosen, 1, MPI_2INT, MPI_MINLOC, comm_, &request);
  finish(request);
  if (chosen.finder == members_.size()) return -1;
  const auto bytes = static_cast<std::size_t>(chosen.size);
  if (bytes > size) {
    *why = fmt::format("rank {} found a result of {} bytes, which does not fit the {} given here",
                       chosen.finder, bytes, size);
    return -1;
  }
  if (chosen.finder == members_.rank()) std::memcpy(data, result_.data(), bytes);
  PMPI_Ibcast(data, chosen.size, MPI_BYTE, chosen.finder, comm_, &request);
  finish(request);
  return chosen.finder;
}

}  // namespace lapwing::sets
