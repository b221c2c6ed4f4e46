// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/exchange.hpp"

#include <algorithm>

#include "arrays/schedules/pack.hpp"
#include "arrays/transfers/datatypes.hpp"

namespace lapwing::arrays {
namespace {

constexpr std::int64_t largest_message = 1 << 30;
// A sender works on so many streams at a time, with so many strips each.
constexpr int streams_at_once = 2, window = 2;

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Near& near, Tags tags, Way way, bool persistent, StepTimes& steps)
    : comm_(comm), tags_(tags), way_(way), persistent_(persistent), steps_(steps), near_(near), own_(steps) {}

Exchange::~Exchange() {
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (finalised) return;
  if (prepared_)
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
}

void Exchange::send(int peer, std::vector<Part> parts) { add(true, peer, std::move(parts)); }
void Exchange::receive(int peer, std::vector<Part> parts) { add(false, peer, std::move(parts)); }

// Both sides cut a stream alike: it follows from the sizes of its parts.
void Exchange::add(bool outgoing, int peer, std::vector<Part> parts) {
  Stream stream{};
  stream.peer = peer;
  stream.outgoing = outgoing;
  for (const Part& part : parts) stream.bytes += part.bytes();
  if (stream.bytes == 0) return;
  if (sharing && way_ == Way::strips && stream.bytes > one_message && near_.place(peer) >= 0 &&
      NearStreams::fits(parts)) {
    if (!near_streams_) near_streams_ = std::make_unique<NearStreams>(near_, tags_.near, steps_);
    near_streams_->add(outgoing, peer, std::move(parts));
    simple_ = false;
    return;
  }
  total_ += stream.bytes;
  const std::int64_t limit = way_ == Way::strips ? one_message : largest_message;
  if (stream.bytes > limit) {
    const std::int64_t size = way_ == Way::strips ? strip_size : largest_message;
    stream.strips = 0;
    for (const Part& part : parts) {
      stream.first_strip.push_back(stream.strips);
      const std::int64_t each = std::max<std::int64_t>(1, size / part.wire);
      stream.strips += (part.piece->elements + each - 1) / each;
    }
    simple_ = false;
  }
  stream.parts = std::move(parts);
  streams_.push_back(std::move(stream));
}

Exchange::Strip Exchange::strip(const Stream& stream, std::int64_t number) const {
  const auto after = std::upper_bound(stream.first_strip.begin(), stream.first_strip.end(), number);
  const auto part = static_cast<std::size_t>(after - stream.first_strip.begin()) - 1;
  const Part& here = stream.parts[part];
  const std::int64_t size = way_ == Way::strips ? strip_size : largest_message;
  const std::int64_t each = std::max<std::int64_t>(1, size / here.wire);
  const std::int64_t from = (number - stream.first_strip[part]) * each;
  return {part, from, std::min(each, here.piece->elements - from)};
}

std::int64_t Exchange::strip_bytes(const Stream& stream, std::int64_t number) const {
  if (stream.strips == 1) return stream.bytes;
  const Strip here = strip(stream, number);
  return here.count * stream.parts[here.part].wire;
}

// Where the strip's elements lie one after the other, as on the wire.
char* Exchange::inplace(const Stream& stream, std::int64_t number) const {
  if (stream.parts.size() > 1 && stream.strips == 1) return nullptr;
  const Strip here =
      stream.strips == 1 ? Strip{0, 0, stream.parts[0].piece->elements} : strip(stream, number);
  const Part& part = stream.parts[here.part];
  std::int64_t offset = 0;
  return contiguous(*part.piece, offset) ? part.local + (offset + here.from) * part.wire : nullptr;
}

bool Exchange::use_datatype(const Stream& stream) const {
  return way_ == Way::datatype && stream.strips == 1 &&
         std::all_of(stream.parts.begin(), stream.parts.end(),
                     [](const Part& part) { return fits_datatype(*part.piece); });
}

void Exchange::pack_strip(const Stream& stream, std::int64_t number, char* wire) {
  const std::uint64_t begin = steps_.now();
  if (stream.strips == 1) {
    for (const Part& part : stream.parts) {
      pack(*part.piece, part.local, 0, part.piece->elements, wire);
      wire += part.bytes();
    }
  } else {
    const Strip here = strip(stream, number);
    const Part& part = stream.parts[here.part];
    pack(*part.piece, part.local, here.from, here.count, wire);
  }
  steps_.add(&StepTimes::packing, begin);
}

void Exchange::move_kept(const Stream& stream, const Slot& slot) {
  const std::uint64_t begin = steps_.now();
  char* wire = slot.buffer.get();
  for (std::size_t i = 0; i < slot.moves.size(); ++i) {
    const Part& part = stream.parts[i];
    slot.moves[i].move(stream.outgoing ? part.local : wire, stream.outgoing ? wire : part.local);
    wire += part.bytes();
  }
  steps_.add(&StepTimes::packing, begin);
}

void Exchange::unpack_strip(const Stream& stream, std::int64_t number, const char* wire) {
  const std::uint64_t begin = steps_.now();
  if (stream.strips == 1) {
    for (const Part& part : stream.parts) {
      unpack(*part.piece, part.local, 0, part.piece->elements, wire);
      wire += part.bytes();
    }
  } else {
    const Strip here = strip(stream, number);
    const Part& part = stream.parts[here.part];
    unpack(*part.piece, part.local, here.from, here.count, wire);
  }
  steps_.add(&StepTimes::packing, begin);
}

void Exchange::start() {
  for (MPI_Datatype& type : types_)
    if (!prepared_) PMPI_Type_free(&type);
  if (!prepared_) types_.clear();
  for (Stream& stream : streams_) {
    stream.begun = stream.ended = 0;
    stream.out_of_order.clear();
  }
  open_ = streams_.size();
  if (persistent_ && simple_ && !prepared_ && total_ <= posted_ahead) prepare_persistent();
  if (prepared_) {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      const Stream& stream = streams_[slots_[slot].stream];
      if (!stream.outgoing) PMPI_Start(&requests_[slot]);
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      const Stream& stream = streams_[slots_[slot].stream];
      if (!stream.outgoing) continue;
      if (!slots_[slot].inplace) move_kept(stream, slots_[slot]);
      PMPI_Start(&requests_[slot]);
      steps_.sent(static_cast<std::uint64_t>(stream.bytes));
    }
  } else {
    waiting_in_.clear();
    waiting_out_.clear();
    for (std::size_t s = 0; s < streams_.size(); ++s)
      (streams_[s].outgoing ? waiting_out_ : waiting_in_).push_back(s);
    admit();
  }
  own_.start();
  if (near_streams_)
    near_streams_->start();
  else
    own_.all();
}

