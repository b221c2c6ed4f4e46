// SPDX-License-Identifier: Apache-2.0
#include "sets/check/mpi_errors.hpp"

#include <algorithm>
#include <string>

#include "sets/check/culprit.hpp"
#include "sets/messages.hpp"
#include "sets/report/report_text.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::sets {
namespace {

MPI_Errhandler of_comms = MPI_ERRHANDLER_NULL, of_windows = MPI_ERRHANDLER_NULL;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  PMPI_Error_string(code, text, &size);
  std::string all(text, static_cast<std::size_t>(size));
  std::replace(all.begin(), all.end(), '\n', ' ');
  return all;
}

// Several ranks may have such an error: the lowest says it.
[[noreturn]] void report(int code, const std::string& group) {
  const Culprit culprit = find_culprit();
  Told told;
  told.returns_to = culprit.returns_to;
  Account account;
  account.rank = Messages::rank();
  account.call = culprit.call.empty() ? "a call of MPI's" : culprit.call;
  account.site = site_text(told);
  account.group = group;
  account.collective = !group.empty();
  end_job_in_turn(error_finding(account, text_of(code)));
}

void on_comm(MPI_Comm* comm, int* code, ...) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int size = 0;
  PMPI_Comm_get_name(*comm, name, &size);
  report(*code, name);
}

void on_window(MPI_Win*, int* code, ...) { report(*code, ""); }

}  // namespace

void MpiErrors::start() {
  PMPI_Comm_create_errhandler(on_comm, &of_comms);
  PMPI_Win_create_errhandler(on_window, &of_windows);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &now);
    if (now == MPI_ERRORS_ARE_FATAL) PMPI_Comm_set_errhandler(comm, of_comms);
  }
}

void MpiErrors::watch(MPI_Win win) {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(win, &now);
  if (now == MPI_ERRORS_ARE_FATAL) PMPI_Win_set_errhandler(win, of_windows);
}

bool MpiErrors::reports_window(MPI_Win win) {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(win, &now);
  const bool ours = now == of_windows;
  if (now != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&now);
  return ours;
}

bool MpiErrors::reports_comm(MPI_Comm comm) {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &now);
  const bool ours = now == of_comms;
  if (now != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&now);
  return ours;
}

}  // namespace lapwing::sets
