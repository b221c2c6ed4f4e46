// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/node_wire.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "progress/clock.hpp"

namespace lapwing::arrays {
namespace {

/// Of a process: its number, and in whose counting.
struct Identity {
  std::uint64_t process = 0, numbers = 0;
  auto operator<=>(const Identity&) const = default;
};

Identity identity() {
  struct stat about;
  const bool known = stat("/proc/self/ns/pid", &about) == 0;
  return {static_cast<std::uint64_t>(getpid()), known ? static_cast<std::uint64_t>(about.st_ino) : 0};
}

// Elements that are read are copied once instead of twice, but the kernel has to find each page
// first, which in virtual machines may cost more than a copy. In nanoseconds, for
// pages in the cache; others take the kernel three times as long. At 230 packing took
// 0.8 of the time between cores that share a cache, and 1.9 between others.
constexpr std::int64_t costly_page_ns = 300;

// The cost of finding a page: reading this process' own memory, over copying it.
std::int64_t extra_of_a_read_page() {
  constexpr std::size_t bytes = 256 << 10, page = 4096;
  std::vector<char> a(bytes, 1), b(bytes, 2);
  std::uint64_t read = UINT64_MAX, copied = UINT64_MAX;
  for (int turn = 0; turn < 5; ++turn) {
    const iovec from{a.data(), bytes}, to{b.data(), bytes};
    const std::uint64_t begin = progress::now_ns();
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes)) return INT64_MAX;
    const std::uint64_t middle = progress::now_ns();
    std::memcpy(a.data(), b.data(), bytes);
    read = std::min(read, middle - begin);
    copied = std::min(copied, progress::now_ns() - middle);
  }
  return static_cast<std::int64_t>(read - copied) / static_cast<std::int64_t>(bytes / page);
}

using Known = std::map<std::vector<Identity>, std::shared_ptr<NodeWire>>;

// Wires last as long as the process: others may still look at its area.
Known& known_wires() {
  static Known& known = *new Known;
  return known;
}

}  // namespace

std::shared_ptr<NodeWire> NodeWire::of(MPI_Comm near, std::uint32_t* comm) {
  int size = 1;
  PMPI_Comm_size(near, &size);
  if (size == 1) return nullptr;
  const Identity mine = identity();
  std::vector<Identity> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, near);
  auto [found, is_new] = known_wires().try_emplace(all);
  if (is_new) {
    std::unique_ptr<transfer::Board> board = transfer::Board::make(near, area_bytes);
    if (board) found->second.reset(new NodeWire(std::move(board), near));
  }
  if (!found->second) return nullptr;
  // The first process counts for all.
  *comm = ++found->second->comms_;
  PMPI_Bcast(comm, 1, MPI_UINT32_T, 0, near);
  return found->second;
}

NodeWire::NodeWire(std::unique_ptr<transfer::Board> board, MPI_Comm near) : board_(std::move(board)) {
  PMPI_Comm_rank(near, &me_);
  for (int slot = slots; slot-- > 0;) unused_.push_back(slot);
  find_readable(near);
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, this);
  PMPI_Comm_free_keyval(&key);
}

int NodeWire::at_finalize(MPI_Comm, int, void* wire, void*) {
  static_cast<NodeWire*>(wire)->board_->take_leave();
  return MPI_SUCCESS;
}

// Whether the kernel lets one process read another's memory is its policy, which
// trying tells.
void NodeWire::find_readable(MPI_Comm near) {
  struct Sample {
    std::uint64_t address, value;
  };
  static volatile std::uint64_t word;
  word = 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(getpid()) + 1);
  const Sample mine{reinterpret_cast<std::uint64_t>(&word), word};
  const int process = getpid();
  int size = 1;
  PMPI_Comm_size(near, &size);
  std::vector<Sample> samples(static_cast<std::size_t>(size));
  processes_.resize(samples.size());
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, samples.data(), sizeof mine, MPI_BYTE, near);
  PMPI_Allgather(&process, 1, MPI_INT, processes_.data(), 1, MPI_INT, near);
  for (std::size_t place = 0; place < samples.size(); ++place) {
    std::uint64_t value = 0;
    const iovec to{&value, sizeof value};
    const iovec from{reinterpret_cast<void*>(samples[place].address), sizeof value};
    const bool read = process_vm_readv(processes_[place], &to, 1, &from, 1, 0) == sizeof value;
    readable_.push_back(read && value == samples[place].value);
  }
  pays_ = extra_of_a_read_page() < costly_page_ns;
  // The words of no process change while another looks.
  PMPI_Barrier(near);
}

