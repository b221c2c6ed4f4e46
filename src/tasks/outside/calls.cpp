// SPDX-License-Identifier: Apache-2.0
// The program's calls that wait, on their way to MPI.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "mpi/binding.hpp"
#include "tasks/outside/forms.hpp"
#include "tasks/outside/references.hpp"

// Of outside_calls.S.
extern "C" {
__attribute__((visibility("hidden"))) extern const std::array<char, 16> lapwing_outside_stubs[];
__attribute__((visibility("hidden"))) int lapwing_entry_call(void* target, const std::int64_t* registers,
                                                             const std::int64_t* stack);
__attribute__((visibility("hidden"))) void lapwing_entry_done();
__attribute__((visibility("hidden"), tls_model("initial-exec"))) __thread int lapwing_entry_result = 0;
__attribute__((visibility("hidden"))) void* lapwing_outside_call(unsigned index,
                                                                 const std::int64_t* registers,
                                                                 const std::int64_t* stack);
}

namespace lapwing::tasks::outside {
namespace {

constexpr unsigned most_calls = 512;
OutsideHooks hooks;
Initialised initialised = Initialised::no;
bool by_form[most_calls];                  // this call is made by its form
std::atomic<void*> originals[most_calls];  // where the program's calls went
Waits waits;

int number_of(const char* name) {
  const auto* const end = calls + call_count;
  const auto* const found = std::lower_bound(calls, end, name, [](const Call& call, const char* wanted) {
    return std::strcmp(call.name, wanted) < 0;
  });
  return found != end && std::strcmp(found->name, name) == 0 ? static_cast<int>(found - calls) : -1;
}

// Lapwing's engine stands there: its messages may travel in strips.
bool is_engines(void* function) {
  Dl_info info;
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, "liblapwing") != nullptr;
}

void redirect_all() {
  for (const Reference& each : references(number_of)) {
    const auto call = static_cast<unsigned>(each.call);
    auto* const own = const_cast<char*>(lapwing_outside_stubs[call].data());
    void* const now = __atomic_load_n(each.at, __ATOMIC_ACQUIRE);
    if (now == own) continue;
    void* const original = each.unbound ? behind(calls[call].name) : now;
    void* known = nullptr;
    if (original == nullptr) continue;
    // Of a file that is bound to something else than the others, the calls stay as they are.
    if (!originals[call].compare_exchange_strong(known, original) && known != original) continue;
    redirect(each, own);
  }
}

void say_once() {
  static std::once_flag said;
  std::call_once(said, [] {
    std::fputs(
        "lapwing: a task waits in a call of MPI's and holds its worker meanwhile, as this program has asked "
        "for less than MPI_THREAD_MULTIPLE; with MPI_Init_thread(..., MPI_THREAD_MULTIPLE, ...) other tasks "
        "run\n",
        stderr);
  });
}

Initialised how_initialised() {
  int there = 0, level = 0;
  PMPI_Initialized(&there);
  if (there == 0) return Initialised::no;
  PMPI_Finalized(&there);
  if (there != 0) return Initialised::no;
  PMPI_Query_thread(&level);
  return level < MPI_THREAD_MULTIPLE ? Initialised::with_less : Initialised::with_multiple;
}

Initialised watch(const OutsideHooks& asked) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Initialised now = how_initialised();
  if (now == Initialised::no || call_count > most_calls) return Initialised::no;
  hooks = asked;
  initialised = now;
  const bool engine = is_engines(behind("MPI_Irecv"));
  for (unsigned i = 0; i < call_count; ++i)
    by_form[i] = !engine && calls[i].form != nullptr && behind(calls[i].other) != nullptr;
  redirect_all();
  return now;
}

}  // namespace

Outside::Outside() : left_(hooks.leave()) {}
Outside::~Outside() {
  if (left_) hooks.come_back();
}

bool raises_alike(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return true;
  if (comm == MPI_COMM_NULL) return false;
  MPI_Errhandler own = MPI_ERRHANDLER_NULL, usual = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &own);
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &usual);
  const bool alike = own == usual && (own == MPI_ERRORS_ARE_FATAL || own == MPI_ERRORS_RETURN);
  PMPI_Errhandler_free(&own);
  PMPI_Errhandler_free(&usual);
  return alike;
}

void* behind(const char* name) { return mpi::function(name); }

void wait_outside(const Question& question) { waits.wait(question, hooks); }

int finish(MPI_Request request, MPI_Status* status) {
  static auto* const test = next<int(MPI_Request*, int*, MPI_Status*)>("MPI_Test");
  int flag = 0;
  return until([&](bool& done) {
    const int error = test(&request, &flag, status);
    done = flag != 0;
    return error;
  });
}

}  // namespace lapwing::tasks::outside

void* lapwing_outside_call(unsigned index, const std::int64_t* registers, const std::int64_t* stack) {
  using namespace lapwing::tasks;
  using namespace lapwing::tasks::outside;
  void* const original = originals[index].load(std::memory_order_acquire);
  if (!hooks.in_task(true)) return original;
  if (initialised != Initialised::with_multiple) {
    if (hooks.in_task(false)) say_once();
    return original;
  }
  if (by_form[index]) {
    lapwing_entry_result = lapwing_entry_call(calls[index].form, registers, stack);
  } else {
    const Outside outside;
    lapwing_entry_result = lapwing_entry_call(original, registers, stack);
  }
  return reinterpret_cast<void*>(&lapwing_entry_done);
}

extern "C" __attribute__((visibility("default"))) lapwing::tasks::Initialised lapwing_tasks_outside_1(
    const lapwing::tasks::OutsideHooks& hooks) {
  return lapwing::tasks::outside::watch(hooks);
}
