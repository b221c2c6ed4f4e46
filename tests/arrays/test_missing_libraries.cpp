// SPDX-License-Identifier: Apache-2.0
// Fourier transforms where FFTW is missing, and HDF5 files where HDF5 is: this program makes such a machine
// of any.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <complex>
#include <cstring>
#include <string>

#include "lapwing/arrays.hpp"

// In place of libc's, for the engine too, which is linked into this program.
extern "C" void* dlopen(const char* file, int mode) noexcept {
  if (file && (std::strstr(file, "libfftw3") || std::strstr(file, "libhdf5"))) return nullptr;
  using Open = void*(const char*, int);
  static auto* const open = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "dlopen"));
  return open(file, mode);
}

namespace lapwing {
namespace {

TEST(MissingLibraries, FftwIsNamedOnAllProcesses) {
  lapwing_array_errors_return(1);
  {
    const Tasks tasks(MPI_COMM_WORLD, 0);
    DistributedArray<std::complex<double>> a(tasks, {lapwing_block(9, tasks.processes(), 0)},
                                             {tasks.processes()});
    try {
      const Fft plan(a, a, tasks);
      FAIL() << "a plan was made";
    } catch (const ArrayError& error) {
      EXPECT_EQ(error.code(), LAPWING_ARRAY_ERR_STATE);
      const std::string words = error.what();
      EXPECT_NE(words.find("task 0, rank 0: FFTW 3 makes the transforms, and its library libfftw3.so.3 is "
                           "not on this machine"),
                std::string::npos)
          << words;
      EXPECT_NE(words.find("libfftw3-double3"), std::string::npos) << words;
    }
  }
  lapwing_array_errors_return(0);
}

TEST(MissingLibraries, Hdf5IsNamedOnAllProcessesAndNoFileIsMade) {
  lapwing_array_errors_return(1);
  {
    const Tasks tasks(MPI_COMM_WORLD, 0);
    DistributedArray<double> a(tasks, {lapwing_block(9, tasks.processes(), 0)}, {tasks.processes()});
    const char* const path = "/tmp/lapwing-no-hdf5.h5";
    for (const bool writes : {true, false}) {
      try {
        writes ? write_hdf5(path, "a", a, tasks) : read_hdf5(path, "a", a, tasks);
        FAIL() << "there was a file";
      } catch (const ArrayError& error) {
        EXPECT_EQ(error.code(), LAPWING_ARRAY_ERR_STATE);
        const std::string words = error.what();
        EXPECT_NE(words.find("task 0, rank 0: HDF5 is not installed on this machine"), std::string::npos)
            << words;
        EXPECT_NE(words.find("libhdf5-103-1"), std::string::npos) << words;
      }
    }
    EXPECT_NE(access(path, F_OK), 0);
  }
  lapwing_array_errors_return(0);
}

}  // namespace
}  // namespace lapwing
