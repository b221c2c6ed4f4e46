// SPDX-License-Identifier: Apache-2.0
// Accesses to windows: between fences, and under passive targets in phases.
//
// In a phase the first half of each window does not change, and every rank may read it. The second half has a
// slot for each rank, in which that rank alone writes. Between two phases each rank overwrites what it lets
// the other ranks read: a get that MPI_Win_flush has returned for too early would read the bytes of the next
// phase; and it looks at its slots: a put for which MPI_Win_flush has returned too early would be missing.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "runner.hpp"

namespace lapwing::fuzz {
namespace {

enum class WindowKind { create, allocate, dynamic };
#ifdef OPEN_MPI
// The result of MPI_Get_accumulate differs from run to run under Open MPI 4.1 without Lapwing.
constexpr uint64_t kChanges = 3;
#else
constexpr uint64_t kChanges = 4;
#endif

enum class Locking { all, each };

// A rank uses bytes that a flush has completed in one of these ways at once; else it looks at them in the
// next phase.
constexpr Touch touches[] = {Touch::ascending,       Touch::descending, Touch::random,    Touch::strided,
                             Touch::last_byte,       Touch::copy_out,   Touch::by_thread, Touch::to_file,
                             Touch::write_ascending, Touch::set,        Touch::increment, Touch::fork_child};

class PassiveTarget {
 public:
  PassiveTarget(const Step& step, MPI_Comm comm, char* memory, char* room, Notes& notes, Toucher& toucher)
      : comm_(comm), room_(room), bytes_(step.bytes), notes_(notes), toucher_(toucher), random_(0) {
    MPI_Comm_rank(comm, &me_);
    MPI_Comm_size(comm, &size_);
    window_kind_ = static_cast<WindowKind>(step.key % 3);
    locking_ = step.key / 3 % 3 == 0 ? Locking::each : Locking::all;
    uneven_units_ = step.key / 9 % 8 == 0;
    unit_ = step.key / 72 % 2 == 0 ? 1 : 8;
    random_ = Random(combine(step.key, static_cast<uint64_t>(me_), 77));
    readable_ = bytes_ / 2 / 8 * 8;
    slot_ = (bytes_ - readable_) / static_cast<size_t>(size_) / 8 * 8;
    make(memory);
    fill(memory_, readable_, combine(step.key, static_cast<uint64_t>(me_), 1));
    std::memset(memory_ + readable_, 0, bytes_ - readable_);
  }

  void run(int phases, uint64_t key) {
    if (locking_ == Locking::all) MPI_Win_lock_all(0, win_);
    for (int phase = 0; phase < phases; ++phase) {
      sync();
      MPI_Barrier(comm_);
      for (uint64_t left = random_.between(1, 4); left > 0; --left) access();
      complete_all();
      const bool looks_now = random_.chance(40);
      if (looks_now) look(room_, bytes_);
      MPI_Barrier(comm_);
      sync();
      notes_.add("slots", digest(memory_ + readable_, bytes_ - readable_));
      fill(memory_, readable_, combine(key, static_cast<uint64_t>(me_), static_cast<uint64_t>(phase) + 2));
      sync();
      if (!looks_now) look(room_, bytes_);
    }
    if (locking_ == Locking::all) MPI_Win_unlock_all(win_);
    MPI_Barrier(comm_);
    // A lock of this process' own memory, so that it sees what the other ranks have written there.
    MPI_Win_lock(MPI_LOCK_SHARED, me_, 0, win_);
    notes_.add("window", digest(memory_, bytes_));
    MPI_Win_unlock(me_, win_);
    if (window_kind_ == WindowKind::dynamic) {
      MPI_Barrier(comm_);
      MPI_Win_detach(win_, memory_);
    }
    MPI_Win_free(&win_);
  }

