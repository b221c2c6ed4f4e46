// SPDX-License-Identifier: Apache-2.0
// Simulated time: events in order, and processors that do one thing at a time
// and are interrupted by messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace lapwing::tasks::replay {

class Clock {
 public:
  using Action = std::function<void()>;
  double now() const { return now_; }
  void at(double time, Action action) { queue_.push({std::max(time, now_), next_++, std::move(action)}); }
  void run() {
    while (!queue_.empty()) {
      Entry entry = queue_.top();
      queue_.pop();
      now_ = entry.time;
      entry.action();
    }
  }

 private:
  struct Entry {
    double time;
    std::uint64_t order;  // of equal times the first that was said
    Action action;
    bool operator<(const Entry& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  std::priority_queue<Entry> queue_;
  double now_ = 0;
  std::uint64_t next_ = 0;
};

class Cpu {
 public:
  explicit Cpu(Clock& clock) : clock_(clock) {}

  bool busy() const { return busy_; }
  /// Works for so long; interrupts come on top.
  void work(double seconds, Clock::Action done) {
    busy_ = true;
    end_ = std::max(clock_.now(), interrupted_until_) + seconds;
    done_ = std::move(done);
    expect();
  }
  /// A message is handled, at once or behind the one that is being handled.
  void interrupt(double seconds, Clock::Action effect) {
    interrupted_until_ = std::max(clock_.now(), interrupted_until_) + seconds;
    if (busy_) {
      end_ += seconds;
      expect();
    }
    clock_.at(interrupted_until_, std::move(effect));
  }

 private:
  void expect() {
    const std::uint64_t version = ++version_;
    clock_.at(end_, [this, version] {
      if (version != version_) return;
      busy_ = false;
      Clock::Action done = std::move(done_);
      done();
    });
  }

  Clock& clock_;
  bool busy_ = false;
  double end_ = 0, interrupted_until_ = 0;
  std::uint64_t version_ = 0;
  Clock::Action done_;
};

}  // namespace lapwing::tasks::replay
