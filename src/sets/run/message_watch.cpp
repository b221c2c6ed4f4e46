// SPDX-License-Identifier: Apache-2.0
#include "sets/run/message_watch.hpp"

#include <mutex>

namespace lapwing::sets {
namespace {

// More than a program ever receives.
constexpr std::uint64_t often = std::uint64_t{1} << 40;
constexpr unsigned first_shared = MessageCounts::columns_of_one_tag;

std::uint64_t bit(int place) { return place < 0 ? 0 : std::uint64_t{1} << place; }

}  // namespace

// The family's data are those of the room, which a helper may use too.
MessageChannels* MessageWatch::look_up(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  std::unique_lock<Lock> guard;
  if (at_hand.threads) guard = std::unique_lock<Lock>(at_hand.lock);
  Family* const family = Family::find(comm);
  if (!family || !family->from_birth) return nullptr;
  std::unique_ptr<MessageChannels>& of = all_[family];
  if (!of) {
    of = std::make_unique<MessageChannels>();
    of->family = family;
    const auto size = static_cast<std::size_t>(family->table.all()->size());
    of->all_near = true;
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::uint64_t here =
          bit(places_[static_cast<std::size_t>(family->world_rank(static_cast<int>(rank)))]);
      of->near |= here;
      of->all_near = of->all_near && here != 0;
    }
    of->with.resize(size);
  }
  cached(comm) = {comm, of.get()};
  return of.get();
}

MessageChannel& MessageWatch::meet(MessageChannels& of, int rank) {
  MessageChannel& made = of.met.emplace_back();
  of.with[static_cast<std::size_t>(rank)] = &made;
  for (int& tag : made.tag_in) tag = -1;
  const int place = places_[static_cast<std::size_t>(of.family->world_rank(rank))];
  if (place < 0) return made;
  made.places = bit(place);
  made.block = counts_.block(of.family->id(), static_cast<unsigned>(place));
  return made;
}

std::uint64_t MessageWatch::sends(MessageChannels* of, int rank, int tag) {
  MessageChannel* const to = with(of, rank);
  if (!to || !to->block) return 0;
  const unsigned column = MessageCounts::column_of(tag);
  if (column >= first_shared) {
    int& only = to->tag_in[column - first_shared];
    if (only == -1) only = tag;
    if (only != tag) to->unsure |= 1u << column;
  }
  MessageCounts::add(to->block->sent[column]);
  if ((to->unsure >> column & 1) != 0) return 0;
  return to->block->sent[column].load(std::memory_order_relaxed);
}

void MessageWatch::sends_often(MPI_Comm comm, int rank) {
  MessageChannel* const to = with(channels(comm), rank);
  if (!to || !to->block) return;
  to->unsure = ~std::uint32_t{0};
  for (auto& count : to->block->sent) MessageCounts::add(count, often);
}

void MessageWatch::did_not_send(MPI_Comm comm, int rank, int tag) {
  if (MessageChannel* const to = with(channels(comm), rank))
    to->unsure |= 1u << MessageCounts::column_of(tag);
}

void MessageWatch::begins(MessageChannels* of, int rank, int tag) {
  MessageCounts::Block* block = nullptr;
  if (rank == MPI_ANY_SOURCE && of) {
    if (!of->met_any) of->from_any = counts_.block(of->family->id(), MessageCounts::any_place);
    of->met_any = true;  // a block that comes later lacks what has begun before
    block = of->from_any;
  } else if (const MessageChannel* const from = with(of, rank)) {
    block = from->block;
  }
  if (!block) return;
  MessageCounts::add(tag == MPI_ANY_TAG ? block->begun_any : block->begun[MessageCounts::column_of(tag)]);
}

void MessageWatch::received(MessageChannels* of, int rank, int tag, int source, int got) {
  if (!of || rank == MPI_PROC_NULL) return;
  if (rank != MPI_ANY_SOURCE) source = rank;
  if (tag != MPI_ANY_TAG) got = tag;
  MessageChannel* const from = source >= 0 ? with(of, source) : nullptr;
  ++of->received_any;
  if (from) ++from->received_any;
  if (got < 0) return;
  const unsigned column = MessageCounts::column_of(got);
  ++of->received[column];
  if (!from) return;
  ++from->received[column];
  if (rank != MPI_ANY_SOURCE && tag != MPI_ANY_TAG) return;
  // It is known now whose message the receive was for.
  MessageCounts::Block* const wild = rank == MPI_ANY_SOURCE ? of->from_any : from->block;
  if (wild) MessageCounts::add(tag == MPI_ANY_TAG ? wild->begun_any : wild->begun[column], ~std::uint64_t{0});
  if (from->block) MessageCounts::add(from->block->begun[column]);
}

bool MessageWatch::need_of_receive(MessageChannels* of, int rank, int tag, MessageNeed* need) {
  if (!of) return false;
  const unsigned column = tag == MPI_ANY_TAG ? MessageNeed::all_columns : MessageCounts::column_of(tag);
  const auto so_far = [&](const auto& from) {
    return tag == MPI_ANY_TAG ? from.received_any : from.received[column];
  };
  if (rank == MPI_ANY_SOURCE) {
    if (!of->all_near) return false;
    *need = {MessageNeed::Kind::any_source, of->family->id(), so_far(*of), of->near, column};
    return true;
  }
  const MessageChannel* const from = with(of, rank);
  if (!from || from->places == 0) return false;
  *need = {MessageNeed::Kind::receive, of->family->id(), so_far(*from), from->places, column};
  return true;
}

bool MessageWatch::need_of_send(MessageChannels* of, int rank, int tag, std::uint64_t number,
                                MessageNeed* need) {
  const MessageChannel* const to = with(of, rank);
  const unsigned column = MessageCounts::column_of(tag);
  if (number == 0 || !sure_ || !to || to->places == 0 || (to->unsure >> column & 1) != 0) return false;
  *need = {MessageNeed::Kind::synchronous, of->family->id(), number, to->places, column};
  return true;
}

bool MessageWatch::need_of(const MessageRequest& one, MessageNeed* need) {
  if (one.receives) return need_of_receive(one.channels, one.rank, one.tag, need);
  return one.synchronous && need_of_send(one.channels, one.rank, one.tag, one.number, need);
}

void MessageWatch::start(MessageRequest& one) {
  if (one.receives) {
    // Its last message came by a call that did not tell.
    if (one.persistent && one.active) received(one.channels, one.rank, one.tag, MPI_ANY_SOURCE, MPI_ANY_TAG);
    begins(one.channels, one.rank, one.tag);
  } else {
    one.number = sends(one.channels, one.rank, one.tag);
  }
  one.active = true;
}

void MessageWatch::complete(MPI_Request handle, const MPI_Status* status) {
  MessageRequest* const one = requests.find(handle);
  if (!one) return;
  if (one->active && one->receives) {
    received(one->channels, one->rank, one->tag, status ? status->MPI_SOURCE : MPI_ANY_SOURCE,
             status ? status->MPI_TAG : MPI_ANY_TAG);
  }
  one->active = false;
  if (!one->persistent) requests.erase(handle);
}

void MessageWatch::forget(const Family& family) {
  cache_ = {};
  const auto found = all_.find(&family);
  if (found == all_.end()) return;
  MessageChannels* const gone = found->second.get();
  requests.erase_if([&](const MessageRequest& one) { return one.channels == gone; });
  counts_.freed(gone->family->id());
  all_.erase(found);
}

}  // namespace lapwing::sets
