/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 9 of 9: Fourier transforms.
 *
 * A plan of serial transforms, where a dimension is whole on each process, with redistributions
 * between. FFTW 3 makes the serial transforms: of the program, where that is linked with it (or with
 * a library that has its interface), or the system's libfftw3.so.3 and libfftw3f.so.3. Lapwing is
 * built without FFTW; where there is none, making a plan is an error that says so.
 */
#ifndef LAPWING_ARRAY_FFT_H
#define LAPWING_ARRAY_FFT_H

#include "lapwing/array_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lapwing_fft lapwing_fft;

/** The plan of transforms of whole arrays that lie as `source` does into arrays that lie as
 *  `destination` (null: as `source`): LAPWING_COMPLEX64 or _COMPLEX128, of one shape, over any grid of
 *  the task. `axis`: the `axes` different dimensions to be transformed, in any order; 0 of them: all. One
 *  dimension is divided among the processes where it is long enough, else two are. Makes the memory
 *  of all stages, as large as the process' part of the array each, once. Errors are the same on all
 *  processes of the task: LAPWING_ARRAY_ERR_STATE where FFTW is missing on one, and those of
 *  lapwing_array_redistribute(). Every process of the task makes this call and those below. */
int lapwing_fft_create(const lapwing_distribution* source, const lapwing_distribution* destination, int axes,
                       const int* axis, lapwing_tasks* tasks, lapwing_fft** plan);

/** `out` becomes the transform of `local`, as numpy.fft.fftn defines it: the sum with exp(-2 pi i j k / n),
 *  unscaled. `local` stays; the two may be the same memory where the distributions are. Blocks. */
int lapwing_fft_forward(lapwing_fft* plan, const void* local, int64_t elements, void* out,
                        int64_t out_elements);

/** The inverse, divided by the number of elements of one transform: from an array that lies as the
 *  destination to one that lies as the source. */
int lapwing_fft_backward(lapwing_fft* plan, const void* local, int64_t elements, void* out,
                         int64_t out_elements);

/** Sets `*plan` to null. Before the tasks are freed. */
int lapwing_fft_free(lapwing_fft** plan);

#ifdef __cplusplus
}
#endif
#endif
