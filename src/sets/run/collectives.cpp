// SPDX-License-Identifier: Apache-2.0
#include "sets/run/collectives.hpp"

#include <fmt/format.h>

#include <mutex>
#include <stdexcept>
#include <vector>

#include "mpi/ending.hpp"
#include "sets/messages.hpp"
#include "sets/report/error_status.hpp"
#include "sets/run/passing_on.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::sets {
namespace {

class TooLarge : public std::runtime_error {
 public:
  TooLarge()
      : std::runtime_error(
            "a count or displacement does not fit an int, which calls on a set are limited to") {}
};

int n(long long value) {
  int small = 0;
  if (!as_int(value, &small)) throw TooLarge();
  return small;
}

// One datatype for the whole block of a rank, so that the rank is the displacement.
class BlockType {
 public:
  explicit BlockType(const Data& data) {
    if (data.one_type == MPI_DATATYPE_NULL) return;
    PMPI_Type_contiguous(n(data.one_count), data.one_type, &type_);
    PMPI_Type_commit(&type_);
  }
  ~BlockType() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }
  BlockType(const BlockType&) = delete;
  BlockType& operator=(const BlockType&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The members' part of arrays with an entry for each rank. MPI reads those of a
// non-blocking call until it is over, so they are kept.
struct Parts {
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const MPI_Datatype* types = nullptr;
};

Parts parts_of(SetComms& set, const Data& data) {
  if (data.buffer == MPI_IN_PLACE || !data.counts) return {};
  std::vector<int> counts, displacements;
  std::vector<MPI_Datatype> types;
  for (const int r : set.ranks) {
    counts.push_back(n(data.count(r)));
    if (data.displacements) displacements.push_back(n(data.displacement(r)));
    if (data.types) types.push_back(data.type(r));
  }
  Parts parts;
  parts.counts = set.keep(std::move(counts));
  parts.displacements = set.keep(std::move(displacements));
  if (!types.empty()) parts.types = set.types.insert(std::move(types)).first->data();
  return parts;
}

struct Ready {
  const GroupCall& call;
  SetComms& set;
  MPI_Comm comm;
  int root;  // in the set
  bool at_root;
  const int* ones;
  const int* ranks;
};

#define LAPWING_ON_SET(BLOCKING, IMMEDIATE, ...)                                      \
  (call.way == Way::immediate ? PMPI_##IMMEDIATE(__VA_ARGS__, r.comm, &made->request) \
                              : PMPI_##BLOCKING(__VA_ARGS__, r.comm))

int plain(const Ready& r, Made* made) {
  const GroupCall& call = r.call;
  const Data &s = call.send, &t = call.receive;
  switch (call.operation) {
    case Operation::barrier:
      return call.way == Way::immediate ? PMPI_Ibarrier(r.comm, &made->request) : PMPI_Barrier(r.comm);
    case Operation::bcast:
      return LAPWING_ON_SET(Bcast, Ibcast, s.buffer, n(s.one_count), s.one_type, r.root);
    case Operation::reduce:
      return LAPWING_ON_SET(Reduce, Ireduce, s.buffer, t.buffer, n(s.one_count), s.one_type, call.op, r.root);
    case Operation::allreduce:
      return LAPWING_ON_SET(Allreduce, Iallreduce, s.buffer, t.buffer, n(s.one_count), s.one_type, call.op);
    case Operation::scan:
      return LAPWING_ON_SET(Scan, Iscan, s.buffer, t.buffer, n(s.one_count), s.one_type, call.op);
    default:
      return LAPWING_ON_SET(Exscan, Iexscan, s.buffer, t.buffer, n(s.one_count), s.one_type, call.op);
  }
}

int one_to_all(const Ready& r, Made* made) {
  const GroupCall& call = r.call;
  const Data &s = call.send, &t = call.receive;
  const bool receives_in_place = t.buffer == MPI_IN_PLACE;
  const int count = receives_in_place ? 0 : n(t.one_count);
  if (call.operation == Operation::scatter) {
    if (!r.at_root)
      return LAPWING_ON_SET(Scatterv, Iscatterv, nullptr, nullptr, nullptr, MPI_BYTE, t.buffer, count,
                            t.one_type, r.root);
    const BlockType block(s);
    return LAPWING_ON_SET(Scatterv, Iscatterv, s.buffer, r.ones, r.ranks, block, t.buffer, count, t.one_type,
                          r.root);
  }
  const Parts parts = r.at_root ? parts_of(r.set, s) : Parts{};
  return LAPWING_ON_SET(Scatterv, Iscatterv, s.buffer, parts.counts, parts.displacements,
                        r.at_root ? s.one_type : MPI_BYTE, t.buffer, count, t.one_type, r.root);
}

int all_to_one(const Ready& r, Made* made) {
  const GroupCall& call = r.call;
  const Data &s = call.send, &t = call.receive;
  const int count = s.buffer == MPI_IN_PLACE ? 0 : n(s.one_count);
  if (call.operation == Operation::gather) {
    if (!r.at_root)
      return LAPWING_ON_SET(Gatherv, Igatherv, s.buffer, count, s.one_type, nullptr, nullptr, nullptr,
                            MPI_BYTE, r.root);
    const BlockType block(t);
    return LAPWING_ON_SET(Gatherv, Igatherv, s.buffer, count, s.one_type, t.buffer, r.ones, r.ranks, block,
                          r.root);
  }
  const Parts parts = r.at_root ? parts_of(r.set, t) : Parts{};
  return LAPWING_ON_SET(Gatherv, Igatherv, s.buffer, count, s.one_type, t.buffer, parts.counts,
                        parts.displacements, r.at_root ? t.one_type : MPI_BYTE, r.root);
}

// MPICH 4.0 ignores the displacement in an allgatherv of one process.
bool alone(const Ready& r) { return r.set.ranks.size() == 1; }

int all_to_all(const Ready& r, Made* made) {
  const GroupCall& call = r.call;
  const Data &s = call.send, &t = call.receive;
  const bool in_place = s.buffer == MPI_IN_PLACE;
  const MPI_Datatype type = in_place ? t.one_type : s.one_type;
  switch (call.operation) {
    case Operation::allgather: {
      const BlockType block(t);
      if (alone(r)) {
        return LAPWING_ON_SET(Gatherv, Igatherv, s.buffer, in_place ? 0 : n(s.one_count), type, t.buffer,
                              r.ones, r.ranks, block, 0);
      }
      return LAPWING_ON_SET(Allgatherv, Iallgatherv, s.buffer, in_place ? 0 : n(s.one_count), type, t.buffer,
                            r.ones, r.ranks, block);
    }
    case Operation::allgatherv: {
      const Parts parts = parts_of(r.set, t);
      if (alone(r)) {
        return LAPWING_ON_SET(Gatherv, Igatherv, s.buffer, in_place ? 0 : n(s.one_count), type, t.buffer,
                              parts.counts, parts.displacements, t.one_type, 0);
      }
      return LAPWING_ON_SET(Allgatherv, Iallgatherv, s.buffer, in_place ? 0 : n(s.one_count), type, t.buffer,
                            parts.counts, parts.displacements, t.one_type);
    }
    case Operation::alltoall: {
      const BlockType out(in_place ? t : s), in(t);
      return LAPWING_ON_SET(Alltoallv, Ialltoallv, s.buffer, r.ones, r.ranks, out, t.buffer, r.ones, r.ranks,
                            in);
    }
    case Operation::alltoallv: {
      const Parts in = parts_of(r.set, t), out = in_place ? in : parts_of(r.set, s);
      return LAPWING_ON_SET(Alltoallv, Ialltoallv, s.buffer, out.counts, out.displacements, type, t.buffer,
                            in.counts, in.displacements, t.one_type);
    }
    default: {
      const Parts in = parts_of(r.set, t), out = in_place ? in : parts_of(r.set, s);
      return LAPWING_ON_SET(Alltoallw, Ialltoallw, s.buffer, out.counts, out.displacements, out.types,
                            t.buffer, in.counts, in.displacements, in.types);
    }
  }
}

std::string name_of(const SetComms& known) {
  return fmt::format("the set of {} of {}", Family::list(known.set->members()), known.family->name());
}

[[noreturn]] void fail_as_merged(const std::string& call, const std::string& set) {
  fail(fmt::format(
      "{}: its communicator is that of {}, which is no longer current: its merge has been reached; "
      "a duplicate made before the merge would last",
      call, set));
}

}  // namespace

std::string place_of(const GroupCall& call) {
  const std::string place = call.site         ? describe(call.site->place)
                            : call.returns_to ? transfer::place_of(call.returns_to).site
                                              : "an unknown place";
  return fmt::format("{} at {}", call.name, place);
}

int refuse(Family& family, Set& set, const GroupCall& call, int code, const std::string& sentence) {
  if (set.mine() == 0) {
    fmt::print(stderr, "lapwing: {}, which the set of {} of {} runs: {}.\n", place_of(call),
               Family::list(set.members()), family.name(), sentence);
    mpi::let_words_arrive();
  }
  // No process ends the job before the sentence is out.
  if (set.size() > 1) PMPI_Barrier(family.comm_of(set));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(call.comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) mpi::end_job(error_status);
  if (handler != MPI_ERRORS_RETURN) PMPI_Errhandler_free(&handler);
  PMPI_Comm_call_errhandler(call.comm, code);
  return code;
}

void refuse_stale(const GroupCall& call) {
  const SetComms* known = Family::set_of(call.comm);
  if (!known) return;
  const std::string set = name_of(*known);
  if (call.operation == Operation::comm_free) {
    fail(fmt::format("{}: the communicator of {} is Lapwing's, which keeps it for the next time and frees it",
                     place_of(call), set));
  }
  if (!known->family->stack.active(known->set)) fail_as_merged(place_of(call), set);
}

void refuse_merged(MPI_Comm comm, transfer::Caller caller) {
  const std::lock_guard guard(Messages::lock());
  const SetComms* known = at_hand.run ? Family::set_of(comm) : nullptr;
  if (!known || known->family->stack.active(known->set)) return;
  const std::string place = caller.address ? transfer::place_of(caller.address).site : "an unknown place";
  fail_as_merged(fmt::format("{} at {}", caller.name, place), name_of(*known));
}

int move_data(Family& family, Set& set, const GroupCall& call, Made* made) {
  const MPI_Comm comm = family.comm_of(set);
  SetComms& known = family.comms(set);
  const int root = call.has_root ? set.members().position(call.root) : -1;
  const Ready r{call,
                known,
                comm,
                root,
                root == set.mine(),
                known.keep(std::vector<int>(known.ranks.size(), 1)),
                known.ranks.data()};
  try {
    switch (call.operation) {
      case Operation::scatter:
      case Operation::scatterv:
        return one_to_all(r, made);
      case Operation::gather:
      case Operation::gatherv:
        return all_to_one(r, made);
      case Operation::allgather:
      case Operation::allgatherv:
      case Operation::alltoall:
      case Operation::alltoallv:
      case Operation::alltoallw:
        return all_to_all(r, made);
      default:
        return plain(r, made);
    }
  } catch (const TooLarge& error) {
    return refuse(family, set, call, MPI_ERR_COUNT, error.what());
  }
}

bool carry_out(Family& family, Set& set, const GroupCall& call, int* result, Made* made) {
  const Membership& members = set.members();
  const auto say = [&](int code, const std::string& sentence) {
    *result = refuse(family, set, call, code, sentence);
    return true;
  };
  if (call.way == Way::persistent)
    return say(
        MPI_ERR_UNSUPPORTED_OPERATION,
        "persistent collectives cannot act on a set; make the request on lapwing_set_comm(), or where all "
        "processes are");
  if (call.operation <= Operation::reduce_scatter_block) {
    if (call.has_root && call.root >= 0 && call.root < members.ranks() && !members.has(call.root)) {
      return say(MPI_ERR_ROOT,
                 fmt::format("its root, rank {} of {}, is not in that set; choose a root among those "
                             "who make the call",
                             call.root, family.name()));
    }
    const bool blocks =
        call.operation == Operation::reduce_scatter || call.operation == Operation::reduce_scatter_block;
    *result = blocks ? reduce_blocks(family, set, call, made) : move_data(family, set, call, made);
    return true;
  }
  switch (call.operation) {
    case Operation::comm_create: {
      // All processes of the group must be there to make it.
      MPI_Group here, absent;
      int missing = 0;
      PMPI_Comm_group(family.comm_of(set), &here);
      PMPI_Group_difference(call.group, here, &absent);
      PMPI_Group_size(absent, &missing);
      PMPI_Group_free(&here);
      if (absent != MPI_GROUP_EMPTY) PMPI_Group_free(&absent);
      if (missing > 0)
        return say(MPI_ERR_GROUP, fmt::format("{} processes of its group are not in that set", missing));
      made->instead = family.comm_of(set);
      return false;
    }
    case Operation::comm_dup:
    case Operation::comm_dup_with_info:
    case Operation::comm_idup:
    case Operation::comm_idup_with_info:
    case Operation::comm_split:
    case Operation::comm_split_type:
    case Operation::cart_create:
    case Operation::graph_create:
    case Operation::file_open:
      made->instead = family.comm_of(set);
      return false;
    case Operation::comm_create_group:
    case Operation::comm_free:
    case Operation::comm_disconnect:
      return false;
    default:
      return say(MPI_ERR_UNSUPPORTED_OPERATION,
                 "this call numbers processes by the communicator and cannot act on a part of it; make it on "
                 "lapwing_set_comm(), or where all processes are");
  }
}

}  // namespace lapwing::sets
