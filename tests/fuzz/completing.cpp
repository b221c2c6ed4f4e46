// SPDX-License-Identifier: Apache-2.0
// All the ways in which MPI completes an array of requests.
#include <sched.h>

#include <algorithm>

#include "runner.hpp"

namespace lapwing::fuzz {
namespace {

class Completion {
 public:
  Completion(Random& random, std::vector<MPI_Request>& requests, bool ignore, const Completed& completed)
      : random_(random),
        requests_(requests),
        statuses_(requests.size()),
        indices_(requests.size()),
        n_(static_cast<int>(requests.size())),
        ignore_(ignore),
        completed_(completed) {
    for (size_t i = 0; i < requests.size(); ++i)
      if (requests[i] != MPI_REQUEST_NULL) open_.push_back(i);
  }

  void run() {
    switch (random_.below(9)) {
      case 0:
        return waitall();
      case 1:
        return any(false);
      case 2:
        return some(false);
      case 3:
        return testall();
      case 4:
        return any(true);
      case 5:
        return some(true);
      case 6:
        return one_by_one(0);
      case 7:
        return one_by_one(1);
      default:
        return one_by_one(2);
    }
  }

 private:
  MPI_Status* all() { return ignore_ ? MPI_STATUSES_IGNORE : statuses_.data(); }
  MPI_Status* one(size_t i) { return ignore_ ? MPI_STATUS_IGNORE : &statuses_[i]; }

  void tell(size_t which, size_t place, int result) {
    if (result == MPI_ERR_IN_STATUS && !ignore_) result = statuses_[place].MPI_ERROR;
    open_.erase(std::find(open_.begin(), open_.end(), which));
    completed_(which, ignore_ ? nullptr : &statuses_[place], result);
  }

  void tell_rest(int result) {
    while (!open_.empty()) tell(open_.front(), open_.front(), result);
  }

  void waitall() { tell_rest(MPI_Waitall(n_, requests_.data(), all())); }

  void testall() {
    for (int done = 0, result; done == 0; sched_yield()) {
      result = MPI_Testall(n_, requests_.data(), &done, all());
      if (done != 0 || result != MPI_SUCCESS) return tell_rest(result);
    }
  }

  void any(bool test) {
    while (!open_.empty()) {
      int index = MPI_UNDEFINED, done = 1;
      int result = test ? MPI_Testany(n_, requests_.data(), &index, &done, one(0))
                        : MPI_Waitany(n_, requests_.data(), &index, one(0));
      if (done != 0 && index != MPI_UNDEFINED)
        tell(static_cast<size_t>(index), 0, result);
      else
        sched_yield();
    }
  }

  void some(bool test) {
    while (!open_.empty()) {
      int count = 0;
      int result = test ? MPI_Testsome(n_, requests_.data(), &count, indices_.data(), all())
                        : MPI_Waitsome(n_, requests_.data(), &count, indices_.data(), all());
      for (int i = 0; i < count; ++i) tell(static_cast<size_t>(indices_[i]), static_cast<size_t>(i), result);
      if (count <= 0) sched_yield();
    }
  }

  // In a random order: waiting, testing, or looking first at a status that frees nothing.
  void one_by_one(int how) {
    std::vector<size_t> order = open_;
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    for (size_t i : order) {
      int done = how == 0 ? 1 : 0, result = MPI_SUCCESS;
      for (; done == 0; done == 0 ? sched_yield() : 0)
        result = how == 1 ? MPI_Test(&requests_[i], &done, one(i))
                          : MPI_Request_get_status(requests_[i], &done, one(i));
      MPI_Status waited = statuses_[i];
      if (how != 1) result = MPI_Wait(&requests_[i], ignore_ ? MPI_STATUS_IGNORE : &waited);
      // MPICH 5 and Intel MPI end a persistent request by the look: their wait finds none.
      if (how == 0 || (how == 2 && requests_[i] == MPI_REQUEST_NULL)) statuses_[i] = waited;
      tell(i, i, result);
    }
  }

  Random& random_;
  std::vector<MPI_Request>& requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> indices_;
  int n_;
  bool ignore_;
  const Completed& completed_;
  std::vector<size_t> open_;
};

}  // namespace

void complete(Random& random, std::vector<MPI_Request>& requests, bool ignore_status,
              const Completed& completed) {
  Completion(random, requests, ignore_status, completed).run();
}

}  // namespace lapwing::fuzz
