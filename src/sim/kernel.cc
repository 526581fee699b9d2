#include "sim/kernel.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace weft::sim {
namespace {

// Each partition comes about once in a window: an agenda of two windows, a dozen entries in a bucket if all have
// something to do.
EventSet::Options agenda_for(Duration lookahead, std::size_t partitions) {
  const auto window = static_cast<std::uint64_t>(lookahead.picoseconds());
  const std::uint64_t width = std::max<std::uint64_t>(12 * window / partitions, 16);
  const int shift = std::min(static_cast<int>(std::bit_width(width)) - 1, 30);
  return {.bucket_shift = static_cast<std::uint8_t>(shift),
          .bucket_count_shift =
              static_cast<std::uint8_t>(std::clamp(static_cast<int>(std::bit_width(2 * window >> shift)), 6, 17))};
}

}  // namespace

Kernel::Kernel(const Division& division) : lookahead_(division.lookahead) {
  WEFT_ASSERT(is_divided() ? division.event_sets.size() >= 2 : division.event_sets.size() == 1);
  partitions_.reserve(division.event_sets.size());
  for (const EventSet::Options& options : division.event_sets) {
    partitions_.emplace_back(options).due = is_divided() ? Time::never() : kNotEnqueued;
  }
  partitions_.front().due = kNotEnqueued;
  if (is_divided()) {
    set_workers(std::vector<WorkerIndex>(partitions_.size(), 0));
  }
}

void Kernel::set_workers(const std::vector<WorkerIndex>& by_partition) {
  WEFT_ASSERT(is_divided() && by_partition.size() == partitions_.size() && by_partition.front() == 0 && count_ == 0);
  const std::uint32_t workers = *std::ranges::max_element(by_partition) + 1;
  const EventSet::Options agenda = agenda_for(lookahead_, partitions_.size() / workers + 1);
  workers_.clear();
  workers_.reserve(workers);
  for (WorkerIndex worker = 0; worker < workers; ++worker) {
    Worker& made = workers_.emplace_back(agenda);
    made.outboxes[0].resize(workers);
    made.outboxes[1].resize(workers);
  }
  for (PartitionIndex index = 0; index < partitions_.size(); ++index) {
    partitions_[index].worker = by_partition[index];
  }
  team_ = workers > 1 ? std::make_unique<WorkerTeam>(workers) : nullptr;
  in_order_ = true;
}

void Kernel::set_peers(const std::vector<WorkerIndex>& by_partition, std::uint32_t local, Peers& peers) {
  WEFT_ASSERT(is_divided() && by_partition.size() == partitions_.size() && by_partition.front() == 0 && local >= 1);
  std::vector<WorkerIndex> of_this_process = by_partition;
  for (WorkerIndex& worker : of_this_process) {
    worker = worker < local ? worker : 0;
  }
  of_this_process.back() = local - 1;  // so that there are as many
  set_workers(of_this_process);
  for (PartitionIndex index = 0; index < partitions_.size(); ++index) {
    WEFT_ASSERT(by_partition[index] < local + peers.count());
    partitions_[index].worker = by_partition[index];
  }
  for (Worker& worker : workers_) {
    worker.far[0].resize(peers.count());
    worker.far[1].resize(peers.count());
  }
  peers_ = &peers;
  peer_reports_.resize(peers.count());
  messages_.resize(peers.count());
}

void Kernel::append_global(const Crossing& crossing, std::string& message) {
  const Far far{.to = 0, .crossing = crossing};
  constexpr std::uint32_t kNoContent = 0;
  message.append(reinterpret_cast<const char*>(&far), sizeof far);
  message.append(reinterpret_cast<const char*>(&kNoContent), sizeof kNoContent);
}

std::vector<Crossing> Kernel::sorted_globals(std::uint32_t parity) {
  std::vector<Crossing> all = std::exchange(foreign_globals_, {});
  for (Worker& worker : workers_) {
    all.insert(all.end(), worker.globals[parity].begin(), worker.globals[parity].end());
    worker.globals[parity].clear();
  }
  std::ranges::sort(all, {},
                    [](const Crossing& each) { return std::tuple(each.at, each.kind, each.target, each.content); });
  return all;
}

void Kernel::post_among_peers(Worker& own, PartitionIndex to, const Crossing& crossing) {
  const WorkerIndex worker = partitions_[to].worker;
  if (worker < workers_.size()) {
    own.outboxes[running_.parity][worker].push_back(crossing);
  }
  for (std::uint32_t peer = 0; peer < peers_->count(); ++peer) {
    if (worker == workers_.size() + peer) {
      own.far[running_.parity][peer].push_back({to, crossing});
    }
  }
}