 private:
  void make(char* memory) {
    memory_ = memory;
    const auto size = static_cast<MPI_Aint>(bytes_);
    bases_.assign(static_cast<size_t>(size_), 0);
    if (window_kind_ == WindowKind::create) {
      MPI_Win_create(memory, size, unit_of(me_), MPI_INFO_NULL, comm_, &win_);
    } else if (window_kind_ == WindowKind::allocate) {
      // Of sizes that are no multiple of 16 bytes MPICH 4.0 gives other processes of the node a wrong
      // address.
      MPI_Win_allocate((size + 15) / 16 * 16, unit_of(me_), MPI_INFO_NULL, comm_, &memory_, &win_);
    } else {
      uneven_units_ = false;
      unit_ = 1;
      MPI_Win_create_dynamic(MPI_INFO_NULL, comm_, &win_);
      MPI_Win_attach(win_, memory, size);
      MPI_Aint mine = 0;
      MPI_Get_address(memory, &mine);
      MPI_Allgather(&mine, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, comm_);
    }
  }

  int unit_of(int rank) const { return uneven_units_ ? (rank % 2 == 0 ? 8 : 1) : unit_; }
  MPI_Aint at(int target, size_t offset) const {
    return bases_[static_cast<size_t>(target)] + static_cast<MPI_Aint>(offset) / unit_of(target);
  }
  size_t own_slot() const { return readable_ + static_cast<size_t>(me_) * slot_; }

  void look(char* from, size_t bytes) {
    if (bytes == 0) return;
    notes_.add("got",
               toucher_.touch(touches[random_.below(std::size(touches))], from, bytes, random_.next()));
  }

