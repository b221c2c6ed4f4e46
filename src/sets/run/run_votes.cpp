// SPDX-License-Identifier: Apache-2.0
// How a ballot travels: over the control queue, or by a collective of MPI's on
// a twin of the set, and which of them is cheaper.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sets/messages.hpp"
#include "sets/run/collectives.hpp"
#include "sets/run/run.hpp"
#include "sets/votes/liveness.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t ballots_per_trial = 16;
constexpr std::size_t most_samples = 1024;

}  // namespace

struct Run::Static {
  BallotRef ballot;
  std::size_t bytes;  // of one vote
  std::vector<unsigned char> mine, all;
  std::vector<int> voters;  // of the world
  MPI_Request request = MPI_REQUEST_NULL;
};

namespace {

void count_votes(Ballot& ballot, const std::vector<unsigned char>& all, std::size_t bytes) {
  std::size_t length = 0;
  std::vector<std::uint64_t> votes;
  for (std::size_t v = 0; v < all.size(); v += bytes) {
    std::uint64_t vote = 0;
    for (std::size_t b = 0; b < bytes; ++b) vote |= static_cast<std::uint64_t>(all[v + b]) << 8 * b;
    append_bits(votes, &length, &vote, 0, static_cast<std::size_t>(ballot.bits));
  }
  ballot.complete_with(std::move(votes));
}

}  // namespace

bool Run::by_collective(Family& family, Set& voters) {
  if (voters.size() == 1) return false;
  if (how_ != transfer::Split::automatic)
    return how_ == transfer::Split::static_ || how_ == transfer::Split::blocking;
  if (voters.size() == 2) return false;  // nothing to learn
  const SetComms& known = family.comms(voters);
  return known.phase == SetComms::collective || (known.phase == SetComms::decided && known.by_collective);
}

[[gnu::hot]] void Run::start_ballot(Family& family, Ballot& ballot) {
  Set& voters = *ballot.voters;
  ballot.open = &family.open;
  ++family.open;
  ++stats_.splits;
  // Two have nothing to learn.
  if (voters.size() != 2 || how_ == transfer::Split::static_ || how_ == transfer::Split::blocking) {
    start_among_many(family, ballot);
    return;
  }
  ++stats_.messages;
  stats_.bytes += Pairs::bytes_of_a_vote;
  if (!voters.peer) [[unlikely]]
    voters.peer = pairs_.peer(family.world_rank(voters.members().rank(1 - voters.mine())));
  pairs_.start(family.id(), ballot);
}

void Run::start_among_many(Family& family, Ballot& ballot) {
  Set& voters = *ballot.voters;
  const bool learns = how_ == transfer::Split::automatic && voters.size() > 2 &&
                      family.comms(voters).phase != SetComms::decided;
  const double began = learns ? PMPI_Wtime() : 0;
  if (by_collective(family, voters)) {
    start_static(family, ballot);
  } else {
    votes_.start(family.id(), ballot);
  }
  if (!learns) return;
  std::vector<double>& samples = family.comms(voters).samples;
  if (samples.size() < most_samples) samples.push_back(PMPI_Wtime() - began);
}

void Run::start_static(Family& family, Ballot& ballot) {
  Set& voters = *ballot.voters;
  const MPI_Comm twin = family.twin_of(voters);
  ++voters.ballots;
  auto vote = std::make_unique<Static>();
  vote->ballot = BallotRef(&ballot);
  vote->bytes = (static_cast<std::size_t>(ballot.bits) + 7) / 8;
  for (std::size_t b = 0; b < vote->bytes; ++b)
    vote->mine.push_back(static_cast<unsigned char>(static_cast<unsigned>(ballot.mine) >> 8 * b));
  vote->all.resize(vote->bytes * static_cast<std::size_t>(voters.size()));
  for (const int rank : voters.members().members()) vote->voters.push_back(family.world_rank(rank));
  const int bytes = static_cast<int>(vote->bytes);
  if (how_ == transfer::Split::blocking) {
    PMPI_Allgather(vote->mine.data(), bytes, MPI_BYTE, vote->all.data(), bytes, MPI_BYTE, twin);
    count_votes(ballot, vote->all, vote->bytes);
    return;
  }
  PMPI_Iallgather(vote->mine.data(), bytes, MPI_BYTE, vote->all.data(), bytes, MPI_BYTE, twin,
                  &vote->request);
  statics_.push_back(std::move(vote));
}

void Run::test_statics() {
  std::erase_if(statics_, [](std::unique_ptr<Static>& vote) {
    int here = 0;
    PMPI_Test(&vote->request, &here, MPI_STATUS_IGNORE);
    if (here) count_votes(*vote->ballot, vote->all, vote->bytes);
    return here != 0;
  });
}