void NodeWire::close(const Channel& channel) {
  const auto found = mailboxes_.find(channel);
  if (found != mailboxes_.end() && found->second.ready == 0 && found->second.strips.empty())
    mailboxes_.erase(found);
}

bool NodeWire::progress() {
  if (!unsent_.empty()) send_again();
  return board_->receive([this](int place, int kind, const char* data, std::size_t) {
    Letter letter;
    std::memcpy(&letter, data, sizeof letter);
    Mailbox& mailbox = mailboxes_[{letter.comm, letter.tag, place}];
    if (kind == strip_kind) {
      mailbox.strips.push_back(letter.strip);
    } else {
      ++mailbox.ready;
      mailbox.reads = kind == ready_and_reads_kind;
    }
  });
}

// Letters to one process stay in order.
void NodeWire::send_again() {
  std::vector<int> full;
  std::erase_if(unsent_, [&](const Unsent& next) {
    if (std::find(full.begin(), full.end(), next.place) != full.end()) return false;
    if (board_->send(*board_->neighbour(next.place), next.kind, &next.letter, sizeof next.letter))
      return true;
    full.push_back(next.place);
    return false;
  });
}

void NodeWire::tell(int place, int kind, const Letter& letter) {
  static_assert(sizeof letter <= transfer::Board::longest);
  const bool others = std::any_of(unsent_.begin(), unsent_.end(),
                                  [&](const Unsent& unsent) { return unsent.place == place; });
  if (others || !board_->send(*board_->neighbour(place), kind, &letter, sizeof letter))
    unsent_.push_back({place, kind, letter});
}

int NodeWire::claim() {
  if (unused_.empty()) return -1;
  const int slot = unused_.back();
  unused_.pop_back();
  return slot;
}

void NodeWire::post(const Channel& channel, const Strip& strip, State filled, std::uint32_t places) {
  Header& header = this->header(me_, strip.slot);
  header.places = places;
  header.state.store(filled, std::memory_order_release);
  tell(channel.place, strip_kind, {channel.comm, channel.tag, strip});
}

void NodeWire::announce(const Channel& channel, bool reads) {
  const bool wanted = reading == Reading::always || (reading == Reading::where_it_pays && pays_);
  reads = reads && wanted && readable_[static_cast<std::size_t>(channel.place)];
  tell(channel.place, reads ? ready_and_reads_kind : ready_kind, {channel.comm, channel.tag, {}});
}

std::span<const NodeWire::Place> NodeWire::places(const Channel& channel, const Strip& strip) const {
  const auto* first = reinterpret_cast<const Place*>(data(channel.place, strip.slot));
  return {first, std::min<std::size_t>(header(channel.place, strip.slot).places, most_places)};
}

bool NodeWire::read(const Channel& channel, const Strip& strip, std::span<const Place> to) {
  static_assert(sizeof(iovec) == sizeof(Place));
  const std::span<const Place> from = places(channel, strip);
  std::uint64_t wanted = 0;
  for (const Place& place : to) wanted += place.bytes;
  const auto taken = process_vm_readv(processes_[static_cast<std::size_t>(channel.place)],
                                      reinterpret_cast<const iovec*>(to.data()), to.size(),
                                      reinterpret_cast<const iovec*>(from.data()), from.size(), 0);
  if (taken == static_cast<ssize_t>(wanted)) return true;
  // Not all memory can be read so. The sender packs this one, and all that come.
  readable_[static_cast<std::size_t>(channel.place)] = false;
  header(channel.place, strip.slot).state.store(State::unreadable, std::memory_order_release);
  return false;
}

}  // namespace lapwing::arrays