  // By any of MPI's ways that completes the accesses to `target` where it began them.
  void flush(int target, bool remotely) {
    switch (random_.below(remotely ? 2 : 4)) {
      case 0:
        MPI_Win_flush(target, win_);
        break;
      case 1:
        MPI_Win_flush_all(win_);
        pending_.clear();
        break;
      case 2:
        MPI_Win_flush_local(target, win_);
        break;
      default:
        MPI_Win_flush_local_all(win_);
        pending_.clear();
    }
    const auto here = [&](const Pending& p) { return p.target == target; };
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), here), pending_.end());
  }

  void complete_all() {
    if (locking_ == Locking::all && !changed_.empty())
      MPI_Win_flush_all(win_);
    else if (locking_ == Locking::all && !pending_.empty())
      MPI_Win_flush_local_all(win_);
    pending_.clear();
    changed_.clear();
  }

  // This process' own changes to its memory. MPICH allows it in epochs only.
  void sync() {
    if (locking_ == Locking::each) MPI_Win_lock(MPI_LOCK_SHARED, me_, 0, win_);
    MPI_Win_sync(win_);
    if (locking_ == Locking::each) MPI_Win_unlock(me_, win_);
  }

  template <typename Access>
  void in_epoch(int target, Access access) {
    if (locking_ == Locking::each)
      MPI_Win_lock(random_.chance(80) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win_);
    access();
    if (locking_ == Locking::each) {
      MPI_Win_unlock(target, win_);
      pending_.clear();
      changed_.clear();
    }
  }

  void access() {
    const int target = static_cast<int>(random_.below(static_cast<uint64_t>(size_)));
    const uint64_t die = random_.below(10);
    in_epoch(target, [&] { die < 7 ? get(target, die == 6) : change(target); });
  }

  void get(int target, bool with_request) {
    const size_t words = readable_ / 8;
    if (words == 0) return;
    const size_t first = random_.chance(50) ? 0 : random_.below(words);
    const size_t count = random_.chance(60) ? words - first : random_.below(words - first) + 1;
    const size_t length = count * 8;
    char* const to = room_ + (random_.chance(50) ? 0 : random_.below(bytes_ - length + 1));
    const auto meets = [&](const Pending& p) { return p.to < to + length && to < p.to + p.length; };
    if (std::any_of(pending_.begin(), pending_.end(), meets)) complete_all();
    const MPI_Aint from = at(target, first * 8);
    if (with_request) {
      get_by_requests(to, length, target, from, first * 8);
      return look(to, length);
    }
    if (random_.chance(70)) {
      MPI_Get(to, static_cast<int>(length), MPI_BYTE, target, from, static_cast<int>(count), MPI_UINT64_T,
              win_);
    } else {
      get_in_two_columns(to, count, target, from);
    }
    pending_.push_back({target, to, length});
    if (random_.chance(30)) return;
    flush(target, false);
    if (random_.chance(60)) look(to, length);
  }

  // In one or two parts, whose requests are waited for or tested.
  void get_by_requests(char* to, size_t length, int target, MPI_Aint from, size_t offset) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const size_t part = random_.chance(50) ? length : length / 16 * 8;
    const MPI_Aint behind = at(target, offset + part);
    notes_.call("rget", MPI_Rget(to, static_cast<int>(part), MPI_BYTE, target, from, static_cast<int>(part),
                                 MPI_BYTE, win_, &requests[0]));
    if (part < length)
      MPI_Rget(to + part, static_cast<int>(length - part), MPI_BYTE, target, behind,
               static_cast<int>(length - part), MPI_BYTE, win_, &requests[1]);
    finish(requests);
  }

  void finish(MPI_Request (&requests)[2]) {
    int done = 0;
    switch (random_.below(5)) {
      case 0:
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
      case 1:
        while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        break;
      case 2:
        for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        break;
      default:
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }

  // The target's words by a type that is one run, or two with a gap: half of the words then.
  void get_in_two_columns(char* to, size_t count, int target, MPI_Aint from) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int half = static_cast<int>(count / 2);
    const bool gap = half > 1 && random_.chance(50);
    if (gap)
      MPI_Type_vector(2, half / 2, half, MPI_UINT64_T, &type);
    else
      MPI_Type_contiguous(static_cast<int>(count), MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    const int words = gap ? half / 2 * 2 : static_cast<int>(count);
    MPI_Get(to, words * 8, MPI_BYTE, target, from, 1, type, win_);
    MPI_Type_free(&type);
  }

  // In this rank's own slot at the target. Nothing else may be under way there.
  void change(int target) {
    if (slot_ < 8) return;
    const size_t words = random_.below(slot_ / 8) + 1;
    const MPI_Aint to = at(target, own_slot());
    if (changed_.erase(target)) MPI_Win_flush(target, win_);
    std::vector<uint64_t> given(words), old(words, 0);
    fill(reinterpret_cast<char*>(given.data()), words * 8, random_.next());
    const auto count = static_cast<int>(words);
    if (random_.chance(50)) return put(target, to, given);
    switch (random_.below(kChanges)) {
      case 0:
        MPI_Put(given.data(), count, MPI_UINT64_T, target, to, count, MPI_UINT64_T, win_);
        break;
      case 1:
        MPI_Accumulate(given.data(), count, MPI_UINT64_T, target, to, count, MPI_UINT64_T, MPI_SUM, win_);
        break;
      case 2:
        MPI_Fetch_and_op(given.data(), old.data(), MPI_UINT64_T, target, to, MPI_SUM, win_);
        break;
      default:
        MPI_Get_accumulate(given.data(), count, MPI_UINT64_T, old.data(), count, MPI_UINT64_T, target, to,
                           count, MPI_UINT64_T, MPI_SUM, win_);
    }
    flush(target, true);
    notes_.add("old", digest(reinterpret_cast<const char*>(old.data()), words * 8));
  }

  // A put, or two, of all that is given, which changes before or after they are complete at the target.
  void put(int target, MPI_Aint to, std::vector<uint64_t>& given) {
    const auto count = static_cast<int>(given.size());
    const int part = random_.chance(60) ? count : count / 2;
    const MPI_Aint behind = at(target, own_slot() + static_cast<size_t>(part) * 8);
    uint64_t* const rest = given.data() + part;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const bool with_requests = random_.chance(30);
    const uint64_t sum = digest(reinterpret_cast<const char*>(given.data()), given.size() * 8);
    if (with_requests) {
      MPI_Rput(given.data(), part, MPI_UINT64_T, target, to, part, MPI_UINT64_T, win_, &requests[0]);
      if (part < count)
        MPI_Rput(rest, count - part, MPI_UINT64_T, target, behind, count - part, MPI_UINT64_T, win_,
                 &requests[1]);
      finish(requests);
    } else {
      MPI_Put(given.data(), part, MPI_UINT64_T, target, to, part, MPI_UINT64_T, win_);
      if (part < count)
        MPI_Put(rest, count - part, MPI_UINT64_T, target, behind, count - part, MPI_UINT64_T, win_);
      random_.chance(50) ? MPI_Win_flush_local(target, win_) : MPI_Win_flush(target, win_);
    }
    if (random_.chance(50)) fill(reinterpret_cast<char*>(given.data()), given.size() * 8, random_.next());
    if (random_.chance(50)) {
      changed_.insert(target);
      return;
    }
    flush(target, true);
    if (random_.chance(50)) return;
    std::vector<uint64_t> back(given.size());
    MPI_Get(back.data(), count, MPI_UINT64_T, target, to, count, MPI_UINT64_T, win_);
    flush(target, false);
    notes_.add("back", digest(reinterpret_cast<const char*>(back.data()), back.size() * 8) == sum ? 1 : 0);
  }

  struct Pending {
    int target;
    char* to;
    size_t length;
  };

  MPI_Comm comm_;
  int me_ = 0, size_ = 1;
  char* memory_ = nullptr;
  char* room_;
  size_t bytes_, readable_ = 0, slot_ = 0;
  Notes& notes_;
  Toucher& toucher_;
  Random random_;
  WindowKind window_kind_ = WindowKind::create;
  Locking locking_ = Locking::all;
  bool uneven_units_ = false;
  int unit_ = 1;
  std::vector<MPI_Aint> bases_;
  MPI_Win win_ = MPI_WIN_NULL;
  std::vector<Pending> pending_;  // gets that no flush has completed yet
  std::set<int> changed_;         // targets at which puts may not be complete
};

}  // namespace

