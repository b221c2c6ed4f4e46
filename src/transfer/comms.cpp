// SPDX-License-Identifier: Apache-2.0
#include "transfer/comms.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lapwing::transfer {

int Comms::forget(MPI_Comm, int, void* attribute, void*) {
  const std::shared_ptr<CommInfo> info = std::move(static_cast<CommInfo*>(attribute)->self_);
  info->freed.store(true);
  early_total -= info->early.size();
  info->early.clear();
  return MPI_SUCCESS;
}

Comms::Comms() {
  // Without a copy function a duplicate starts with no information of its own.
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, nullptr);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
}

Comms::~Comms() {
  PMPI_Comm_free_keyval(&key_);
  PMPI_Group_free(&world_group_);
}

CommInfo& Comms::of(MPI_Comm comm) {
  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, key_, &attribute, &found);
  if (found) return *static_cast<CommInfo*>(attribute);
  auto info = std::make_shared<CommInfo>();
  info->comm = comm;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (!inter) {
    MPI_Group group;
    int size = 0;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    info->world_.resize(ranks.size());
    PMPI_Group_translate_ranks(group, size, ranks.data(), world_group_, info->world_.data());
    PMPI_Group_free(&group);
    info->eligible = std::find(info->world_.begin(), info->world_.end(), MPI_UNDEFINED) == info->world_.end();
  }
  info->self_ = info;
  PMPI_Comm_set_attr(comm, key_, info.get());
  return *info;
}

}  // namespace lapwing::transfer