Kernel::Report Kernel::sum_of_reports() const {
  Report all;
  for (const Worker& worker : workers_) {
    all += worker.report;
  }
  return all;
}

Kernel::Outlook Kernel::look_around() {
  Outlook outlook;
  for (const Worker& worker : workers_) {
    outlook.begin = earlier(outlook.begin, worker.agenda.not_before().time);
  }
  if (peers_ == nullptr) {
    outlook.is_empty = is_empty();
    return outlook;
  }
  for (PartitionIndex index = 0; index < partitions_.size(); ++index) {
    outlook.is_empty = outlook.is_empty && (is_foreign(index) || partitions_[index].events.size() == 0);
  }
  std::vector<std::string> told;
  if (!peers_->gather(std::string(reinterpret_cast<const char*>(&outlook), sizeof outlook), told)) {
    lost_peer_ = true;
    return {};
  }
  for (const std::string& bytes : told) {
    Outlook other;
    WEFT_ASSERT(bytes.size() == sizeof other);
    std::memcpy(&other, bytes.data(), sizeof other);
    outlook.begin = earlier(outlook.begin, other.begin);
    outlook.is_empty = outlook.is_empty && other.is_empty;
  }
  return outlook;
}

PartitionIndex Kernel::next_at(Time at) {
  PartitionIndex next = static_cast<PartitionIndex>(partitions_.size());
  const Event* earliest = nullptr;
  for (PartitionIndex index = 0; index < partitions_.size(); ++index) {
    const Event* const first = is_foreign(index) ? nullptr : partitions_[index].events.first();
    if (first != nullptr && first->time <= at && (earliest == nullptr || first->before(*earliest))) {
      earliest = first;
      next = index;
    }
  }
  return next;
}

void Kernel::insert_again(Event event) { running_.events->insert(event); }

void Kernel::insert_and_enqueue(PartitionIndex index, Event event) {
  Partition& partition = partitions_[index];
  partition.events.insert(event);
  enqueue(index, event);
}

void Kernel::enqueue(PartitionIndex index, const Event& next) {
  Partition& partition = partitions_[index];
  partition.due = next.time;
  const Event entry(next.time, next.rank(), ActorId::from_value(index));
  if (in_order_) {
    queue_in_order_.push_back(entry);
    std::ranges::push_heap(queue_in_order_, kLater);
  } else {
    workers_[partition.worker].agenda.insert(entry);
  }
}

bool Kernel::pop_in_order(Event& entry, Time limit) {
  if (queue_in_order_.empty() || queue_in_order_.front().time > limit) {
    return false;
  }
  std::ranges::pop_heap(queue_in_order_, kLater);
  entry = queue_in_order_.back();
  queue_in_order_.pop_back();
  return true;
}

// What agendas still have of the time that is over would be windows of the past.
void Kernel::leave_order(Time until) {
  Event entry;
  for (Worker& worker : workers_) {
    while (worker.agenda.pop(entry, until)) {
    }
  }
}

void Kernel::enqueue_partition(PartitionIndex index) {
  const Event next = partitions_[index].events.not_before();
  if (next.time.is_never()) {
    partitions_[index].due = next.time;
  } else {
    enqueue(index, next);
  }
}

// For a run in one order: partition 0 as well, and with the rank where it is known.
void Kernel::enqueue_partitions() {
  queue_in_order_.clear();
  for (PartitionIndex index = 0; index < partitions_.size(); ++index) {
    enqueue_partition(index);
  }
}

void Kernel::deal_partitions() {
  if (!in_order_) {
    return;
  }
  in_order_ = false;
  queue_in_order_.clear();
  for (PartitionIndex index = 1; index < partitions_.size(); ++index) {
    if (is_foreign(index)) {
      partitions_[index].due = kNotEnqueued;
    } else {
      enqueue_partition(index);
    }
  }
}

Time Kernel::end_of_window(Time time) const {
  const std::int64_t length = lookahead_.picoseconds();
  return Time::from_picoseconds((time.picoseconds() / length + 1) * length - 1);
}

bool Kernel::is_empty() const {
  return std::ranges::all_of(partitions_, [](const Partition& partition) { return partition.events.size() == 0; });
}

std::size_t Kernel::heap_bytes() const {
  std::size_t bytes = partitions_.capacity() * sizeof(Partition) + queue_in_order_.capacity() * sizeof(Event);
  for (const Worker& worker : workers_) {
    bytes += worker.agenda.heap_bytes();
  }
  for (const Partition& partition : partitions_) {
    bytes += partition.events.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::sim