// Called by all members of `set` together, after the same number of its ballots:
// so all change the way of the next ones at the same time.
void Run::learn(Family& family, Set& set) {
  // Two exchange their votes as MPI's own collective would.
  if (how_ != transfer::Split::automatic || set.size() < 3) return;
  SetComms& known = family.comms(set);
  if (known.phase == SetComms::decided || set.ballots - known.since < ballots_per_trial) return;
  // The middle one: the first ballots of a set pay for what the others find made.
  std::vector<double>& samples = known.samples;
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2),
                   samples.end());
  known.seconds[known.phase] = samples[samples.size() / 2];
  samples.clear();
  known.since = set.ballots;
  if (known.phase == SetComms::queued) {
    family.twin_of(set);
    known.phase = SetComms::collective;
    return;
  }
  double worst[2];
  PMPI_Allreduce(known.seconds, worst, 2, MPI_DOUBLE, MPI_SUM, known.twin);
  known.by_collective = worst[1] < 0.9 * worst[0];
  known.phase = SetComms::decided;
}

Run::Run(transfer::Split how, bool helper)
    : how_(how),
      may_have_helper_(helper),
      board_(how == transfer::Split::messages ? nullptr : Messages::board()),
      pairs_(Messages::world(), board_, pair_kind),
      votes_([this](std::uint64_t comm, const Set& set, int position, const void* data, std::size_t size) {
        const Family* family = Family::by_id(comm);
        ++stats_.messages;
        stats_.bytes += size;
        const int to = family->world_rank(set.members().rank(position));
        transfer::Board::Neighbour* near = board_ ? board_->neighbour(to) : nullptr;
        if (!near || !board_->send(*near, vote_kind, data, size)) Messages::send(to, vote_kind, data, size);
      }) {}

// Ends the job if a vote that is waited for can never come: its voter is no more,
// and all that it has sent to this process has been read. With more than two voters
// others may have the vote, and are given time to pass it on.
void Run::miss_voters() {
  const Ballot* missed = nullptr;
  int who = -1;
  const auto look = [&](const Ballot& ballot, int rank, std::uint64_t patience) {
    if (missed) return;
    if (!Messages::board() || !Messages::board()->has_ended(rank)) {
      check_alive(rank, fmt::format("and has not voted on the split at {}", describe(ballot.place)));
      return;
    }
    const std::uint64_t now = transfer::now_ns(), since = ended_.emplace(rank, now).first->second;
    if (now - since < patience) return;
    missed = &ballot;
    who = rank;
  };
  constexpr std::uint64_t ms = 1'000'000;
  pairs_.each_open(
      [&](const Ballot& ballot, int rank, std::uint64_t, std::uint32_t) { look(ballot, rank, 50 * ms); });
  votes_.each_missing([&](std::uint64_t comm, std::uint64_t, const Ballot& ballot, int position) {
    if (const Family* family = Family::by_id(comm))
      look(ballot, family->world_rank(ballot.voters->members().rank(position)), 300 * ms);
  });
  for (const auto& vote : statics_) {
    for (const int rank : vote->voters) look(*vote->ballot, rank, 300 * ms);
  }
  if (!missed) return;
  fail(fmt::format(
      "rank {} of MPI_COMM_WORLD has ended without MPI_Finalize, before it voted on the split at {}; the "
      "others would wait for its vote for ever",
      who, describe(missed->place)));
}

// Shows the neighbours what is missed: the ballots and whose votes.
void Run::show_missing() {
  if (!watch_) return;
  std::vector<MissingVote> missing;
  const Ballot* first = nullptr;
  const auto add = [&](const Ballot& ballot, std::uint64_t ballots, std::uint64_t sequence, int rank) {
    if (!first) first = &ballot;
    missing.push_back({ballots, sequence, rank});
  };
  pairs_.each_open([&](const Ballot& ballot, int rank, std::uint64_t set, std::uint32_t sequence) {
    add(ballot, set, sequence, rank);
  });
  votes_.each_missing([&](std::uint64_t comm, std::uint64_t sequence, const Ballot& ballot, int position) {
    if (const Family* family = Family::by_id(comm))
      add(ballot, RunWatch::ballots_key(comm, *ballot.voters), sequence,
          family->world_rank(ballot.voters->members().rank(position)));
  });
  if (!first) return watch_->leave();
  watch_->wait_for(missing,
                   fmt::format("{} waits for votes on the split at {}",
                               made_ ? place_of(*made_) : "a query of the set", describe(first->place)));
}

void Run::wait_for_votes(const std::function<bool()>& done) {
  Messages::wait(done, [this] {
    miss_voters();
    show_missing();
  });
  if (watch_) watch_->leave();
}

Run::Stats Run::stats() {
  const Guard guard;
  Stats now = stats_;
  Family::each([&](Family& family) {
    now.sets += family.table.size();
    now.communicators += family.communicators();
  });
  return now;
}

Run::~Run() = default;

}  // namespace lapwing::sets
