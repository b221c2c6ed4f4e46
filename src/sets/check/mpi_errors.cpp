// SPDX-License-Identifier: Apache-2.0
#include "sets/check/mpi_errors.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <string>

#include "sets/messages.hpp"
#include "sets/report/report_text.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::sets {
namespace {

MPI_Errhandler of_comms = MPI_ERRHANDLER_NULL, of_windows = MPI_ERRHANDLER_NULL;

bool is_of_mpi(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  for (const char* prefix : {"libmpi", "libpmpi", "libfmpich", "liblapwing", "libopen-", "libuc", "mca_",
                             "libmca", "libpmix", "libfabric", "libc.so", "libgcc_s"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// "MPI_Recv" for all names of its entry points, or "".
std::string call_of(const char* symbol) {
  std::string name = symbol ? symbol : "";
  if (name.rfind("PMPI_", 0) == 0 || name.rfind("pmpi_", 0) == 0) name.erase(0, 1);
  if (name.rfind("mpi_", 0) == 0) {
    name = "MPI_" + name.substr(4, name.find_last_not_of('_') - 3);
    if (name.size() > 4) name[4] = static_cast<char>(name[4] - 'a' + 'A');
  }
  return name.rfind("MPI_", 0) == 0 ? name : "";
}

struct Culprit {
  std::string call;
  const void* returns_to = nullptr;
};

// The first frame that is not MPI's, and the entry point that it called.
Culprit find_culprit() {
  constexpr int most = 64;
  void* frames[most];
  const int count = backtrace(frames, most);
  Culprit found;
  for (int i = 1; i < count; ++i) {
    Dl_info info{};
    if (!dladdr(static_cast<char*>(frames[i]) - 1, &info) || !info.dli_fname) continue;
    if (!is_of_mpi(info.dli_fname)) {
      found.returns_to = frames[i];
      break;
    }
    const std::string name = call_of(info.dli_sname);
    if (!name.empty()) found.call = name;
  }
  return found;
}

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

}  // namespace lapwing::sets
