// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/control.hpp"

#include <algorithm>
#include <cstring>

#include "arrays/task_comm.hpp"

namespace lapwing::arrays {

// Programs that make new distributions all the time do not fill the memory.
constexpr int remembered = 256;

struct Control::Header {
  Kind kind;
  bool persistent;
  bool numbered;
  std::uint8_t code;
  std::int32_t task, tag, strategy;
  std::int32_t descriptor;  // its number among those of the process that sends; -1: only this once
  std::uint32_t bytes;      // of the descriptor, which follows; 0: known
  std::uint32_t text;       // of the error's sentence, which follows that
  std::uint64_t number, wildcard;
};

Control::~Control() {
  // Objects that a program leaves behind are destroyed after MPI.
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (finalised) return;
  for (Outgoing& message : outgoing_) PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
}

void Control::offer(int dest, bool persistent, std::uint64_t number, int tag, const Side& side) {
  Header header{};
  header.kind = Kind::offer;
  header.persistent = persistent;
  header.number = number;
  header.tag = tag;
  tell(dest, header, side);
}

void Control::answer(int source, bool persistent, std::optional<std::uint64_t> number, int tag,
                     const Side& side) {
  Header header{};
  header.kind = Kind::answer;
  header.persistent = persistent;
  header.numbered = number.has_value();
  header.number = number.value_or(0);
  header.tag = tag;
  tell(source, header, side);
}

// Process p of the other task hears from process p modulo this task's size.
void Control::tell(int task, Header header, const Side& side) {
  header.task = comm_.task();
  header.strategy = side.strategy;
  header.code = static_cast<std::uint8_t>(side.error.code);
  const std::string none;
  const std::string& bytes = side.descriptor ? side.descriptor->bytes : none;
  header.descriptor = -1;
  if (side.descriptor) {
    const auto found = own_.find(bytes);
    if (found != own_.end()) {
      header.descriptor = found->second;
    } else if (own_.size() < remembered) {
      header.descriptor = static_cast<std::int32_t>(own_.size());
      own_.emplace(bytes, header.descriptor);
    }
  }
  for (int p = comm_.rank(); p < comm_.processes(task); p += comm_.processes()) {
    const int to = comm_.member(task, p);
    bool known = false;
    if (header.descriptor >= 0) {
      if (known_.size() <= static_cast<std::size_t>(to)) known_.resize(static_cast<std::size_t>(to) + 1);
      std::vector<bool>& there = known_[static_cast<std::size_t>(to)];
      const auto number = static_cast<std::size_t>(header.descriptor);
      if (there.size() <= number) there.resize(number + 1);
      known = there[number];
      there[number] = true;
    }
    post(to, header, known ? none : bytes, side.error.text);
  }
}

void Control::spread(bool persistent, const Receives::Decision& decision) {
  Header header{};
  header.kind = Kind::decision;
  header.persistent = persistent;
  header.wildcard = decision.wildcard;
  header.task = decision.task;
  header.number = decision.number;
  header.descriptor = -1;
  // A binomial tree: the children of r are r + 2^k, for 2^k below r's lowest bit.
  for (int step = 1; comm_.rank() + step < comm_.processes(); step *= 2) {
    if (comm_.rank() & step) break;
    post(comm_.member(comm_.task(), comm_.rank() + step), header, {}, {});
  }
}

// The fields of a parcel are those of its key: `code` says whether it is between two tasks, `strategy` and
// `tag` name them, `wildcard` is the round.
void Control::parcel(int to, const ParcelKey& key, int round, const std::vector<std::int64_t>& words) {
  Header header{};
  header.kind = Kind::parcel;
  header.persistent = key.persistent;
  header.code = key.between ? 1 : 0;
  header.task = comm_.task();
  header.strategy = key.source;
  header.tag = key.destination;
  header.number = key.number;
  header.wildcard = static_cast<std::uint64_t>(round);
  header.descriptor = -1;
  post(to, header, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::int64_t)}, {});
}

