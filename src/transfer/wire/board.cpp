// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "mpi/node_memory.hpp"

namespace lapwing::transfer {
namespace {

constexpr int most_neighbours = 64;
constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

// Emulated hosts, and containers, differ in their networks: who would reach this
// process by the network is no neighbour.
std::uint64_t network() {
  struct stat about;
  return stat("/proc/self/ns/net", &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
}

/// Those of `node` on the same network, in groups of at most 64; a new communicator.
MPI_Comm neighbours_among(MPI_Comm node) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  const std::uint64_t mine = network();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, node);
  const int first = static_cast<int>(std::find(all.begin(), all.end(), mine) - all.begin());
  const auto before = static_cast<int>(std::count(all.begin(), all.begin() + rank, mine));
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_split(node, first + before / most_neighbours * size, rank, &made);
  return made;
}

}  // namespace

MPI_Comm Board::neighbours_of(MPI_Comm world) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm near = neighbours_among(node);
  PMPI_Comm_free(&node);
  return near;
}

std::unique_ptr<Board> Board::make(MPI_Comm world, std::size_t area) {
  MPI_Comm near = neighbours_of(world);
  std::unique_ptr<Board> board(new Board);
  board->area_ = whole_pages(area);
  int mine = 0;
  PMPI_Comm_rank(world, &mine);
  PMPI_Comm_rank(near, &board->me_);
  int size = 1;
  PMPI_Comm_size(near, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, near);
  board->first_ = *std::min_element(ranks.begin(), ranks.end());
  board->places_.assign(
      static_cast<std::size_t>(*std::max_element(ranks.begin(), ranks.end()) - board->first_ + 1), -1);
  for (int i = 0; i < size; ++i) {
    if (i == board->me_) continue;
    const int rank = ranks[static_cast<std::size_t>(i)];
    board->places_[static_cast<std::size_t>(rank - board->first_)] =
        static_cast<int>(board->neighbours_.size());
    board->neighbours_.push_back({.to = {}, .from = nullptr, .rank = rank, .number = i});
  }
  int shared = size > 1 && board->share(near) ? 1 : 0, all = 0;
  PMPI_Allreduce(&shared, &all, 1, MPI_INT, MPI_MIN, near);
  PMPI_Comm_free(&near);
  if (!all) board.reset();
  return board;
}

bool Board::share(MPI_Comm near) {
  const std::size_t size = neighbours_.size() + 1;
  const std::size_t before = whole_pages(size * size * sizeof(Ring) + (size + 1) * sizeof *leaves_);
  bytes_ = before + size * area_;
  const mpi::NodeMemory shared = mpi::share_memory(near, bytes_);
  file_ = shared.file;
  memory_ = shared.memory;
  if (!memory_) return false;
  // The kernel takes the lock away when the process, and what it has forked, ends,
  // however it does. Other descriptors of this file do not matter.
  struct flock mine {};
  mine.l_type = F_WRLCK;
  mine.l_start = me_;
  mine.l_len = 1;
  if (fcntl(file_, F_OFD_SETLK, &mine) != 0) return false;
  auto* rings = static_cast<Ring*>(memory_);
  leaves_ = reinterpret_cast<std::atomic<int>*>(rings + size * size);
  areas_ = static_cast<char*>(memory_) + before;
  const auto me = static_cast<std::size_t>(me_);
  for (Neighbour& n : neighbours_) {
    const auto other = static_cast<std::size_t>(n.number);
    n.to.ring = rings + me * size + other;
    n.from = rings + other * size + me;
  }
  return true;
}

Board::~Board() {
  if (memory_) munmap(memory_, bytes_);
  if (file_ >= 0) close(file_);
}

bool Board::has_ended(int rank) const {
  const int place = place_of(rank);
  if (place < 0) return false;
  const int number = neighbours_[static_cast<std::size_t>(place)].number;
  if (leaves_[number].load(std::memory_order_acquire) != 0) return false;
  struct flock held {};
  held.l_type = F_WRLCK;
  held.l_start = number;
  held.l_len = 1;
  return fcntl(file_, F_OFD_GETLK, &held) == 0 && held.l_type == F_UNLCK;
}

int Board::ended() const {
  for (const Neighbour& n : neighbours_) {
    if (has_ended(n.rank)) return n.rank;
  }
  return -1;
}

}  // namespace lapwing::transfer