// Copies the elements that stay here, at the rate at which others land, and while none land.
bool Exchange::step_near() {
  bool moved = near_streams_->step();
  if (!moved || own_.copied() <= near_streams_->landed()) moved |= own_.step();
  return moved;
}

// One message for each stream, and the same one each time: MPI's own persistent
// requests. Parallel to streams_.
void Exchange::prepare_persistent() {
  prepared_ = true;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const Stream& stream = streams_[s];
    Slot slot{s, 0, nullptr, 0, false, {}};
    MPI_Request request = MPI_REQUEST_NULL;
    void* address = inplace(stream, 0);
    int count = static_cast<int>(stream.bytes);
    MPI_Datatype type = MPI_BYTE;
    slot.inplace = address != nullptr;
    if (!address && use_datatype(stream)) {
      type = make_datatype(stream.parts);
      types_.push_back(type);
      address = MPI_BOTTOM;
      count = 1;
      slot.inplace = true;
    } else if (!address) {
      slot.buffer.reset(new char[static_cast<std::size_t>(stream.bytes)]);
      address = slot.buffer.get();
      for (const Part& part : stream.parts)
        slot.moves.emplace_back(stream.outgoing ? part.piece : nullptr,
                                stream.outgoing ? nullptr : part.piece);
    }
    if (stream.outgoing)
      PMPI_Send_init(address, count, type, stream.peer, tags_.messages, comm_, &request);
    else
      PMPI_Recv_init(address, count, type, stream.peer, tags_.messages, comm_, &request);
    slots_.push_back(std::move(slot));
    requests_.push_back(request);
  }
  indices_.resize(requests_.size());
  own_.prepare();
}

// Lets streams in: as many senders as there is memory for, and of the receivers
// the next ones in the order of the rounds.
void Exchange::admit() {
  while (!waiting_in_.empty() && posted_ < posted_ahead) {
    open_slots(waiting_in_.front(), window);
    waiting_in_.pop_front();
  }
  while (!waiting_out_.empty()) {
    const Stream& next = streams_[waiting_out_.front()];
    // Small messages are MPI's to queue.
    if (next.strips > 1 && active_out_ >= streams_at_once) break;
    if (active_out_ > 0 && posted_ > 2 * posted_ahead) break;
    ++active_out_;
    const std::size_t stream = waiting_out_.front();
    waiting_out_.pop_front();
    open_slots(stream, window);
  }
}

void Exchange::open_slots(std::size_t stream, int wanted) {
  for (int i = 0; i < wanted && streams_[stream].begun < streams_[stream].strips; ++i) {
    std::size_t slot;
    if (free_.empty()) {
      slot = slots_.size();
      slots_.emplace_back();
      requests_.push_back(MPI_REQUEST_NULL);
      indices_.push_back(0);
    } else {
      slot = free_.back();
      free_.pop_back();
      posted_ += slots_[slot].room;
    }
    slots_[slot].stream = stream;
    begin(slot);
  }
}

