// SPDX-License-Identifier: Apache-2.0
#include "sets/check/wrong_end.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "mpi/ending.hpp"
#include "sets/check/culprit.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

pid_t process_at_start = getpid();

bool is_checked() {
  const char* mode = std::getenv("LAPWING_SETS");
  return mode && std::string_view(mode) == "check" && getpid() == process_at_start;
}

// Of MPI_COMM_WORLD, by the launcher: MPI may not be asked.
int rank_by_launcher() {
  for (const char* variable : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::atoi(rank);
  return 0;
}

// The processes of a node that one launcher has started have the same mistake, as a rule. The first of them
// that takes the name speaks; the kernel takes it back.
bool is_first() {
  const int name = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto length =
      fmt::format("lapwing-check-{}", getppid()).copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto size = offsetof(sockaddr_un, sun_path) + 1 + length;
  return name < 0 || bind(name, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(size)) == 0;
}

[[noreturn]] void tell_first(const Finding& finding) {
  job_ends = true;
  if (!is_first()) mpi::end_job_in_silence(error_status);
  warn(finding);
  // Processes that come later find the name taken.
  const timespec pause{0, 500'000'000L};
  nanosleep(&pause, nullptr);
  mpi::end_job(error_status);
}

Account account_of_culprit(const Culprit& culprit) {
  Told told;
  told.returns_to = culprit.returns_to;
  Account account;
  account.rank = rank_by_launcher();
  account.call = culprit.call;
  account.site = site_text(told);
  return account;
}

}  // namespace

void WrongEnd::at_second_init() {
  if (!is_checked()) return;
  tell_first(second_init_finding(account_of_culprit(find_culprit())));
}

void WrongEnd::look() {
  int initialised = 0, finalised = 0;
  if (!is_checked() || job_ends) return;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  if (initialised && !finalised && !expected_) return;
  const Culprit culprit = find_culprit();
  if (initialised && !finalised) {
    Account account;
    account.rank = rank_by_launcher();
    account.call = "exit";
    account.ended = true;
    tell_first(no_finalize_finding(account));
  }
  if (culprit.call.empty() || !culprit.returns_to) return;
  tell_first(outside_finding(account_of_culprit(culprit), finalised != 0));
}

namespace {

__attribute__((destructor)) void look_at_the_end() { WrongEnd::look(); }

}  // namespace
}  // namespace lapwing::sets

extern "C" __attribute__((visibility("default"))) void lapwing_check_exit() {
  lapwing::sets::WrongEnd::look();
}
