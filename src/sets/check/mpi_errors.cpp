// SPDX-License-Identifier: Apache-2.0
#include "sets/check/mpi_errors.hpp"

#include <algorithm>
#include <string>

#include "flavour.hpp"
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
  return {text, static_cast<std::size_t>(size)};
}

// MPICH adds a stack of its own functions, of which the last one says what it did not like.
std::string sentence_of(int code) {
  std::string all = text_of(code);
  std::replace(all.begin(), all.end(), '\n', ' ');
  const std::size_t stack = all.find(", error stack:"), last = all.rfind("): ");
  if (stack == std::string::npos) return all;
  const std::string kind = all.substr(0, stack);
  std::string detail = last == std::string::npos || last < stack ? "" : all.substr(last + 3);
  if (const std::size_t colon = detail.rfind(": "); colon != std::string::npos) detail.erase(0, colon + 2);
  return detail.empty() || detail == kind ? kind : kind + " (" + detail + ")";
}

const char* advice_for(int code) {
  int kind = MPI_SUCCESS;
  PMPI_Error_class(code, &kind);
  switch (kind) {
    case MPI_ERR_TRUNCATE:
      return "Make the buffer of the receive as long as the longest message that it may take.";
    case MPI_ERR_RANK:
      return "Ranks go from 0 to the size of the communicator less one; MPI_ANY_SOURCE is for receives.";
    case MPI_ERR_ROOT:
      return "The root is a rank of the communicator, the same on all of its processes.";
    case MPI_ERR_TAG:
      return "Tags go from 0 to the attribute MPI_TAG_UB; MPI_ANY_TAG is for receives.";
    case MPI_ERR_COUNT:
      return "A count is 0 or more.";
    case MPI_ERR_TYPE:
      return "Pass a datatype that has been committed and not been freed.";
    case MPI_ERR_COMM:
      return "Pass a communicator that has been made and not been freed.";
    case MPI_ERR_OP:
      return "Pass an operation that is defined for the datatype, and has not been freed.";
    case MPI_ERR_BUFFER:
      return "Pass the address of the data; in place of one's own data MPI_IN_PLACE.";
    case MPI_ERR_REQUEST:
      return "Pass a request that has been made and not been freed.";
    case MPI_ERR_RMA_SYNC:
      return "Open an epoch before an access to a window, and close each before the next one.";
    default:
      return "The call is wrong, or its arguments do not fit what other processes pass.";
  }
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
  end_job_in_turn(error_finding(account, sentence_of(code), advice_for(code)));
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
    if (comm == MPI_COMM_SELF && mpi::raising.heard_is_success) continue;  // MPICH 5 (mpi/looks.hpp)
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
