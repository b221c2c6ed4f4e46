// SPDX-License-Identifier: Apache-2.0
// Rounds: a process that does not know the result asks all directories; one that does says so. Where only
// some know it, these ask in a second round. Then all are answered.
#include "arrays/transfers/meeting.hpp"

#include <algorithm>

#include "arrays/task_comm.hpp"

namespace lapwing::arrays {

namespace {

struct MeetingRound {
  enum : int { first_questions, late_questions, answers };
};

std::vector<int> parties_of(const TaskComm& comm, const ParcelKey& key) {
  std::vector<int> all;
  for (const int task : {key.source, key.destination}) {
    for (int p = 0; p < comm.processes(task); ++p) all.push_back(comm.member(task, p));
    if (!key.between) break;
  }
  return all;
}

// Those of several arrays, one after the other, each with its length.
void append_part(Words* all, const Words& part) {
  all->push_back(static_cast<std::int64_t>(part.size()));
  all->insert(all->end(), part.begin(), part.end());
}

template <class Visit>
void each_part(std::span<const std::int64_t> rest, std::size_t parts, Visit visit) {
  for (std::size_t k = 0; k < parts && !rest.empty(); ++k) {
    const auto length = std::min(static_cast<std::size_t>(rest.front()), rest.size() - 1);
    visit(k, rest.subspan(1, length));
    rest = rest.subspan(1 + length);
  }
}

}  // namespace

bool Meeting::needed(const Movement::Ends& ends) {
  for (const Descriptor* descriptor : {ends.from.get(), ends.to.get()})
    for (const auto& view : descriptor->views)
      if (has_lists(view->distribution)) return true;
  return false;
}

Meeting::Meeting(TaskComm& comm, const Movement::Ends& ends, const ParcelKey& key, std::shared_ptr<Met> found)
    : comm_(comm),
      result_(std::move(found)),
      had_(result_->known),
      parcels_(comm, key, parties_of(comm, key)) {
  const int sends = !key.between || key.source == comm.task() ? comm.rank() : -1;
  const int receives = !key.between || key.destination == comm.task() ? comm.rank() : -1;
  for (std::size_t i = 0; i < ends.from->views.size(); ++i) {
    const View &a = *ends.from->views[i], &b = *ends.to->views[i];
    views_.emplace_back(a.distribution, a.section, sends, b.distribution, b.section, receives,
                        parcels_.parties(), parcels_.me());
  }
  ask(MeetingRound::first_questions, !had_);
}

Meeting::~Meeting() = default;

// The first word says whether questions follow. Each process begins with another directory.
void Meeting::ask(int round, bool all) {
  for (int k = 0; k < parcels_.parties(); ++k) {
    const int party = (parcels_.me() + k) % parcels_.parties();
    Words words{all ? 1 : 0};
    for (std::size_t i = 0; all && i < views_.size(); ++i) append_part(&words, views_[i].question(party));
    parcels_.send(party, round, std::move(words));
  }
}

void Meeting::hear(int round) {
  for (int party = 0; party < parcels_.parties(); ++party) {
    const std::span<const std::int64_t> words(parcels_.from(round, party));
    if (words[0] == 0) continue;
    each_part(words.subspan(1), views_.size(),
              [&](std::size_t i, auto part) { views_[i].hear(party, part); });
  }
}

void Meeting::answer() {
  for (int k = 0; k < parcels_.parties(); ++k) {
    const int party = (parcels_.me() + k) % parcels_.parties();
    Words words;
    for (Rendezvous& view : views_) append_part(&words, view.answer(party));
    parcels_.send(party, MeetingRound::answers, std::move(words));
  }
}

void Meeting::learn() {
  for (int party = 0; party < parcels_.parties(); ++party)
    each_part(parcels_.from(MeetingRound::answers, party), views_.size(),
              [&](std::size_t i, auto part) { views_[i].learn(part); });
  if (had_) result_ = std::make_shared<Met>();
  // An equal transfer may have found it meanwhile.
  for (std::size_t i = 0; i < views_.size() && !result_->known; ++i)
    result_->views.push_back({views_[i].sent(), views_[i].received()});
  result_->known = true;
}

bool Meeting::step() {
  if (done_) return false;
  if (found_) {
    // A process that has heard all it needs may be the one that others still hear from.
    done_ = !comm_.control().sending_parcels();
    return done_;
  }
  if (!parcels_.complete(round_)) return false;
  if (round_ == MeetingRound::first_questions) {
    int questions = 0;
    for (int party = 0; party < parcels_.parties(); ++party)
      questions += parcels_.from(MeetingRound::first_questions, party)[0] != 0 ? 1 : 0;
    if (questions == 0) {
      found_ = true;
      return true;
    }
    hear(MeetingRound::first_questions);
    round_ = questions == parcels_.parties() ? MeetingRound::answers : MeetingRound::late_questions;
    if (round_ == MeetingRound::late_questions)
      ask(MeetingRound::late_questions, had_);
    else
      answer();
  } else if (round_ == MeetingRound::late_questions) {
    hear(MeetingRound::late_questions);
    round_ = MeetingRound::answers;
    answer();
  } else {
    learn();
    found_ = true;
  }
  return true;
}

}  // namespace lapwing::arrays
