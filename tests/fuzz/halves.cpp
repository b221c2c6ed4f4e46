// SPDX-License-Identifier: Apache-2.0
// From a part of the script to bytes and a datatype, and, once the message is complete, to
// what the program does with the bytes.
#include <cinttypes>
#include <cstdio>

#include "runner.hpp"

namespace lapwing::fuzz {

MPI_Datatype mpi_type(Elem elem) {
  return elem == Elem::byte ? MPI_BYTE : elem == Elem::integer ? MPI_INT : MPI_DOUBLE;
}

void Notes::call(const char* name, int result) {
  if (result == MPI_SUCCESS) return;
  int error_class = 0;
  MPI_Error_class(result, &error_class);
  // The class's own number differs between MPIs; its meaning does not.
  add(name, error_class == MPI_ERR_TRUNCATE    ? 1000
            : error_class == MPI_ERR_IN_STATUS ? 1001
                                               : static_cast<uint64_t>(error_class));
}

void Notes::status(const MPI_Status& status, MPI_Datatype elem, MPI_Datatype type) {
  int count = -1, elements = -1;
  MPI_Get_count(&status, elem, &count);
  MPI_Get_elements(&status, type, &elements);
  add("source", static_cast<uint64_t>(status.MPI_SOURCE));
  add("tag", static_cast<uint64_t>(status.MPI_TAG));
  add("count", static_cast<uint64_t>(count));
  add("elements", static_cast<uint64_t>(elements));
}

std::string Notes::text(const std::string& name) const {
  if (seen_.empty()) return "";
  std::string line = " " + name;
  char value[32];
  for (const auto& [label, number] : seen_) {
    std::snprintf(value, sizeof value, number < 100000 ? "=%" PRIu64 : "=%" PRIx64, number);
    line += std::string(" ") + label + value;
  }
  return line + "\n";
}

namespace {

void make_type(Half& half) {
  const Layout& layout = half.part->layout;
  Elem elem = half.message->elem;
  size_t width = size_of(elem);
  half.type = mpi_type(elem);
  half.buffer = half.at;
  half.count = static_cast<int>(half.part->elements);
  if (layout.kind == LayoutKind::plain) return;
  std::vector<Piece> pieces = pieces_of(layout, half.part->elements);
  MPI_Datatype basic = half.type;
  half.own_type = true;
  half.count = 1;
  if (layout.kind == LayoutKind::derived) {
    MPI_Type_contiguous(static_cast<int>(half.part->elements), basic, &half.type);
  } else if (layout.kind == LayoutKind::vector) {
    MPI_Type_vector(static_cast<int>(pieces.size()), static_cast<int>(layout.block),
                    static_cast<int>(layout.block + layout.gap), basic, &half.type);
  } else {
    MPI_Aint origin = 0, offsets[3];
    if (layout.kind == LayoutKind::bottom) {
      MPI_Get_address(half.at, &origin);
      half.buffer = MPI_BOTTOM;
    }
    int lengths[3];
    MPI_Datatype types[3] = {basic, basic, basic};
    for (int i = 0; i < 3; ++i) {
      offsets[i] = origin + static_cast<MPI_Aint>(pieces[i].at * width);
      lengths[i] = static_cast<int>(pieces[i].length);
    }
    if (layout.kind == LayoutKind::bottom)
      MPI_Type_create_hindexed(3, lengths, offsets, basic, &half.type);
    else
      MPI_Type_create_struct(3, lengths, offsets, types, &half.type);
  }
  MPI_Type_commit(&half.type);
}

}  // namespace

Half Runner::prepare(Frame& frame, const Message& message, bool receives, Toucher& toucher) {
  Half half;
  half.message = &message;
  half.part = receives ? &message.recv : &message.send;
  half.receives = receives;
  half.notes =
      &frame.notes[static_cast<size_t>(&message - frame.step->messages.data()) * 2 + (receives ? 1 : 0)];
  half.toucher = &toucher;
  const Region& region = half.part->region;
  if (is_temporary(region.home)) {
    half.temporary = allocate(region, half.part->key);
    half.at = half.temporary.base + region.offset;
  } else if (region.home == Home::stack) {
    half.at = frame.stack + region.offset;
    fill(half.at, region.bytes, half.part->key);
  } else {
    half.at = memory_.slot(region.home) + region.offset;
  }
  if (!receives && half.part->fill == Fill::generated) fill(half.at, region.bytes, half.part->key + 1);
  if (!receives && half.part->fill == Fill::from_file)
    half.notes->add("read", toucher.touch(Touch::from_file, half.at, region.bytes, half.part->key + 2));
  make_type(half);
  return half;
}

Half Runner::prepare_part(Frame& frame, const Part& part) {
  Half half;
  half.part = &part;
  half.notes = &frame.own;
  half.toucher = toucher_.get();
  const Region& region = part.region;
  if (is_temporary(region.home)) {
    half.temporary = allocate(region, part.key);
    half.at = half.temporary.base + region.offset;
  } else if (region.home == Home::stack) {
    half.at = frame.stack + region.offset;
    fill(half.at, region.bytes, part.key);
  } else {
    half.at = memory_.slot(region.home) + region.offset;
  }
  half.buffer = half.at;
  return half;
}

void Runner::finish(Half& half, const Step& step) {
  const Part& part = *half.part;
  if (half.own_type) MPI_Type_free(&half.type);
  half.own_type = false;
  uint64_t key = part.key;
  for (Touch touch : part.touches)
    half.notes->add("touch", half.toucher->touch(touch, half.at, part.region.bytes, ++key));
  if (half.temporary.base == nullptr) return;
  if (part.release == Release::hold) {
    int order = half.message == nullptr
                    ? 1000 + static_cast<int>(&part - step.parts.data())
                    : static_cast<int>(half.message - step.messages.data()) * 2 + half.receives;
    keep(step, order, half.temporary, [](Temporary& t) { return fuzz::release(t, Release::hold); });
  } else {
    half.notes->add("release", fuzz::release(half.temporary, part.release));
  }
  half.temporary.base = nullptr;
}

}  // namespace lapwing::fuzz
