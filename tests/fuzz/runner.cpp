// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <alloca.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace lapwing::fuzz {
namespace {

void put(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    if (wrote < 0) {
      std::perror("fuzz: writing the log");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    done += static_cast<size_t>(wrote);
  }
}

}  // namespace

Runner::Runner(std::string directory, int log)
    : directory_(std::move(directory)), log_(log), toucher_(new Toucher(directory_)) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

void Runner::make_communicators(const Program& program) {
  for (const Group& group : program.groups) {
    MPI_Comm made = MPI_COMM_NULL, half = MPI_COMM_NULL;
    bool first = std::count(group.members.begin(), group.members.end(), rank_) > 0;
    switch (group.making) {
      case Making::world:
        made = MPI_COMM_WORLD;
        break;
      case Making::duplicate:
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        break;
      case Making::reversed:
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &made);
        break;
      case Making::subset:
        MPI_Comm_split(MPI_COMM_WORLD, first ? 1 : MPI_UNDEFINED, rank_, &made);
        break;
      case Making::inter:
        MPI_Comm_split(MPI_COMM_WORLD, first, rank_, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? group.others[0] : group.members[0], 77, &made);
        MPI_Comm_free(&half);
        break;
    }
    if (made != MPI_COMM_NULL) MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    comms_.push_back(made);
  }
}

void Runner::free_communicators() {
  for (MPI_Comm& comm : comms_)
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  comms_.clear();
}

void Runner::run(const Program& program, const std::function<bool(int)>& wanted) {
  program_ = &program;
  put(log_, "P " + std::to_string(program.seed) + "\n");
  memory_.begin(combine(program.seed, rank_), directory_);
  make_communicators(program);
  int level = 0;
  MPI_Query_thread(&level);
  for (const Step& step : program.steps) {
    if (!wanted(step.index)) continue;
    put(log_, "S " + std::to_string(step.index) + " " + name_of(step.kind) + "\n");
    release_kept(step.index);
    if (program.groups[step.group].has(rank_)) run_step(step);
  }
  put(log_, "F level=" + std::to_string(level) + "\n");
  release_kept(1 << 30);
  Notes last;
  static const char* names[kSlots] = {"heap_small", "heap",   "anonymous", "static",
                                      "common",     "shared", "file"};
  for (int i = 0; i < kSlots; ++i) last.add(names[i], memory_.digest_of(static_cast<Home>(i)));
  put(log_, last.text("slots"));
  free_communicators();
  memory_.end();
  MPI_Barrier(MPI_COMM_WORLD);
  put(log_, "E " + std::to_string(program.seed) + "\n");
}

// Deliberately not inlined: its frame holds the step's buffers on the stack and is left, and
// used again by the next step, while they may still be in flight.
__attribute__((noinline)) void Runner::run_step(const Step& step) {
  Frame frame{&step, comms_[step.group], nullptr, std::vector<Notes>(step.messages.size() * 2), {}};
  bool on_stack = false;
  for (const Message& m : step.messages)
    on_stack |= (mine(m.send) && m.send.region.home == Home::stack) ||
                (mine(m.recv) && m.recv.region.home == Home::stack);
  for (const Part& part : step.parts) on_stack |= mine(part) && part.region.home == Home::stack;
  if (on_stack) frame.stack = static_cast<char*>(alloca(kStackBytes));
  if (step.transient) {
    MPI_Comm_dup(comms_[step.group], &frame.comm);
    MPI_Comm_set_errhandler(frame.comm, MPI_ERRORS_RETURN);
  }
  dispatch(frame);
  if (step.transient) MPI_Comm_free(&frame.comm);
  std::string text;
  for (size_t i = 0; i < frame.notes.size(); ++i)
    text += frame.notes[i].text("m" + std::to_string(i / 2) + (i % 2 == 0 ? "s" : "r"));
  put(log_, text + frame.own.text("step"));
}

void Runner::dispatch(Frame& frame) {
  switch (frame.step->kind) {
    case Kind::ordered:
      return ordered(frame, -1, *toucher_);
    case Kind::posted:
    case Kind::eager:
      return overlapped(frame);
    case Kind::wild:
      return wild(frame);
    case Kind::threads:
      return threads(frame);
    case Kind::sendrecv:
      return sendrecv(frame);
    case Kind::persistent:
      return persistent(frame);
    case Kind::truncate:
      return truncate(frame);
    case Kind::cancel:
      return cancel(frame);
    case Kind::request_free:
      return request_free(frame);
    case Kind::causality:
      return causality(frame);
    case Kind::null_process:
      return null_process(frame);
    case Kind::collective:
      return collective(frame);
    case Kind::local:
      return local(frame);
    case Kind::touch:
      return touch(frame);
    case Kind::window:
      return window(frame);
    case Kind::count:
      break;
  }
}

void Runner::keep(const Step& step, int order, Temporary temporary,
                  std::function<uint64_t(Temporary&)> look) {
  int due = step.index + 1 + static_cast<int>(combine(step.key, order) % 4);
  std::lock_guard<std::mutex> hold(kept_lock_);
  kept_[{due, step.index, order}].push_back({temporary, std::move(look)});
}

void Runner::keep_sum(const Step& step, Temporary temporary, std::function<uint64_t(Temporary&)> look) {
  keep(step, -1, temporary, std::move(look));
}

void Runner::release_kept(int before) {
  Notes notes;
  while (!kept_.empty() && std::get<0>(kept_.begin()->first) <= before) {
    uint64_t sum = 0;
    for (Kept& kept : kept_.begin()->second) sum += kept.look(kept.temporary);
    notes.add("kept", sum);
    kept_.erase(kept_.begin());
  }
  put(log_, notes.text("later"));
}

}  // namespace lapwing::fuzz
