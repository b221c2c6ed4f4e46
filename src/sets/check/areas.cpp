// SPDX-License-Identifier: Apache-2.0
#include "sets/check/areas.hpp"

#include "transfer/wire/datatype.hpp"

namespace lapwing::sets {
namespace {

class Collector {
 public:
  Collector(const GroupCall& call, const Circle& circle) : call_(call), n_(circle.size()), me_(circle.me) {}

  // One block of what is sent, or the blocks of all.
  void sends(bool all) { add(call_.send, all, false); }
  void receives(bool all) { add(call_.receive, all, true); }
  void sends_sum() { add_sum(call_.send, false); }
  void receives_sum() { add_sum(call_.receive, true); }
  void receives_own() { add_run(call_.receive, call_.receive.count(me_), call_.receive.type(), true); }
  void buffer(bool written) { add_run(call_.send, call_.send.count(), call_.send.type(), written); }

  Areas take() { return std::move(areas_); }

 private:
  static bool is_memory(const Data& data) {
    return data.given && data.buffer != MPI_IN_PLACE && data.buffer != MPI_BOTTOM;
  }

  void put(const void* buffer, MPI_Count count, MPI_Datatype type, bool written, bool received) {
    if (count <= 0 || type == MPI_DATATYPE_NULL || transfer::payload_bytes(count, type) == 0) return;
    Area area = area_of(buffer, count, type, written);
    area.received = received;
    if (area.begin) {
      areas_.list.push_back(area);
    } else {
      areas_.complete = false;
    }
  }

  void add_run(const Data& data, MPI_Count count, MPI_Datatype type, bool written) {
    if (is_memory(data)) put(data.buffer, count, type, written, &data == &call_.receive);
  }

  void add(const Data& data, bool all, bool written) {
    if (!is_memory(data)) return;
    if (!data.counts) return add_run(data, all ? data.count() * n_ : data.count(), data.type(), written);
    if (!all) return add_run(data, data.count(me_), data.type(me_), written);
    if (!data.displacements) return add_sum(data, written);
    for (int i = 0; i < n_; ++i) {
      const MPI_Datatype type = data.type(i);
      if (data.count(i) <= 0 || type == MPI_DATATYPE_NULL) continue;
      MPI_Aint lower = 0, extent = 1;
      if (!data.types && PMPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) return;
      put(static_cast<char*>(data.buffer) + data.displacement(i) * extent, data.count(i), type, written,
          &data == &call_.receive);
    }
  }

  // One run with the counts of all.
  void add_sum(const Data& data, bool written) {
    if (!is_memory(data) || !data.counts) return add(data, true, written);
    MPI_Count sum = 0;
    for (int i = 0; i < n_; ++i) sum += data.count(i);
    add_run(data, sum, data.type(), written);
  }

  const GroupCall& call_;
  int n_, me_;
  Areas areas_;
};

}  // namespace

Area area_of(const void* buffer, MPI_Count count, MPI_Datatype type, bool written) {
  if (count <= 0 || type == MPI_DATATYPE_NULL || buffer == MPI_BOTTOM) return {};
  Area area;
  area.length = transfer::payload_bytes(count, type);
  if (area.length == 0) return {};
  area.begin = transfer::contiguous_base(buffer, count, type);
  area.written = written;
  return area.begin ? area : Area{};
}

bool is_missing(const Data& data) {
  return data.given && !data.buffer && !data.counts && !data.types && data.one_count > 0 &&
         data.one_type != MPI_DATATYPE_NULL && transfer::is_predefined(data.one_type);
}

Areas areas_of(const GroupCall& call, const Circle& circle) {
  if (circle.inter) return {{}, false};
  Collector all(call, circle);
  const bool root = call.has_root && call.root == circle.me;
  switch (call.operation) {
    case Operation::bcast:
      all.buffer(!root);
      break;
    case Operation::reduce:
      all.sends(false);
      if (root) all.receives(false);
      break;
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      all.sends(false);
      all.receives(false);
      break;
    case Operation::gather:
    case Operation::gatherv:
      all.sends(false);
      if (root) all.receives(true);
      break;
    case Operation::scatter:
    case Operation::scatterv:
      if (root) all.sends(true);
      all.receives(false);
      break;
    case Operation::allgather:
    case Operation::allgatherv:
      all.sends(false);
      all.receives(true);
      break;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      all.sends(true);
      all.receives(true);
      break;
    case Operation::reduce_scatter:
      all.sends_sum();
      if (call.send.buffer == MPI_IN_PLACE) {
        all.receives_sum();
      } else {
        all.receives_own();
      }
      break;
    case Operation::reduce_scatter_block:
      all.sends(true);
      all.receives(call.send.buffer == MPI_IN_PLACE);
      break;
    default:
      return {{}, false};
  }
  return all.take();
}

}  // namespace lapwing::sets
