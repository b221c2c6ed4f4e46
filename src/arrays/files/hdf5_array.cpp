// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/hdf5_array.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "arrays/agreement.hpp"
#include "arrays/collectives/collectives.hpp"
#include "arrays/files/hdf5_dataset.hpp"
#include "arrays/files/passage.hpp"

namespace lapwing::arrays {
namespace {

// HDF5 knows C's order alone: of an array in the other order the dimensions are turned round, as its Fortran
// interface does.
hdf5::Content content_of(const View& view) {
  hdf5::Content content{view.distribution.type, view.distribution.opaque_bytes, {}};
  for (const SectionDimension& d : filled(view.section, view.distribution).dimensions)
    content.extents.push_back(d.count);
  if (view.distribution.order == Order::column_major)
    std::reverse(content.extents.begin(), content.extents.end());
  return content;
}

class Hdf5Passage {
 public:
  Hdf5Passage(const std::shared_ptr<TaskComm>& comm, const char* path, const char* dataset,
              const Operand& array, bool writes)
      : comm_(comm),
        array_(array),
        writes_(writes),
        name_(dataset ? dataset : ""),
        passage_(comm, path, name_, array, writes) {}

  Error run() {
    Error mine;
    if (name_.empty()) mine = passage_.here(Code::argument, "the dataset has no name");
    if (!mine && comm_->rank() == 0 && !hdf5::library().why.empty())
      mine = passage_.here(Code::state, hdf5::library().why);
    if (Error error = passage_.begin(mine)) return error;
    if (comm_->rank() == 0) mine = prepare();
    if (Error error = agree_within(*comm_, mine, 0)) return error;
    long long place = place_;
    complete([&](MPI_Request* r) { PMPI_Ibcast(&place, 1, MPI_LONG_LONG, 0, comm_->program(), r); });
    if (place >= 0) return passage_.run_at(place);
    if (writes_) return {};  // there is nothing to write
    return passage_.run_by_first([this](const FileRound& round, char* to) { return read(round, to); });
  }

 private:
  Error prepare() {
    const hdf5::Silence silence;
    const hdf5::Content content = content_of(*array_.view);
    std::string why = writes_ ? dataset_.create(passage_.path(), name_, content)
                              : dataset_.open(passage_.path(), name_, content);
    place_ = dataset_.place();
    // From here on MPI has the file.
    if (why.empty() && (writes_ || place_ >= 0)) why = dataset_.close();
    return why.empty() ? Error{} : passage_.here(Code::file, why);
  }

  std::string read(const FileRound& round, char* to) const {
    const hdf5::Silence silence;
    const Section section = filled(array_.view->section, array_.view->distribution);
    std::vector<std::int64_t> first, count;
    for (std::size_t d = 0; d < section.dimensions.size(); ++d) {
      const SectionDimension &all = section.dimensions[d], &part = round.part.dimensions[d];
      first.push_back((part.first - all.first) / all.stride);
      count.push_back(part.count);
    }
    if (array_.view->distribution.order == Order::column_major) {
      std::reverse(first.begin(), first.end());
      std::reverse(count.begin(), count.end());
    }
    return dataset_.read(first, count, to);
  }

  std::shared_ptr<TaskComm> comm_;
  Operand array_;
  bool writes_;
  std::string name_;
  Passage passage_;
  hdf5::Dataset dataset_;
  std::int64_t place_ = -1;
};

}  // namespace

Error write_hdf5(const std::shared_ptr<TaskComm>& comm, const char* path, const char* dataset,
                 const Operand& array) {
  return Hdf5Passage(comm, path, dataset, array, true).run();
}

Error read_hdf5(const std::shared_ptr<TaskComm>& comm, const char* path, const char* dataset,
                const Operand& array) {
  return Hdf5Passage(comm, path, dataset, array, false).run();
}

}  // namespace lapwing::arrays
