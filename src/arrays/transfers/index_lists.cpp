// SPDX-License-Identifier: Apache-2.0
// Two rounds: everybody tells everybody how long its list is, and each directory what of the list is in its
// block; then each directory tells everybody whether its block is covered.
#include "arrays/transfers/index_lists.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>

#include "arrays/schedules/directory.hpp"
#include "arrays/task_comm.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {

namespace {

/// The first words of the first round; the error's sentence and then the families follow.
struct ListWord {
  enum : std::size_t { code, id_high, id_low, extent, places, place, count, hash, text_bytes, header_words };
};

std::array<std::int64_t, 2> next_id() {
  // Of this process: no other one of the job has these bits.
  static const std::int64_t process = [] {
    std::random_device device;
    const std::uint64_t bits =
        (static_cast<std::uint64_t>(device()) << 32 | device()) ^ static_cast<std::uint64_t>(getpid()) << 40;
    return static_cast<std::int64_t>(bits);
  }();
  static std::atomic<std::int64_t> last{0};
  return {process, last.fetch_add(1) + 1};
}

class ListMaker {
 public:
  ListMaker(TaskComm& comm, std::int64_t extent, const ProcessGrid& grid, int grid_dimension)
      : comm_(comm), extent_(extent), made_(std::make_shared<IndexLists>()) {
    made_->extent = extent;
    const auto g = static_cast<std::size_t>(grid_dimension);
    made_->processes = g < grid.extents.size() ? grid.extents[g] : 1;
    const int position = grid.position_of(comm.rank());
    if (position >= 0 && g < grid.extents.size()) made_->coordinate = grid.coordinates(position)[g];
  }

  void list(std::span<const std::int64_t> indices, Error* error) {
    std::string problem;
    IndexList own(made_->coordinate < 0 ? std::span<const std::int64_t>() : indices, extent_, &problem);
    if (problem.empty())
      made_->list = std::move(own);
    else
      *error = {Code::argument, fmt::format("task {}, rank {}: {}", comm_.task(), comm_.rank(), problem)};
  }

  // Under the lock of Progress.
  void begin(const Error& error) {
    std::vector<int> parties(static_cast<std::size_t>(comm_.processes()));
    for (std::size_t p = 0; p < parties.size(); ++p)
      parties[p] = comm_.member(comm_.task(), static_cast<int>(p));
    const std::uint64_t call = comm_.next_call();
    parcels_.emplace(comm_, ParcelKey{false, false, comm_.task(), comm_.task(), call}, std::move(parties));
    std::vector<std::int64_t> header(ListWord::header_words, 0);
    const std::array<std::int64_t, 2> id = next_id();
    header[ListWord::code] = static_cast<std::int64_t>(error.code);
    header[ListWord::id_high] = id[0];
    header[ListWord::id_low] = id[1];
    header[ListWord::extent] = extent_;
    header[ListWord::places] = made_->processes;
    header[ListWord::place] = made_->coordinate;
    header[ListWord::count] = made_->list.count();
    header[ListWord::hash] = static_cast<std::int64_t>(made_->list.hash());
    header[ListWord::text_bytes] = static_cast<std::int64_t>(error.text.size());
    std::vector<std::int64_t> text((error.text.size() + sizeof(std::int64_t) - 1) / sizeof(std::int64_t), 0);
    if (!text.empty()) std::memcpy(text.data(), error.text.data(), error.text.size());
    const IndexPart whole = made_->list.in_section({0, extent_, 1});
    for (int party = 0; party < parcels_->parties(); ++party) {
      Words words = header;
      words.insert(words.end(), text.begin(), text.end());
      write_indices(words, indices_in(whole, block(party), block(party + 1), 1));
      parcels_->send(party, 0, std::move(words));
    }
  }

  // Under the lock of Progress: whether it is done.
  bool step() {
    if (!heard_) {
      if (!parcels_->complete(0)) return false;
      heard_ = true;
      hear();
    }
    if (!result_ && !parcels_->complete(1)) return false;
    if (comm_.control().sending_parcels()) return false;
    for (int party = 0; party < parcels_->parties() && !result_; ++party) learn(parcels_->from(1, party));
    return true;
  }

  void end() { parcels_.reset(); }
  [[nodiscard]] const Error& result() const { return result_; }
  [[nodiscard]] std::shared_ptr<const IndexLists> lists() const { return made_; }