void Control::post(int to, const Header& header, std::string_view descriptor, const std::string& text) {
  Header whole = header;
  whole.bytes = static_cast<std::uint32_t>(descriptor.size());
  whole.text = static_cast<std::uint32_t>(text.size());
  Outgoing& message = outgoing_.emplace_back();
  message.parcel = header.kind == Kind::parcel;
  parcels_ += message.parcel ? 1 : 0;
  message.bytes.resize(sizeof whole + descriptor.size() + text.size());
  std::memcpy(message.bytes.data(), &whole, sizeof whole);
  std::copy(descriptor.begin(), descriptor.end(), message.bytes.begin() + sizeof whole);
  std::copy(text.begin(), text.end(),
            message.bytes.begin() + static_cast<std::ptrdiff_t>(sizeof whole + descriptor.size()));
  PMPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, to,
             TaskComm::control_tag, comm_.all(), &message.request);
  comm_.steps.sent(message.bytes.size());
}

void Control::finish_sends() {
  for (auto message = outgoing_.begin(); message != outgoing_.end();) {
    int done = 0;
    PMPI_Test(&message->request, &done, MPI_STATUS_IGNORE);
    if (done && message->parcel) --parcels_;
    message = done ? outgoing_.erase(message) : std::next(message);
  }
}

bool Control::receive() {
  bool any_came = false;
  for (;;) {
    int found = 0;
    MPI_Message handle;
    MPI_Status status;
    PMPI_Improbe(MPI_ANY_SOURCE, TaskComm::control_tag, comm_.all(), &found, &handle, &status);
    if (!found) break;
    int size = 0;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    std::vector<char> message(static_cast<std::size_t>(size));
    PMPI_Mrecv(message.data(), size, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    take(status.MPI_SOURCE, std::move(message));
    any_came = true;
  }
  if (!outgoing_.empty()) finish_sends();
  return any_came;
}

void Control::take(int from, std::vector<char> message) {
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  const std::span<const char> rest(message.data() + sizeof header, message.size() - sizeof header);
  switch (header.kind) {
    case Kind::offer:
      comm_.receives(header.persistent)
          .offer(header.task, header.number, header.tag, read(from, header, rest));
      break;
    case Kind::answer: {
      std::optional<std::uint64_t> number;
      if (header.numbered) number = header.number;
      comm_.sends(header.task, header.persistent).receive(number, header.tag, read(from, header, rest));
      break;
    }
    case Kind::decision:
      comm_.receives(header.persistent).decision(header.wildcard, header.task, header.number);
      spread(header.persistent, {header.wildcard, header.task, header.number});
      break;
    case Kind::parcel: {
      const ParcelKey key{header.code != 0, header.persistent, header.strategy, header.tag, header.number};
      Parcel& parcel = comm_.parcels[key].emplace_back();
      parcel.from = from;
      parcel.round = static_cast<int>(header.wildcard);
      parcel.words.resize(header.bytes / sizeof(std::int64_t));
      std::memcpy(parcel.words.data(), rest.data(), parcel.words.size() * sizeof(std::int64_t));
      break;
    }
  }
}

Side Control::read(int from, const Header& header, std::span<const char> rest) {
  Side side;
  side.strategy = header.strategy;
  side.error.code = static_cast<Code>(header.code);
  side.error.text.assign(rest.data() + header.bytes, header.text);
  const std::pair<int, int> name(from, header.descriptor);
  if (header.bytes > 0) {
    std::string problem;
    side.descriptor = Descriptor::read(rest.first(header.bytes), &problem);
    if (!side.descriptor && !side.error) side.error = {Code::argument, problem};
    if (header.descriptor >= 0) theirs_[name] = side.descriptor;
  } else if (header.descriptor >= 0) {
    side.descriptor = theirs_[name];
  }
  return side;
}

}  // namespace lapwing::arrays