// The next strip of the slot's stream.
void Exchange::begin(std::size_t slot) {
  Slot& here = slots_[slot];
  Stream& stream = streams_[here.stream];
  here.strip = stream.begun++;
  ++stream.slots;
  const std::int64_t bytes = strip_bytes(stream, here.strip);
  void* address = inplace(stream, here.strip);
  int count = static_cast<int>(bytes);
  MPI_Datatype type = MPI_BYTE;
  here.inplace = address != nullptr;
  if (!address && use_datatype(stream)) {
    type = make_datatype(stream.parts);
    types_.push_back(type);
    address = MPI_BOTTOM;
    count = 1;
    here.inplace = true;
  } else if (!address) {
    if (here.room < bytes) {
      here.buffer.reset(new char[static_cast<std::size_t>(bytes)]);
      posted_ += bytes - here.room;
      here.room = bytes;
    }
    address = here.buffer.get();
  }
  if (stream.outgoing && !here.inplace) pack_strip(stream, here.strip, here.buffer.get());
  if (stream.outgoing) steps_.sent(static_cast<std::uint64_t>(bytes));
  if (persistent_ && type == MPI_BYTE && bytes <= kept_bytes()) {
    requests_[slot] =
        kept_.start(comm_, {stream.outgoing, stream.peer, tags_.messages, count, address}, requests_);
    if (requests_[slot] != MPI_REQUEST_NULL) return;
  }
  if (stream.outgoing) {
    PMPI_Isend(address, count, type, stream.peer, tags_.messages, comm_, &requests_[slot]);
  } else {
    PMPI_Irecv(address, count, type, stream.peer, tags_.messages, comm_, &requests_[slot]);
  }
}

// Strips that have come and are not posted yet are taken in spite of the bound: their
// sender may have nothing else to do.
void Exchange::admit_arrived() {
  for (auto stream = waiting_in_.begin(); stream != waiting_in_.end();) {
    int came = 0;
    PMPI_Iprobe(streams_[*stream].peer, tags_.messages, comm_, &came, MPI_STATUS_IGNORE);
    if (!came) {
      ++stream;
      continue;
    }
    open_slots(*stream, 1);
    stream = waiting_in_.erase(stream);
  }
}

bool Exchange::step() {
  const bool near = near_streams_ && step_near();
  if (open_ == 0) return near;
  if (!waiting_in_.empty()) admit_arrived();
  int completed = 0;
  PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed, indices_.data(),
                MPI_STATUSES_IGNORE);
  if (completed == MPI_UNDEFINED || completed == 0) return near;
  // Strips of a stream may be reported in any order, and finish() changes the slots.
  const std::vector<int> now(indices_.begin(), indices_.begin() + completed);
  for (const int slot : now) finish(static_cast<std::size_t>(slot));
  return true;
}

void Exchange::wait() {
  while (open_ > 0) {
    int slot = MPI_UNDEFINED;
    PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &slot, MPI_STATUS_IGNORE);
    if (slot == MPI_UNDEFINED) return;
    finish(static_cast<std::size_t>(slot));
  }
}

void Exchange::finish(std::size_t slot) {
  Slot& here = slots_[slot];
  Stream& stream = streams_[here.stream];
  if (prepared_) {
    if (!stream.outgoing && !here.inplace) move_kept(stream, here);
    stream.ended = 1;
    --open_;
    return;
  }
  requests_[slot] = MPI_REQUEST_NULL;
  if (!stream.outgoing && !here.inplace) unpack_strip(stream, here.strip, here.buffer.get());
  --stream.slots;
  const std::int64_t beyond = here.strip - stream.ended;
  if (beyond > 0) {
    if (stream.out_of_order.size() <= static_cast<std::size_t>(beyond))
      stream.out_of_order.resize(static_cast<std::size_t>(beyond) + 1);
    stream.out_of_order[static_cast<std::size_t>(beyond)] = true;
  } else {
    do {
      ++stream.ended;
      if (!stream.out_of_order.empty()) stream.out_of_order.erase(stream.out_of_order.begin());
    } while (!stream.out_of_order.empty() && stream.out_of_order[0]);
  }
  if (stream.begun < stream.strips) {
    begin(slot);
    return;
  }
  const bool outgoing = stream.outgoing, complete = stream.ended == stream.strips && stream.slots == 0;
  posted_ -= here.room;
  if (!persistent_ || here.room > kept_bytes()) {
    here.buffer.reset();
    here.room = 0;
  }
  free_.push_back(slot);
  if (!complete) return;
  --open_;
  if (outgoing) --active_out_;
  admit();
}

void Exchange::landed(std::vector<Landed>* out) const {
  own_.landed(out);
  if (near_streams_) near_streams_->landed(out);
  for (const Stream& stream : streams_) {
    if (stream.outgoing) continue;
    for (std::size_t p = 0; p < stream.parts.size(); ++p) {
      const Part& part = stream.parts[p];
      std::int64_t elements = 0;
      if (stream.ended == stream.strips) {
        elements = part.piece->elements;
      } else if (stream.strips > 1 && stream.ended > stream.first_strip[p]) {
        const std::int64_t each =
            std::max<std::int64_t>(1, (way_ == Way::strips ? strip_size : largest_message) / part.wire);
        elements = std::min(part.piece->elements, (stream.ended - stream.first_strip[p]) * each);
      }
      out->push_back({part.piece, elements});
    }
  }
}

}  // namespace lapwing::arrays
