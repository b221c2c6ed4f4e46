// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/progress.hpp"

#include <algorithm>
#include <utility>

#include "progress/helper.hpp"
#include "transfer/settings.hpp"

namespace lapwing::arrays {

void Progress::open(const std::shared_ptr<TaskComm>& comm) {
  lock_.assert_held();
  comms_.push_back(comm);
}

void Progress::close(const std::shared_ptr<TaskComm>& comm) {
  lock_.assert_held();
  std::erase(comms_, comm);
  std::erase_if(active_, [&](const auto& request) { return &request->comm() == comm.get(); });
}

void Progress::watch(const std::shared_ptr<Request>& request) {
  lock_.assert_held();
  if (!request->idle() && std::find(active_.begin(), active_.end(), request) == active_.end())
    active_.push_back(request);
}

bool Progress::pending(const TaskComm& comm) {
  lock_.assert_held();
  return std::any_of(active_.begin(), active_.end(),
                     [&](const auto& request) { return &request->comm() == &comm && request->active(); });
}

namespace {

void match(TaskComm& comm) {
  comm.news = false;
  for (const bool persistent : {false, true}) {
    for (int task = 0; task < comm.tasks(); ++task)
      for (Match& found : comm.sends(task, persistent).take(task)) {
        Request* const request = found.request;
        request->matched(std::move(found), true);
      }
    std::vector<Receives::Decision> decisions;
    auto taken = comm.receives(persistent).take(&decisions);
    for (const Receives::Decision& decision : decisions) comm.control().spread(persistent, decision);
    for (Receives::Taken& found : taken) {
      Request* const request = found.match.request;
      request->matched(std::move(found.match), found.announced);
    }
  }
}

}  // namespace

bool Progress::advance() {
  lock_.assert_held();
  bool moved = false;
  for (const auto& comm : comms_) {
    if (comm->unmatched > 0 || comm->exchanges > 0 || comm->control().sending())
      comm->news |= comm->control().receive();
    if (!comm->news) continue;
    match(*comm);
    moved = true;
  }
  for (std::size_t i = 0; i < active_.size();) {
    moved |= active_[i]->step();
    if (active_[i]->idle()) {
      active_[i] = std::move(active_.back());
      active_.pop_back();
    } else {
      ++i;
    }
  }
  return moved;
}

// MPI waits for less than rounds of looking do. Other threads,
// or the helper, move the transfers that other threads begin meanwhile.
void Progress::wait_in_mpi(const std::shared_ptr<Request>& request) {
  {
    const progress::Holding guard(lock_);
    if (active_.size() != 1 || active_[0] != request || !request->with_mpi()) return;
    for (const auto& comm : comms_)
      if (comm->unmatched > 0 || comm->exchanges > 0 || comm->news || comm->control().sending()) return;
    active_.clear();
  }
  request->wait();
}

// Works while something is active that MPI alone does not move.
class Progress::Helper final : public progress::Polled {
 public:
  /// Between looks that come whether or not there is something: no wake-up then hurries.
  std::atomic<bool> rests = false;

 private:
  std::int64_t look(bool) override {
    bool moved = false, work = true, hurry = true;
    // A call that waits moves everything itself; what it leaves is seen at the next look.
    const bool waited_for = waiting_.load() > 0;
    if (!waited_for && lock_.try_lock()) {
      moved = advance();
      work = std::any_of(active_.begin(), active_.end(), [](const auto& r) { return !r->simple(); });
      hurry = std::any_of(active_.begin(), active_.end(), [](const auto& r) { return !r->unhurried(); });
      lock_.unlock();
    }
    if (!waited_for && work) {
      vain_ = 0;
      rests = !hurry;
      return pause_ = hurry ? progress::for_arrays.after(moved, pause_) : progress::for_arrays.longest;
    }
    rests = true;
    pause_ = progress::for_arrays.shortest;
    vain_ = waited_for ? 0 : vain_ + 1;
    return vain_ < progress::looks_after_arrays ? progress::for_arrays.longest : until_woken;
  }

  std::int64_t pause_ = 0;
  int vain_ = 0;
};

int Progress::at_finalize(MPI_Comm, int, void*, void*) {
  helper_->stop();
  delete std::exchange(helper_, nullptr);
  return MPI_SUCCESS;
}

// Where MPI allows several threads, and the user has not switched the helper off.
// It ends with MPI, whoever finalises it: MPI frees MPI_COMM_SELF first.
void Progress::start_helper() {
  decided_ = true;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE || !transfer::read_settings().helper) return;
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
  helper_ = new Helper;
  helper_->start();
}

void Progress::leave_to_helper(bool waited_for_at_once) {
  if (!decided_) start_helper();
  if (!helper_) return;
  if (waited_for_at_once) return helper_->wake_within(progress::for_arrays.longest);
  if (helper_->rests.load()) return helper_->wake();
  helper_->wake_if_idle();
}

}  // namespace lapwing::arrays
