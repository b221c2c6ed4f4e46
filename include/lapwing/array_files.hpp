// SPDX-License-Identifier: Apache-2.0
// Arrays in files for C++; lapwing/arrays.hpp includes it.
#pragma once

#include <string>

#include "lapwing/arrays.hpp"

namespace lapwing {

/// The elements of the whole array, from byte `offset` of the file on (lapwing_array_write). Collective over
/// the task.
template <typename T>
void write(const std::string& path, const DistributedArray<T>& a, const Tasks& tasks,
           std::int64_t offset = 0) {
  detail::check_array(lapwing_array_write(path.c_str(), offset, a.local().data(), a.allocated(),
                                          a.distribution().get(), tasks.get()));
}

/// The other way, under any distribution.
template <typename T>
void read(const std::string& path, DistributedArray<T>& a, const Tasks& tasks, std::int64_t offset = 0) {
  detail::check_array(lapwing_array_read(path.c_str(), offset, a.local().data(), a.allocated(),
                                         a.distribution().get(), tasks.get()));
}

/// The elements as a dataset of an HDF5 file (lapwing_array_write_hdf5). Collective over the task.
template <typename T>
void write_hdf5(const std::string& path, const std::string& dataset, const DistributedArray<T>& a,
                const Tasks& tasks) {
  detail::check_array(lapwing_array_write_hdf5(path.c_str(), dataset.c_str(), a.local().data(), a.allocated(),
                                               a.distribution().get(), tasks.get()));
}

/// The other way, under any distribution.
template <typename T>
void read_hdf5(const std::string& path, const std::string& dataset, DistributedArray<T>& a,
               const Tasks& tasks) {
  detail::check_array(lapwing_array_read_hdf5(path.c_str(), dataset.c_str(), a.local().data(), a.allocated(),
                                              a.distribution().get(), tasks.get()));
}

}  // namespace lapwing
