#include "workload/delivery_matcher.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace weft::workload {

void DeliveryMatcher::report(const MessageRecord& record) {
  if (record.is_control)
    return;
  if (record.parts > 1)
    join(record);
  else
    sink_.on_message(record);
}

// The whole ends with the last of its parts, and fails with the first that does.
void DeliveryMatcher::join(const MessageRecord& part) {
  const auto [found, is_new] = wholes_.try_emplace({part.flow, part.number}, Whole{part, part.parts});
  Whole& whole = found->second;
  if (!is_new) {
    MessageRecord& record = whole.record;
    record.size = record.size + part.size;
    record.posted = earlier(record.posted, part.posted);
    record.finished = later(record.finished, part.finished);
    record.delivered = later(record.delivered, part.delivered);
    record.status = record.status == verbs::WcStatus::kSuccess ? part.status : record.status;
  }
  if (--whole.missing > 0)
    return;
  const MessageRecord record = whole.record;
  wholes_.erase(found);
  sink_.on_message(record);
}

void DeliveryMatcher::keep_halves(std::uint32_t workers, std::uint32_t peers) {
  kept_.resize(workers + peers);
  workers_ = workers;
}

// The number of halves, the halves, and then the records of collectives: the same bytes in every process of one build.
std::string DeliveryMatcher::kept() const {
  static_assert(std::is_trivially_copyable_v<Half> && std::is_trivially_copyable_v<CollectiveRecord>);
  std::uint64_t count = 0;
  std::string halves;
  std::string collectives;
  for (std::uint32_t worker = 0; worker < workers_; ++worker) {
    const Kept& own = kept_[worker];
    count += own.halves.size();
    halves.append(reinterpret_cast<const char*>(own.halves.data()), own.halves.size() * sizeof(Half));
    collectives.append(reinterpret_cast<const char*>(own.collectives.data()),
                       own.collectives.size() * sizeof(CollectiveRecord));
  }
  return std::string(reinterpret_cast<const char*>(&count), sizeof count) + halves + collectives;
}

namespace {

/// As many records as there is room for; the bytes behind them.
template <class Record>
std::string_view read_records(std::string_view bytes, std::vector<Record>& records) {
  const std::size_t size = records.size() * sizeof(Record);
  WEFT_ASSERT(size <= bytes.size());
  if (size > 0)
    std::memcpy(static_cast<void*>(records.data()), bytes.data(), size);
  return bytes.substr(size);
}

}  // namespace

void DeliveryMatcher::take_kept(std::uint32_t peer, std::string_view bytes) {
  Kept& kept = kept_[workers_ + peer];
  std::uint64_t count = 0;
  WEFT_ASSERT(bytes.size() >= sizeof count);
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes.remove_prefix(sizeof count);
  WEFT_ASSERT(count <= bytes.size() / sizeof(Half));
  kept.halves.resize(count);
  bytes = read_records(bytes, kept.halves);
  kept.collectives.resize(bytes.size() / sizeof(CollectiveRecord));
  (void)read_records(bytes, kept.collectives);
  kept.has_failure = std::ranges::any_of(kept.halves, [](const Half& half) {
    return !half.is_delivery && half.record.status != verbs::WcStatus::kSuccess;
  });
}

void DeliveryMatcher::on_finished(const StreamKey& stream, const MessageRecord& record) {
  if (kept_.empty())
    return take_finished(stream, record);
  if (over_)
    return;
  Kept& own = kept_[this_worker];
  own.halves.push_back({.stream = stream, .record = record});
  own.has_failure = own.has_failure || record.status != verbs::WcStatus::kSuccess;
}

void DeliveryMatcher::on_delivered(const StreamKey& stream, Time at) {
  if (kept_.empty())
    return take_delivered(stream, at);
  if (over_)
    return;
  Half half{.stream = stream, .is_delivery = true};
  half.record.delivered = at;
  kept_[this_worker].halves.push_back(half);
}

