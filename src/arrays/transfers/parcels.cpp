// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/parcels.hpp"

#include <algorithm>

#include "arrays/task_comm.hpp"

namespace lapwing::arrays {

Parcels::Parcels(TaskComm& comm, const ParcelKey& key, std::vector<int> parties)
    : comm_(comm), key_(key), parties_(std::move(parties)) {
  const int here = comm.member(comm.task(), comm.rank());
  me_ = static_cast<int>(std::find(parties_.begin(), parties_.end(), here) - parties_.begin());
  come_.resize(rounds);
  for (Round& round : come_) {
    round.words.resize(parties_.size());
    round.missing = static_cast<int>(parties_.size());
  }
  ++comm_.exchanges;
}

Parcels::~Parcels() {
  --comm_.exchanges;
  comm_.parcels.erase(key_);
}

void Parcels::send(int party, int round, std::vector<std::int64_t> words) {
  const int to = parties_[static_cast<std::size_t>(party)];
  if (party == me_)
    take(to, round, std::move(words));
  else
    comm_.control().parcel(to, key_, round, words);
}

void Parcels::take(int from, int round, std::vector<std::int64_t> words) {
  const auto party = std::find(parties_.begin(), parties_.end(), from);
  if (party == parties_.end() || round < 0 || round >= rounds) return;
  Round& here = come_[static_cast<std::size_t>(round)];
  here.words[static_cast<std::size_t>(party - parties_.begin())] = std::move(words);
  --here.missing;
}

bool Parcels::complete(int round) {
  if (const auto found = comm_.parcels.find(key_); found != comm_.parcels.end()) {
    for (Parcel& parcel : found->second) take(parcel.from, parcel.round, std::move(parcel.words));
    comm_.parcels.erase(found);
  }
  return come_[static_cast<std::size_t>(round)].missing == 0;
}

}  // namespace lapwing::arrays