// One-sided transfers over memory that messages may just have come into.
void Runner::window(Frame& frame) {
  const Step& step = *frame.step;
  const Group& group = program_->groups[step.group];
  int size = static_cast<int>(group.members.size()), me = group.rank_of(rank_);
  if (me < 0) return;
  Half in = prepare_part(frame, step.parts[static_cast<size_t>(me)]);
  Half out = prepare_part(frame, step.parts[static_cast<size_t>(size + me)]);
  int bytes = static_cast<int>(step.bytes), right = (me + 1) % size, left = (me + size - 1) % size;
  MPI_Sendrecv(out.at, bytes, MPI_BYTE, right, 40, in.at, bytes, MPI_BYTE, left, 40, frame.comm,
               MPI_STATUS_IGNORE);
  if (step.variant < 4) {
    MPI_Win made;
    MPI_Win_create(in.at, bytes, 1, MPI_INFO_NULL, frame.comm, &made);
    MPI_Win_fence(0, made);
    MPI_Put(out.at, bytes / 2, MPI_BYTE, right, 0, bytes / 2, MPI_BYTE, made);
    MPI_Win_fence(0, made);
    frame.own.add("window", digest(in.at, static_cast<size_t>(bytes)));
    MPI_Win_fence(0, made);
    MPI_Win_free(&made);
  } else if (bytes > 0) {
    PassiveTarget(step, frame.comm, in.at, out.at, frame.own, *toucher_).run(step.variant % 4 + 1, step.key);
  }
  finish(in, step);
  finish(out, step);
}

}  // namespace lapwing::fuzz
