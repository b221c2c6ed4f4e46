// SPDX-License-Identifier: Apache-2.0
// Steps of a whole communicator, or of a rank alone, on bytes that may still be on their way:
// collectives, packing and reducing, touching.
#include <vector>

#include "runner.hpp"

namespace lapwing::fuzz {
namespace {

// A block anywhere in the room that step.bytes gives it, of any size: many are empty, or fill it.
struct UnevenBlocks {
  std::vector<int> counts, places;
  UnevenBlocks(const Step& step, int me, int size, bool sends) {
    for (int other = 0; other < size; ++other) {
      const auto from = static_cast<uint64_t>(sends ? me : other),
                 to = static_cast<uint64_t>(sends ? other : me);
      const uint64_t die = combine(step.key, from, to), room = step.bytes;
      const uint64_t count = die % 4 == 0 ? 0 : die % 4 == 1 ? room : die / 4 % (room + 1);
      counts.push_back(static_cast<int>(count));
      places.push_back(static_cast<int>(static_cast<uint64_t>(other) * room +
                                        combine(die, static_cast<uint64_t>(sends)) % (room - count + 1)));
    }
  }
};

// A share of each process, anywhere in the room that step.bytes gives it.
struct UnevenShares {
  std::vector<int> counts, places;
  explicit UnevenShares(const Step& step, int size) {
    for (int other = 0; other < size; ++other) {
      const uint64_t die = combine(step.key, static_cast<uint64_t>(other), 5), room = step.bytes;
      const uint64_t count = die % 4 == 0 ? 0 : die % 4 == 1 ? room : die / 4 % (room + 1);
      counts.push_back(static_cast<int>(count));
      places.push_back(static_cast<int>(static_cast<uint64_t>(other) * room + die % (room - count + 1)));
    }
  }
  int of(int process) const { return counts[static_cast<size_t>(process)]; }
};

int gatherv(const Step& step, const void* in, void* out, int me, int size, MPI_Comm comm) {
  const UnevenShares shares(step, size);
  return MPI_Gatherv(in, shares.of(me), MPI_BYTE, out, shares.counts.data(), shares.places.data(), MPI_BYTE,
                     step.root, comm);
}

int scatterv(const Step& step, const void* in, void* out, int me, int size, MPI_Comm comm) {
  const UnevenShares shares(step, size);
  return MPI_Scatterv(in, shares.counts.data(), shares.places.data(), MPI_BYTE, out, shares.of(me), MPI_BYTE,
                      step.root, comm);
}

int allgatherv(const Step& step, const void* in, void* out, int me, int size, MPI_Comm comm) {
  const UnevenShares shares(step, size);
  return MPI_Allgatherv(in, shares.of(me), MPI_BYTE, out, shares.counts.data(), shares.places.data(),
                        MPI_BYTE, comm);
}

int alltoallv(const Step& step, const void* in, void* out, int me, int size, MPI_Comm comm) {
  const UnevenBlocks sent(step, me, size, true), got(step, me, size, false);
  return MPI_Alltoallv(in, sent.counts.data(), sent.places.data(), MPI_BYTE, out, got.counts.data(),
                       got.places.data(), MPI_BYTE, comm);
}

}  // namespace

void Runner::collective(Frame& frame) {
  const Step& step = *frame.step;
  const Group& group = program_->groups[step.group];
  int size = static_cast<int>(group.members.size()), me = group.rank_of(rank_);
  if (me < 0) return;
  Half in = prepare_part(frame, step.parts[static_cast<size_t>(me)]);
  Half out = prepare_part(frame, step.parts[static_cast<size_t>(size + me)]);
  int bytes = static_cast<int>(step.bytes), words = bytes / 8, root = step.root;
  MPI_Comm comm = frame.comm;
  MPI_Request request = MPI_REQUEST_NULL;
  int result = MPI_SUCCESS;
  const bool uneven = step.key % 2 != 0;
  switch (step.variant) {
    case 0:
      result = MPI_Barrier(comm);
      break;
    case 1:
      result = MPI_Bcast(in.at, bytes, MPI_BYTE, root, comm);
      break;
    case 2:
      result = MPI_Allreduce(in.at, out.at, words, MPI_UINT64_T, MPI_SUM, comm);
      break;
    case 3:
      result = MPI_Reduce(in.at, out.at, words, MPI_UINT64_T, MPI_MAX, root, comm);
      break;
    case 4:
      result = uneven ? gatherv(step, in.at, out.at, me, size, comm)
                      : MPI_Gather(in.at, bytes, MPI_BYTE, out.at, bytes, MPI_BYTE, root, comm);
      break;
    case 5:
      result = uneven ? scatterv(step, in.at, out.at, me, size, comm)
                      : MPI_Scatter(in.at, bytes, MPI_BYTE, out.at, bytes, MPI_BYTE, root, comm);
      break;
    case 6:
      result = uneven ? allgatherv(step, in.at, out.at, me, size, comm)
                      : MPI_Allgather(in.at, bytes, MPI_BYTE, out.at, bytes, MPI_BYTE, comm);
      break;
    case 7:
      result = MPI_Alltoall(in.at, bytes, MPI_BYTE, out.at, bytes, MPI_BYTE, comm);
      break;
    case 11:
      result = alltoallv(step, in.at, out.at, me, size, comm);
      break;
    case 8:
      result = MPI_Ibcast(in.at, bytes, MPI_BYTE, root, comm, &request);
      break;
    case 9:
      result = MPI_Iallreduce(in.at, out.at, words, MPI_UINT64_T, MPI_BXOR, comm, &request);
      break;
    default:
      result = MPI_Scan(in.at, out.at, words, MPI_UINT64_T, MPI_SUM, comm);
  }
  frame.own.call("collective", result);
  if (request != MPI_REQUEST_NULL) frame.own.call("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  finish(in, step);
  finish(out, step);
}

void Runner::local(Frame& frame) {
  const Step& step = *frame.step;
  std::vector<Half> halves;
  for (const Part& part : step.parts)
    if (mine(part)) halves.push_back(prepare_part(frame, part));
  if (halves.size() != 2) return;
  Half &in = halves[0], &out = halves[1];
  int bytes = static_cast<int>(step.bytes), at = 0;
  int result = MPI_SUCCESS;
  switch (step.variant % 4) {
    case 0:
      result = MPI_Pack(in.at, bytes, MPI_BYTE, out.at, bytes, &at, MPI_COMM_SELF);
      break;
    case 1:
      result = MPI_Unpack(in.at, bytes, &at, out.at, bytes, MPI_BYTE, MPI_COMM_SELF);
      break;
    case 2:
      result = MPI_Reduce_local(in.at, out.at, bytes / 8, MPI_UINT64_T, MPI_SUM);
      break;
    default:
      result = MPI_Sendrecv(in.at, bytes, MPI_BYTE, 0, 5, out.at, bytes, MPI_BYTE, 0, 5, MPI_COMM_SELF,
                            MPI_STATUS_IGNORE);
  }
  frame.own.call("local", result);
  finish(in, step);
  finish(out, step);
}

void Runner::touch(Frame& frame) {
  for (const Part& part : frame.step->parts) {
    if (!mine(part)) continue;
    Half half = prepare_part(frame, part);
    finish(half, *frame.step);
  }
}

}  // namespace lapwing::fuzz
