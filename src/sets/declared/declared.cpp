// SPDX-License-Identifier: Apache-2.0
#include "sets/declared/declared.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "mpi/ending.hpp"
#include "sets/declared/words.hpp"
#include "sets/messages.hpp"
#include "sets/report/error_status.hpp"

namespace lapwing::sets::declared {
namespace {

// Up to here a value travels within the queue's message.
constexpr std::size_t small = 8192;
constexpr int tags = 32768;  // what every MPI has

enum Message : int {
  announce_kind = declared_kinds,
  value_kind,
  refuse_kind,
  inquire_kind,
  quarrel_kind,
};

// A key as its receiver finds it: the peer is whoever sent it. It belongs to a
// leg that goes out here if `outgoing`.
struct Address {
  std::uint64_t comm;
  std::int32_t tag;
  std::uint32_t number;
  std::uint8_t collective, outgoing;

  static Address of(const Key& key, bool outgoing) {
    Address address;
    std::memset(&address, 0, sizeof address);
    address.comm = key.comm;
    address.tag = key.tag;
    address.number = key.number;
    address.collective = key.collective;
    address.outgoing = outgoing;
    return address;
  }
  Key key(int source) const { return {comm, source, tag, number, collective}; }
};

struct Announcement {
  Address address;
  std::uint64_t bytes;
  std::int32_t root, wire_tag;
  std::uint8_t kind;
};

template <typename T>
T read(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

[[noreturn]] void end(const std::string& sentence) {
  fmt::print(stderr, "lapwing: {}\n", sentence);
  mpi::end_job(error_status);
}

}  // namespace

Declared::Declared(std::size_t staging, bool trace) : automata_(*this), staging_(staging), trace_(trace) {}
Declared::~Declared() = default;

void Declared::start(std::size_t staging, bool helper, bool trace, bool provable) {
  if (instance_) return;
  Comm::start();
  instance_ = new Declared(staging, trace);
  PMPI_Comm_dup(Messages::world(), &instance_->wire_);
  instance_->listen();
  instance_->listen_for_circles(provable);
  Messages::also([] { return instance_ && instance_->progress(); });
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (helper && level == MPI_THREAD_MULTIPLE)
    instance_->helper_ =
        std::make_unique<Helper>([] { return instance_->pending() > 0; }, Messages::progress);
}

void Declared::listen() {
  Messages::on(announce_kind, [this](int source, const char* data, std::size_t) {
    const auto message = read<Announcement>(data);
    const Terms terms{message.bytes, message.root, static_cast<Kind>(message.kind)};
    automata_.announced(message.address.key(source), terms, message.wire_tag);
  });
  Messages::on(value_kind, [this](int source, const char* data, std::size_t size) {
    arrived(read<Address>(data).key(source), data + sizeof(Address), size - sizeof(Address));
  });
  Messages::on(refuse_kind, [this](int source, const char* data, std::size_t) {
    const auto address = read<Address>(data);
    const Key key = address.key(source);
    const Declaration* const declaration = automata_.refused(key, address.outgoing);
    if (!declaration) return;
    const char* why =
        key.collective ? "declared another collective transfer or another root in its place, or reached "
                         "MPI_Finalize without it. All members must declare the same ones in the same order"
                       : "has reached MPI_Finalize and did not declare its side. Declare it there, with the "
                         "same communicator and tag, or remove it here";
    end(fmt::format("rank {}: the {}, declared at {}, cannot happen: {} {}.", Messages::rank(),
                    words(*declaration), place(*declaration), partner(key), why));
  });
  Messages::on(inquire_kind, [this](int source, const char* data, std::size_t) {
    automata_.inquired(read<Address>(data).key(source));
  });
  Messages::on(quarrel_kind, [this](int source, const char* data, std::size_t) {
    const Key key = read<Address>(data).key(source);
    const auto [declaration, leg] = automata_.incoming(key);
    if (!declaration) return;
    end(fmt::format("rank {}: its {} was declared at {}.", Messages::rank(), words(*declaration),
                    place(*declaration)));
  });
}

void Declared::stop() {
  if (!instance_) return;
  {
    const std::lock_guard guard(Messages::lock());
    instance_->automata_.close();
  }
  instance_->complete();
  instance_->helper_.reset();
}

void Declared::declare(std::unique_ptr<Transfer> transfer) {
  transfer->operands.resize(transfer->incoming());
  automata_.declare(std::move(transfer));
  if (helper_ && automata_.pending_count() > 0) helper_->wake_if_idle();
}

void Declared::inquire() {
  const std::lock_guard guard(Messages::lock());
  for (const Key& key : automata_.unanswered()) {
    const Address address = Address::of(key, false);
    Messages::send(key.peer, inquire_kind, &address, sizeof address);
  }
}

void Declared::print() const {
  fmt::print(stderr, "lapwing: rank {}: {} declared communications have not happened yet\n", Messages::rank(),
             automata_.pending_count());
  for (const auto& declaration : automata_.pending()) {
    fmt::print(stderr, "lapwing:   {}, {}:", place(*declaration), words(*declaration));
    for (const Leg& leg : declaration->legs)
      fmt::print(stderr, "{} {}", &leg == declaration->legs.data() ? "" : ";", words(*declaration, leg));
    fmt::print(stderr, "\n");
  }
}

void Declared::changed(const Declaration& declaration, const Leg& leg) {
  if (trace_)
    fmt::print(stderr, "lapwing: rank {}: {}, {}: {}\n", Messages::rank(), place(declaration),
               words(declaration), words(declaration, leg));
}

void Declared::announce(Declaration& declaration, Leg& leg) {
  Transfer& transfer = static_cast<Transfer&>(declaration);
  Announcement message;
  std::memset(&message, 0, sizeof message);
  message.address = Address::of(leg.key, true);
  message.bytes = declaration.terms.bytes;
  message.root = declaration.terms.root;
  message.kind = static_cast<std::uint8_t>(declaration.terms.kind);
  message.wire_tag = -1;
  if (message.bytes > small) {
    message.wire_tag = next_tag_ = (next_tag_ + 1) % tags;
    void* buffer = transfer.to;
    if (declaration.kind == Kind::reduction) {
      Block& block = transfer.operands[static_cast<std::size_t>(&leg - declaration.legs.data())];
      block = Block(transfer.layout);
      buffer = block.buffer();
    }
    active_.push_back({MPI_REQUEST_NULL, &transfer, leg.key, false});
    PMPI_Irecv(buffer, transfer.layout.count(), transfer.layout.type(), leg.key.peer, message.wire_tag, wire_,
               &active_.back().request);
  }
  Messages::send(leg.key.peer, announce_kind, &message, sizeof message);
}

void Declared::move(Declaration& declaration, Leg& leg) {
  Transfer& transfer = static_cast<Transfer&>(declaration);
  const Layout& layout = transfer.layout;
  const void* value = transfer.result ? transfer.result : transfer.from;
  if (leg.wire_tag >= 0) {
    active_.push_back({MPI_REQUEST_NULL, &transfer, leg.key, true});
    MPI_Request* request = &active_.back().request;
    if (transfer.packed)
      PMPI_Isend(transfer.packed.get(), static_cast<int>(transfer.packed_size), MPI_PACKED, leg.key.peer,
                 leg.wire_tag, wire_, request);
    else
      PMPI_Isend(value, layout.count(), layout.type(), leg.key.peer, leg.wire_tag, wire_, request);
    return;
  }
  const Address address = Address::of(leg.key, false);
  std::vector<char> message(sizeof address + (transfer.packed ? transfer.packed_size : layout.copy_bytes()));
  std::memcpy(message.data(), &address, sizeof address);
  char* bytes = message.data() + sizeof address;
  std::size_t size = transfer.packed_size;
  if (transfer.packed)
    std::memcpy(bytes, transfer.packed.get(), size);
  else
    size = layout.pack(value, bytes);
  Messages::send(leg.key.peer, value_kind, message.data(), sizeof address + size);
  automata_.finished(declaration, leg);
}

void Declared::arrived(const Key& key, const char* bytes, std::size_t size) {
  const auto [declaration, leg] = automata_.incoming(key);
  if (!declaration) return;
  Transfer& transfer = static_cast<Transfer&>(*declaration);
  void* buffer = transfer.to;
  if (declaration->kind == Kind::reduction) {
    Block& block = transfer.operands[static_cast<std::size_t>(leg - declaration->legs.data())];
    block = Block(transfer.layout);
    buffer = block.buffer();
  }
  transfer.layout.unpack(bytes, size, buffer);
  automata_.finished(*declaration, *leg);
}

bool Declared::progress() {
  bool any = false;
  // A transfer that finishes may start more, at the end of the list.
  for (std::size_t i = 0; i < active_.size();) {
    int finished = 0;
    PMPI_Test(&active_[i].request, &finished, MPI_STATUS_IGNORE);
    if (!finished) {
      ++i;
      continue;
    }
    const Active active = active_[i];
    active_[i] = active_.back();
    active_.pop_back();
    const auto [declaration, leg] =
        active.outgoing ? automata_.outgoing(active.key) : automata_.incoming(active.key);
    automata_.finished(*declaration, *leg);
    any = true;
  }
  return any;
}

bool Declared::copy(Declaration& declaration) {
  Transfer& transfer = static_cast<Transfer&>(declaration);
  const bool combines = declaration.kind == Kind::reduction;
  const Range range = transfer.layout.range(transfer.from);
  const std::size_t size = combines ? range.end - range.begin : transfer.layout.copy_bytes();
  if (staged_ + size > staging_) return false;
  staged_ += size;
  transfer.copied += size;
  if (!combines) {
    transfer.packed.reset(new char[size + 1]);
    transfer.packed_size = transfer.layout.pack(transfer.from, transfer.packed.get());
    return true;
  }
  transfer.own_block = Block(transfer.layout);
  transfer.own_block.fill(transfer.layout, transfer.from);
  if (transfer.result == transfer.from) transfer.result = transfer.own_block.buffer();
  transfer.from = transfer.own_block.buffer();
  return true;
}

void Declared::combine(Declaration& declaration, Leg* leg) {
  Transfer& transfer = static_cast<Transfer&>(declaration);
  Block operand;
  if (leg) operand = std::move(transfer.operands[static_cast<std::size_t>(leg - declaration.legs.data())]);
  if (!transfer.result) {
    transfer.result = leg ? operand.buffer() : transfer.from;
    if (leg) transfer.result_block = std::move(operand);
    return;
  }
  if (!leg) {
    operand = Block(transfer.layout);
    operand.fill(transfer.layout, transfer.from);
  }
  // MPI leaves the result in the second operand, which is ours.
  PMPI_Reduce_local(transfer.result, operand.buffer(), transfer.layout.count(), transfer.layout.type(),
                    transfer.op);
  transfer.result = operand.buffer();
  transfer.result_block = std::move(operand);
}

void Declared::deliver(Declaration& declaration) {
  Transfer& transfer = static_cast<Transfer&>(declaration);
  if (transfer.result == transfer.to) return;
  // Only the data: what lies between them is the program's.
  std::unique_ptr<char[]> bytes(new char[transfer.layout.copy_bytes() + 1]);
  const std::size_t size = transfer.layout.pack(transfer.result, bytes.get());
  transfer.layout.unpack(bytes.get(), size, transfer.to);
}

void Declared::ended(Declaration& declaration) { staged_ -= static_cast<Transfer&>(declaration).copied; }

void Declared::differs(const Declaration* here, const Key& key, const Terms& theirs) {
  const std::string them = partner(key);
  std::string sentence;
  if (!here) {
    sentence = fmt::format(
        "{} declared a {} where the members of the communicator declared another collective transfer or "
        "another root. All members must declare the same ones in the same order.",
        them, words(theirs.kind, theirs));
  } else {
    Kind kind = theirs.kind == Kind::send ? Kind::receive : theirs.kind;
    sentence =
        fmt::format("the {}, declared at {}, meets a {} that {} declared. Both sides must declare the same.",
                    words(*here), place(*here), words(kind, theirs), them);
  }
  fmt::print(stderr, "lapwing: rank {}: {}\n", Messages::rank(), sentence);
  mpi::let_words_arrive();
  // The other side knows its place, and ends the job.
  const Address address = Address::of(key, false);
  Messages::send(key.peer, quarrel_kind, &address, sizeof address);
}

void Declared::refuse(const Key& key, bool outgoing) {
  const Address address = Address::of(key, outgoing);
  Messages::send(key.peer, refuse_kind, &address, sizeof address);
}

}  // namespace lapwing::sets::declared