 private:
  [[nodiscard]] std::int64_t block(int party) const {
    return block_begin(std::max<std::int64_t>(0, extent_), comm_.processes(), party);
  }

  // All processes hear the same headers, so all find the same errors.
  void hear() {
    const std::vector<std::int64_t>& first = parcels_->from(0, 0);
    made_->id = {first[ListWord::id_high], first[ListWord::id_low]};
    std::map<int, int> ranks;  // of each place, the lowest
    for (int rank = 0; rank < parcels_->parties() && !result_; ++rank) {
      const std::vector<std::int64_t>& words = parcels_->from(0, rank);
      if (words[ListWord::code] != 0) {
        std::string text(static_cast<std::size_t>(words[ListWord::text_bytes]), '\0');
        std::memcpy(text.data(), words.data() + ListWord::header_words, text.size());
        result_ = {static_cast<Code>(words[ListWord::code]), std::move(text)};
      } else if (words[ListWord::extent] != first[ListWord::extent] ||
                 words[ListWord::places] != first[ListWord::places]) {
        result_ =
            differs(fmt::format("rank 0 makes index lists of {} indices on {} places, rank {} of {} on {}",
                                first[ListWord::extent], first[ListWord::places], rank,
                                words[ListWord::extent], words[ListWord::places]));
      } else if (words[ListWord::place] >= 0) {
        const auto [found, is_new] = ranks.emplace(static_cast<int>(words[ListWord::place]), rank);
        const std::vector<std::int64_t>& other = parcels_->from(0, found->second);
        if (words[ListWord::count] != other[ListWord::count] ||
            words[ListWord::hash] != other[ListWord::hash])
          result_ = differs(fmt::format(
              "ranks {} and {} are both at place {} of the grid dimension, but gave different index lists "
              "({} and {} "
              "indices)",
              found->second, rank, words[ListWord::place], other[ListWord::count], words[ListWord::count]));
      }
    }
    for (int place = 0; place < made_->processes && !result_; ++place)
      if (ranks.count(place) == 0)
        result_ = differs(fmt::format("no process is at place {} of the grid dimension", place));
    if (!result_) look(ranks);
  }

  void look(const std::map<int, int>& ranks) {
    std::map<int, Indices> held;  // in this block, by the first rank at a place
    made_->counts.assign(static_cast<std::size_t>(made_->processes), 0);
    for (const auto& [place, rank] : ranks) {
      const std::vector<std::int64_t>& words = parcels_->from(0, rank);
      made_->counts[static_cast<std::size_t>(place)] = words[ListWord::count];
      std::span<const std::int64_t> rest = std::span(words).subspan(ListWord::header_words);
      held[rank] = read_indices(rest);
    }
    const int me = parcels_->me();
    const Coverage found = coverage(held, block(me), block(me + 1));
    for (int party = 0; party < parcels_->parties(); ++party)
      parcels_->send(party, 1, {found.missing, found.repeated, found.first, found.second});
  }

  // Blocks in ascending order: the first one that tells of an index tells of the lowest.
  void learn(const std::vector<std::int64_t>& words) {
    if (made_->missing < 0) made_->missing = words[0];
    if (made_->repeated >= 0 || words[1] < 0) return;
    made_->repeated = words[1];
    made_->first_rank = static_cast<int>(words[2]);
    made_->second_rank = static_cast<int>(words[3]);
  }

  [[nodiscard]] Error differs(const std::string& why) const {
    return {Code::differs, fmt::format("task {}: {}", comm_.task(), why)};
  }

  TaskComm& comm_;
  std::int64_t extent_;
  std::shared_ptr<IndexLists> made_;
  std::optional<Parcels> parcels_;
  bool heard_ = false;
  Error result_;
};

}  // namespace

Error make_index_lists(TaskComm& comm, std::int64_t extent, std::span<const std::int64_t> indices,
                       const ProcessGrid& grid, int grid_dimension, const Error& found,
                       std::shared_ptr<const IndexLists>* out) {
  Error error = found;
  ListMaker maker(comm, extent, grid, grid_dimension);
  if (!error) maker.list(indices, &error);
  if (error && !errors_return) return error;  // it ends the job
  {
    const std::lock_guard guard(Progress::lock());
    maker.begin(error);
  }
  Progress::wait([&] { return maker.step(); });
  {
    const std::lock_guard guard(Progress::lock());
    maker.end();
  }
  if (maker.result()) return maker.result();
  *out = maker.lists();
  return {};
}

}  // namespace lapwing::arrays
