// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "arrays/collectives/collectives.hpp"
#include "arrays/files/raw_file.hpp"
#include "arrays/schedules/file_rounds.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {
namespace {

// The processes of the task agree on the communicator that the program has: other transfers agree on
// Lapwing's own, on each process when it comes to it.

// The error that the first of the failing processes of this task has, on all of them; or that their
// calls differ.
Error agree_within(TaskComm& comm, const Error& mine, std::size_t call) {
  const auto hash = static_cast<unsigned long long>(call);
  std::array<unsigned long long, 3> words{
      mine ? static_cast<unsigned long long>(comm.processes() - comm.rank()) : 0, hash, ~hash};
  complete([&](MPI_Request* r) {
    PMPI_Iallreduce(MPI_IN_PLACE, words.data(), 3, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm.program(), r);
  });
  if (words[0] == 0) {
    if (words[1] == ~words[2]) return {};
    return {Code::differs,
            fmt::format("task {}: its processes gave different files, offsets or arrays in what should "
                        "be the same call",
                        comm.task())};
  }
  const int failed = comm.processes() - static_cast<int>(words[0]);
  std::array<char, 1024> sentence{};
  sentence[0] = static_cast<char>(mine.code);
  std::strncpy(sentence.data() + 1, mine.text.c_str(), sentence.size() - 2);
  complete([&](MPI_Request* r) {
    PMPI_Ibcast(sentence.data(), static_cast<int>(sentence.size()), MPI_CHAR, failed, comm.program(), r);
  });
  return {static_cast<Code>(sentence[0]), sentence.data() + 1};
}

class Passage {
 public:
  Passage(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset, const Operand& array,
          bool writes)
      : comm_(comm), path_(path ? path : ""), offset_(offset), array_(array), writes_(writes) {}

  Error run(const Error& found) {
    if (Error error = begin(found)) return error;
    const FileRounds rounds(array_.view->distribution, array_.view->section, comm_->processes(),
                            FileSizes::most_bytes, FileSizes::least_bytes);
    Error error = reach(rounds);
    if (!error) error = move(rounds);
    return error;
  }

 private:
  Error here(Code code, const std::string& why) const {
    return {code, fmt::format("task {}, rank {}: {}", comm_->task(), comm_->rank(), why)};
  }

  Error begin(const Error& found) const {
    Error mine = found;
    if (!mine && path_.empty()) mine = here(Code::argument, "the file has no name");
    if (!mine && offset_ < 0) mine = here(Code::argument, fmt::format("the offset is {}", offset_));
    if (!mine && !array_.view) mine = here(Code::argument, "the distribution is null");
    if (!mine && !array_.view->section.permutation.empty())
      mine = here(Code::argument,
                  "the section has a permutation; an array in a file has the order of its dimensions");
    open_memory(array_);
    if (!mine)
      mine = check_local(*array_.view, comm_->party(comm_->task()), comm_->rank(), array_.local,
                         array_.elements);
    const std::string call = fmt::format("{} {} {} ", writes_, path_, offset_);
    return agree_within(*comm_, mine,
                        std::hash<std::string>{}(mine ? call : call + Descriptor::of({array_.view})->bytes));
  }

  // The file is open where no error is returned.
  Error reach(const FileRounds& rounds) {
    Error mine;
    if (const std::string why = file_.open(comm_->program(), path_.c_str(), writes_); !why.empty())
      mine = here(Code::file, why);
    else if (!writes_ && comm_->rank() == 0)
      if (const std::int64_t size = file_.size(); size >= 0 && size < offset_ + rounds.bytes())
        mine =
            here(Code::file, fmt::format("the file {} has {} bytes, and {} from byte {} on takes {}", path_,
                                         size, describe(array_.view->distribution), offset_, rounds.bytes()));
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

  Error move(const FileRounds& rounds) {
    Error mine;
    std::vector<char> memory;
    const std::int64_t element = array_.view->distribution.element_bytes();
    for (std::int64_t number = 0; number < rounds.count(); ++number) {
      FileRound round = rounds.round(number);
      const FileRounds::Piece piece = FileRounds::piece(round, comm_->rank());
      memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, piece.elements * element)));
      const Operand outside{
          array_.local, array_.elements,
          std::make_shared<View>(View{array_.view->distribution, std::move(round.part), false})};
      const Operand inside{memory.data(), piece.elements,
                           std::make_shared<View>(View{std::move(round.file), {}, false})};
      const std::int64_t at = offset_ + piece.first * element, bytes = piece.elements * element;
      std::string why;
      // After an error the others still wait for what this process has to send.
      if (!writes_ && !mine) why = file_.read(at, memory.data(), bytes);
      const Status moved =
          wait(begin_within(comm_, writes_ ? outside : inside, writes_ ? inside : outside, false));
      if (moved.error && !mine) mine = moved.error;
      if (writes_ && !mine) why = file_.write(at, memory.data(), bytes);
      if (!why.empty()) mine = here(Code::file, why);
    }
    if (const std::string why = file_.close(); !why.empty() && !mine) mine = here(Code::file, why);
    return agree_within(*comm_, mine, 0);
  }

  std::shared_ptr<TaskComm> comm_;
  std::string path_;
  std::int64_t offset_;
  Operand array_;
  bool writes_;
  RawFile file_;
};

}  // namespace

Error write_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                  const Operand& array, const Error& found) {
  return Passage(comm, path, offset, array, true).run(found);
}

Error read_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                 const Operand& array, const Error& found) {
  return Passage(comm, path, offset, array, false).run(found);
}

}  // namespace lapwing::arrays
