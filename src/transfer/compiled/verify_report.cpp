// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/verify_report.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>

#include "guard/guard.hpp"
#include "mpi/ending.hpp"
#include "progress/signals_blocked.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::transfer {
namespace {

constexpr std::size_t most_touch_frames = 64;
constexpr unsigned longest_end = 3;  // seconds

int verifying_rank = 0;
VerifyReport::Teller verify_teller = nullptr;
sem_t touch_noted;
std::atomic<bool> touch_told{false};

// Filled by the thread that has touch_noted, before it posts.
const lapwing_verify_site* touched_site = nullptr;
bool touched_send = false, touch_done = false;
std::array<void*, most_touch_frames> touch_frames;
std::size_t touch_frame_count = 0;

_Unwind_Reason_Code note_touch_frame(_Unwind_Context* context, void*) {
  int before = 0;
  const _Unwind_Ptr pc = _Unwind_GetIPInfo(context, &before);
  if (pc == 0 || touch_frame_count == most_touch_frames) return _URC_END_OF_STACK;
  // Places are asked for by where a call returns to.
  touch_frames[touch_frame_count++] = reinterpret_cast<void*>(pc + (before && !touch_done ? 1 : 0));
  return _URC_NO_REASON;
}

bool is_of_lapwing(const Place& place) { return place.module.find("/liblapwing-") != std::string::npos; }

bool is_of_system(const Place& place) {
  return place.module.starts_with("/lib") || place.module.starts_with("/usr/lib");
}

bool has_line_number(const Place& place) { return place.site.find('+') == std::string::npos; }

// The innermost line of the program's own; libc and MPI may have lines, too.
std::string place_of_access() {
  std::string first;
  for (std::size_t i = 0; i < touch_frame_count; ++i) {
    const Place place = place_of(touch_frames[i]);
    if (is_of_lapwing(place) || place.module.empty()) continue;
    if (has_line_number(place) && !is_of_system(place)) return place.site;
    if (first.empty()) first = place.site;
  }
  return first.empty() ? "an unknown place" : first;
}

// The thread that was stopped may hold any lock of libc's or of MPI's: the job then ends a little later.
void end_at_alarm() {
  std::signal(SIGALRM, [](int) { _exit(LAPWING_VERIFY_STATUS); });
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  alarm(longest_end);
}

[[noreturn]] void end_verification(const std::string& sentence) {
  end_at_alarm();
  const std::string text = fmt::format("lapwing: rank {}: {}\n", verifying_rank, sentence);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  mpi::end_job(LAPWING_VERIFY_STATUS);
}

std::string verify_advice() {
  return " The compiler has moved that wait too far, which is a mistake of Lapwing's: please report it. "
         "Until it is repaired, compile that file with --lapwing-off.";
}

std::string transfer_of(const lapwing_verify_site& its, bool sent) {
  return fmt::format("what {} at {} {}", its.call, its.start, sent ? "sends" : "receives");
}

void speak_of_touch() {
  guard::mark_engine_thread();
  while (sem_wait(&touch_noted) != 0) {
  }
  if (verify_teller) {
    end_at_alarm();
    verify_teller({touched_site, touched_send, place_of_access(), 0, 0});
  }
  end_verification(fmt::format(
      "{} {} {}, before its wait at {}.{}", place_of_access(), touched_send ? "writes to" : "touches",
      transfer_of(*touched_site, touched_send), touched_site->waits, verify_advice()));
}

}  // namespace

void VerifyReport::start(Teller teller) {
  verify_teller = teller;
  PMPI_Comm_rank(MPI_COMM_WORLD, &verifying_rank);
  sem_init(&touch_noted, 0, 0);
  // The unwinder's first use allocates.
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_NO_REASON; }, nullptr);
  const progress::SignalsBlocked blocked;
  std::thread(speak_of_touch).detach();
}

void VerifyReport::note_touch(const lapwing_verify_site& its, bool sent, bool done) {
  if (touch_told.exchange(true)) return;
  touched_site = &its;
  touch_done = done;
  touched_send = sent;
  _Unwind_Backtrace(note_touch_frame, nullptr);
  sem_post(&touch_noted);
}

void VerifyReport::end_at_bytes(const lapwing_verify_site& its, bool sent, std::size_t at,
                                std::size_t length) {
  if (verify_teller) verify_teller({&its, sent, "", at, length});
  end_verification(
      fmt::format("{} was written to before its wait at {}: byte {} of {}. The place of that write is not "
                  "known, as the byte shares its page with other data.{}",
                  transfer_of(its, sent), its.waits, at, length, verify_advice()));
}

void VerifyReport::end_at_status(const lapwing_verify_site& its) {
  end_verification(fmt::format("the status of {} at {} was written to before its wait at {}.{}", its.call,
                               its.start, its.waits, verify_advice()));
}

}  // namespace lapwing::transfer