void DeliveryMatcher::on_collective(const CollectiveRecord& record) {
  if (kept_.empty())
    sink_.on_collective(record);
  else if (!over_)
    kept_[this_worker].collectives.push_back(record);
}

void DeliveryMatcher::take(const Half& half) {
  if (half.is_delivery)
    take_delivered(half.stream, half.record.delivered);
  else
    take_finished(half.stream, half.record);
}

// All halves of one side of a stream come from one worker, in order. Which side comes first does not matter, unless a
// message has failed: whether it was delivered before it did is a question of time.
void DeliveryMatcher::settle(Time last) {
  if (std::ranges::any_of(kept_, &Kept::has_failure))
    put_in_order();
  for (Kept& own : kept_) {
    for (const Half& half : own.halves) {
      if (half.at() <= last)
        take(half);
    }
    own.halves.clear();
    own.has_failure = false;
    for (const CollectiveRecord& record : own.collectives) {
      if (record.finished <= last)
        sink_.on_collective(record);
    }
    own.collectives.clear();
  }
}

void DeliveryMatcher::put_in_order() {
  std::vector<Half>& all = kept_.front().halves;
  for (std::size_t worker = 1; worker < kept_.size(); ++worker) {
    std::vector<Half>& own = kept_[worker].halves;
    all.insert(all.end(), own.begin(), own.end());
    own.clear();
  }
  std::ranges::stable_sort(all, {}, &Half::at);
}

void DeliveryMatcher::settle_to_end(Time end) {
  put_in_order();
  const std::vector<Half> halves = std::exchange(kept_.front().halves, {});
  settle(end);  // of collectives
  for (const Half& half : halves) {
    if (half.at() > end && awaiting_ == 0)
      break;
    take(half);
  }
  over_ = awaiting_ == 0;
}

void DeliveryMatcher::take_finished(const StreamKey& stream, const MessageRecord& record) {
  if (!needs_receive(record.operation)) {
    report(record);
    return;
  }
  if (streams_.size() >= prune_at_)
    prune();
  Stream& halves = streams_[stream];
  if (!halves.delivered.empty()) {
    MessageRecord whole = record;
    whole.delivered = halves.delivered.pop_front();
    report(whole);
  } else if (record.status != verbs::WcStatus::kSuccess) {
    // The queue pair is in error: if this message was not delivered yet, it never will be.
    report(record);
  } else {
    halves.finished.push_back(record);
    ++awaiting_;
  }
}

void DeliveryMatcher::take_delivered(const StreamKey& stream, Time at) {
  last_delivery_ = later(last_delivery_, at);
  if (streams_.size() >= prune_at_)
    prune();
  Stream& halves = streams_[stream];
  if (halves.finished.empty()) {
    halves.delivered.push_back(at);
    return;
  }
  MessageRecord whole = halves.finished.pop_front();
  --awaiting_;
  whole.delivered = at;
  report(whole);
}

void DeliveryMatcher::prune() {
  constexpr std::size_t kLeast = 1 << 16;
  std::erase_if(streams_,
                [](const auto& entry) { return entry.second.finished.empty() && entry.second.delivered.empty(); });
  prune_at_ = std::max(kLeast, 2 * streams_.size());
}

void DeliveryMatcher::shift(JobId job, Duration by) {
  for (auto& [key, stream] : streams_) {
    for (std::uint32_t i = 0; key.job == job && i < stream.finished.size(); ++i) {
      stream.finished[i].posted += by;
      stream.finished[i].finished += by;
    }
    for (std::uint32_t i = 0; key.job == job && i < stream.delivered.size(); ++i)
      stream.delivered[i] += by;
  }
}

void DeliveryMatcher::flush() {
  settle();
  for (auto& [key, halves] : streams_) {
    while (!halves.finished.empty())
      report(halves.finished.pop_front());
    halves.delivered.clear();
  }
  wholes_.clear();
  awaiting_ = 0;
}

}  // namespace weft::workload
