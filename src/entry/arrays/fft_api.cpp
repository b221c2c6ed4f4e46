// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 9: Fourier transforms.
#include <vector>

#include "arrays/fft/fft_plan.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using lapwing::entry::refused;
using lapwing::entry::view_of;

struct lapwing_fft {
  std::unique_ptr<arrays::FftPlan> plan;
};

namespace {

int run(const char* routine, lapwing_fft* plan, bool forward, const void* local, int64_t elements, void* out,
        int64_t out_elements) {
  if (!plan) return refused(routine, Code::argument, "the plan is null");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  return arrays::report(routine, plan->plan->run(forward, local, elements, out, out_elements));
}

}  // namespace

LAPWING_ENTRY int lapwing_fft_create(const lapwing_distribution* source,
                                     const lapwing_distribution* destination, int axes, const int* axis,
                                     lapwing_tasks* tasks, lapwing_fft** plan) {
  if (!plan) return refused(__func__, Code::argument, "the plan is null");
  *plan = nullptr;
  if (!tasks) return refused(__func__, Code::argument, "the tasks are null");
  if (axes < 0 || (axes > 0 && !axis))
    return refused(__func__, Code::argument, "there are no dimensions at `axis`");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(__func__, error);
  std::unique_ptr<arrays::FftPlan> made;
  const arrays::Error error =
      arrays::FftPlan::make(tasks->comm, view_of(source), view_of(destination ? destination : source),
                            std::vector<int>(axis, axis + axes), &made);
  if (!error) *plan = new lapwing_fft{std::move(made)};
  return arrays::report(__func__, error);
}

LAPWING_ENTRY int lapwing_fft_forward(lapwing_fft* plan, const void* local, int64_t elements, void* out,
                                      int64_t out_elements) {
  return run(__func__, plan, true, local, elements, out, out_elements);
}

LAPWING_ENTRY int lapwing_fft_backward(lapwing_fft* plan, const void* local, int64_t elements, void* out,
                                       int64_t out_elements) {
  return run(__func__, plan, false, local, elements, out, out_elements);
}

LAPWING_ENTRY int lapwing_fft_free(lapwing_fft** plan) {
  if (!plan) return refused(__func__, Code::argument, "the plan is null");
  delete *plan;
  *plan = nullptr;
  return LAPWING_ARRAY_OK;
}
