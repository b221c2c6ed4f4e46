// SPDX-License-Identifier: Apache-2.0
// Transfers of distributed arrays for C++; lapwing/arrays.hpp includes it.
#pragma once

#include <string>

#include "lapwing/arrays.hpp"

namespace lapwing {

/// A pending or persistent transfer. Waits for it when it goes out of scope.
class ArrayRequest {
 public:
  ArrayRequest() = default;
  explicit ArrayRequest(lapwing_array_request* request) : request_(request) {}
  ArrayRequest(ArrayRequest&& other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
  ArrayRequest& operator=(ArrayRequest&& other) noexcept {
    std::swap(request_, other.request_);
    return *this;
  }
  ~ArrayRequest() {
    if (!request_) return;
    lapwing_array_wait(&request_, nullptr);
    lapwing_array_request_free(&request_);
  }

  void start() { detail::check_array(lapwing_array_start(request_)); }
  lapwing_array_status wait() {
    lapwing_array_status status{};
    detail::check_array(lapwing_array_wait(&request_, &status));
    return status;
  }
  bool test() {
    int done = 0;
    detail::check_array(lapwing_array_test(&request_, &done, nullptr));
    return done != 0;
  }
  /// Until the elements of this box of the whole array have landed here.
  void wait_section(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count) {
    detail::check_array(lapwing_array_wait_section(request_, first.data(), count.data()));
  }
  /// Whether they have; never blocks.
  bool test_section(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count) {
    int landed = 0;
    detail::check_array(lapwing_array_test_section(request_, first.data(), count.data(), &landed));
    return landed != 0;
  }
  lapwing_array_request* get() const { return request_; }

 private:
  lapwing_array_request* request_ = nullptr;
};

namespace detail {

/// A flag for each dimension, or null for none.
template <typename T>
const int* periods(const DistributedArray<T>& a, const std::vector<int>& periodic) {
  const int dimensions = lapwing_distribution_dimensions(a.distribution().get());
  if (!periodic.empty() && periodic.size() != static_cast<std::size_t>(dimensions))
    throw std::invalid_argument(std::to_string(periodic.size()) + " periods are given for an array of " +
                                std::to_string(dimensions) + " dimensions");
  return periodic.empty() ? nullptr : periodic.data();
}

}  // namespace detail

template <typename T>
void send(const DistributedArray<T>& a, int dest, int tag, const Tasks& tasks) {
  detail::check_array(
      lapwing_array_send(a.local().data(), a.allocated(), a.distribution().get(), dest, tag, tasks.get()));
}

template <typename T>
lapwing_array_status recv(DistributedArray<T>& a, int source, int tag, const Tasks& tasks) {
  lapwing_array_status status{};
  detail::check_array(lapwing_array_recv(a.local().data(), a.allocated(), a.distribution().get(), source, tag,
                                         tasks.get(), &status));
  return status;
}

template <typename T>
ArrayRequest isend(const DistributedArray<T>& a, int dest, int tag, const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_isend(a.local().data(), a.allocated(), a.distribution().get(), dest, tag,
                                          tasks.get(), &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest irecv(DistributedArray<T>& a, int source, int tag, const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_irecv(a.local().data(), a.allocated(), a.distribution().get(), source,
                                          tag, tasks.get(), &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest send_init(const DistributedArray<T>& a, int dest, int tag, const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_send_init(a.local().data(), a.allocated(), a.distribution().get(), dest,
                                              tag, tasks.get(), &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest recv_init(DistributedArray<T>& a, int source, int tag, const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_recv_init(a.local().data(), a.allocated(), a.distribution().get(), source,
                                              tag, tasks.get(), &request));
  return ArrayRequest(request);
}

/// Within the task; element types may differ where C converts.
template <typename From, typename To>
void redistribute(const DistributedArray<From>& from, DistributedArray<To>& to, const Tasks& tasks) {
  const ArrayDistribution into = to.distribution().converting();
  detail::check_array(lapwing_array_redistribute(from.local().data(), from.allocated(),
                                                 from.distribution().get(), to.local().data(), to.allocated(),
                                                 into.get(), tasks.get()));
}

/// b becomes a with its dimensions permuted: dimension d of b is dimension permutation[d] of a.
template <typename T>
void transpose(const DistributedArray<T>& a, DistributedArray<T>& b, const std::vector<int>& permutation,
               const Tasks& tasks) {
  std::vector<std::int64_t> count(permutation.size()), zero(permutation.size(), 0);
  lapwing_distribution_extents(b.distribution().get(), count.data());
  const ArrayDistribution into = b.distribution().section(zero, count, {}, permutation);
  detail::check_array(lapwing_array_redistribute(a.local().data(), a.allocated(), a.distribution().get(),
                                                 b.local().data(), b.allocated(), into.get(), tasks.get()));
}

/// Fills the ghost layers from the owners of what lies there (lapwing_array_update_ghosts). `periodic` has
/// a flag for each dimension, or is empty. Collective over the task, as its two siblings are.
template <typename T>
void update_ghosts(DistributedArray<T>& a, const Tasks& tasks, int ghosts = LAPWING_GHOSTS_CORNERS,
                   const std::vector<int>& periodic = {}) {
  detail::check_array(lapwing_array_update_ghosts(a.local().data(), a.allocated(), a.distribution().get(),
                                                  ghosts, detail::periods(a, periodic), tasks.get()));
}

template <typename T>
ArrayRequest iupdate_ghosts(DistributedArray<T>& a, const Tasks& tasks, int ghosts = LAPWING_GHOSTS_CORNERS,
                            const std::vector<int>& periodic = {}) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_iupdate_ghosts(a.local().data(), a.allocated(), a.distribution().get(),
                                                   ghosts, detail::periods(a, periodic), tasks.get(),
                                                   &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest update_ghosts_init(DistributedArray<T>& a, const Tasks& tasks,
                                int ghosts = LAPWING_GHOSTS_CORNERS, const std::vector<int>& periodic = {}) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_update_ghosts_init(a.local().data(), a.allocated(),
                                                       a.distribution().get(), ghosts,
                                                       detail::periods(a, periodic), tasks.get(), &request));
  return ArrayRequest(request);
}

/// Adds ghosts to the elements of their owners (lapwing_array_add_ghosts).
template <typename T>
void add_ghosts(DistributedArray<T>& a, const Tasks& tasks, int ghosts = LAPWING_GHOSTS_CORNERS,
                const std::vector<int>& periodic = {}) {
  detail::check_array(lapwing_array_add_ghosts(a.local().data(), a.allocated(), a.distribution().get(),
                                               ghosts, detail::periods(a, periodic), tasks.get()));
}

template <typename T>
ArrayRequest iadd_ghosts(DistributedArray<T>& a, const Tasks& tasks, int ghosts = LAPWING_GHOSTS_CORNERS,
                         const std::vector<int>& periodic = {}) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_iadd_ghosts(a.local().data(), a.allocated(), a.distribution().get(),
                                                ghosts, detail::periods(a, periodic), tasks.get(), &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest add_ghosts_init(DistributedArray<T>& a, const Tasks& tasks, int ghosts = LAPWING_GHOSTS_CORNERS,
                             const std::vector<int>& periodic = {}) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_add_ghosts_init(a.local().data(), a.allocated(), a.distribution().get(),
                                                    ghosts, detail::periods(a, periodic), tasks.get(),
                                                    &request));
  return ArrayRequest(request);
}

}  // namespace lapwing
