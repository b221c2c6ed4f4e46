// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/passage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "arrays/agreement.hpp"
#include "arrays/collectives/collectives.hpp"
#include "arrays/files/array_file.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {

Error Passage::here(Code code, const std::string& why) const {
  return {code, fmt::format("task {}, rank {}: {}", comm_->task(), comm_->rank(), why)};
}

Error Passage::begin(const Error& found) {
  Error mine = found;
  if (!mine && path_.empty()) mine = here(Code::argument, "the file has no name");
  if (!mine && !array_.view) mine = here(Code::argument, "the distribution is null");
  if (!mine && !array_.view->section.permutation.empty())
    mine = here(Code::argument,
                "the section has a permutation; an array in a file has the order of its dimensions");
  open_memory(array_);
  if (!mine)
    mine =
        check_local(*array_.view, comm_->party(comm_->task()), comm_->rank(), array_.local, array_.elements);
  const std::string call = fmt::format("{} {} {} ", writes_, path_, part_);
  return agree_within(*comm_, mine,
                      std::hash<std::string>{}(mine ? call : call + Descriptor::of({array_.view})->bytes));
}

Error Passage::run_at(std::int64_t offset) {
  const FileRounds rounds(array_.view->distribution, array_.view->section, comm_->processes(),
                          FileSizes::most_bytes, FileSizes::least_bytes);
  if (Error error = reach(rounds, offset)) return error;
  const std::int64_t element = array_.view->distribution.element_bytes();
  Error error = move(rounds, [&](const FileRound& round, char* memory) -> std::string {
    const FileRounds::Piece piece = FileRounds::piece(round, comm_->rank());
    const std::int64_t at = offset + piece.first * element, bytes = piece.elements * element;
    return writes_ ? file_.write(at, memory, bytes) : file_.read(at, memory, bytes);
  });
  if (const std::string why = file_.close(); !why.empty() && !error) error = here(Code::file, why);
  return agree_within(*comm_, error, 0);
}

Error Passage::run_by_first(const Reader& read) {
  const FileRounds rounds(array_.view->distribution, array_.view->section, 1, FileSizes::most_bytes,
                          FileSizes::least_bytes);
  const Error error = move(rounds, [&](const FileRound& round, char* memory) -> std::string {
    return comm_->rank() == 0 ? read(round, memory) : "";
  });
  return agree_within(*comm_, error, 0);
}

// The file is open where no error is returned.
Error Passage::reach(const FileRounds& rounds, std::int64_t offset) {
  Error mine;
  if (const std::string why = file_.open(comm_->program(), path_.c_str(), writes_); !why.empty())
    mine = here(Code::file, why);
  else if (!writes_ && comm_->rank() == 0)
    if (const std::int64_t size = file_.size(); size >= 0 && size < offset + rounds.bytes())
      mine = here(Code::file, fmt::format("the file {} has {} bytes, and {} from byte {} on takes {}", path_,
                                          size, describe(array_.view->distribution), offset, rounds.bytes()));
  const Error error = agree_within(*comm_, mine, 0);
  // MPI closes together what was opened together: where one process has not opened it the others cannot
  // close it.
  int open = file_.is_open() ? 1 : 0;
  if (error)
    complete([&](MPI_Request* r) {
      PMPI_Iallreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, comm_->program(), r);
    });
  if (error && open != 0) file_.close();
  return error;
}

template <typename Access>
Error Passage::move(const FileRounds& rounds, Access access) {
  Error mine;
  std::vector<char> memory;
  const std::int64_t element = array_.view->distribution.element_bytes();
  for (std::int64_t number = 0; number < rounds.count(); ++number) {
    FileRound round = rounds.round(number);
    const FileRounds::Piece piece = FileRounds::piece(round, comm_->rank());
    memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, piece.elements * element)));
    const Operand outside{array_.local, array_.elements,
                          std::make_shared<View>(View{array_.view->distribution, round.part, false})};
    const Operand inside{memory.data(), piece.elements, std::make_shared<View>(View{round.file, {}, false})};
    std::string why;
    // After an error the others still wait for what this process has to send.
    if (!writes_ && !mine) why = access(round, memory.data());
    const Status moved =
        wait(begin_within(comm_, writes_ ? outside : inside, writes_ ? inside : outside, false));
    if (moved.error && !mine) mine = moved.error;
    if (writes_ && !mine) why = access(round, memory.data());
    if (!why.empty()) mine = here(Code::file, why);
  }
  return mine;
}

}  // namespace lapwing::arrays
