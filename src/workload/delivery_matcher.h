// Joins the two halves of a message's record: the requester knows when it finished, the receiver when it arrived.
//
// The n-th completion of the receiver on a queue pair belongs to the n-th message posted to that queue pair that needs
// a receive request, since RC delivers in order. Either half may come first. Messages that the receiver is not told of
// pass straight on. A message in parts over several queue pairs is whole when all of its parts are. Memory grows with
// the messages between their two halves only. One matcher serves all jobs.
//
// Where programs run in windows (sim/kernel.h), halves are kept by worker as they come, and joined by `settle`.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "base/worker.h"
#include "workload/message_record.h"

namespace weft::workload {

/// One direction of one queue pair of a job.
struct StreamKey {
  JobId job{};
  RankId source{};
  RankId destination{};
  std::uint32_t channel = 0;
  std::uint16_t rail = 0;         // the source's
  std::uint16_t remote_rail = 0;  // the destination's
  std::uint32_t queue_pair = 0;   // within the channel

  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

class DeliveryMatcher {
 public:
  /// The sink must outlive this.
  explicit DeliveryMatcher(MessageSink& sink) : sink_(sink) {}

  /// The requester's half; its messages of one stream come in the order in which they were posted.
  void on_finished(const StreamKey& stream, const MessageRecord& record);
  /// The receiver's half: the next message of the stream has arrived.
  void on_delivered(const StreamKey& stream, Time at);
  void on_collective(const CollectiveRecord& record);

  /// From here on halves and records of so many workers are kept until `settle`; and those of as many other processes
  /// as have partitions of the same world.
  void keep_halves(std::uint32_t workers, std::uint32_t peers = 0);
  /// For other processes: what workers of this one have kept, as bytes; and over there, as if a worker had kept it.
  [[nodiscard]] std::string kept() const;
  void take_kept(std::uint32_t peer, std::string_view bytes);
  [[nodiscard]] bool keeps_halves() const { return !kept_.empty(); }
  /// Whether the worker has so many halves that they had better be joined.
  [[nodiscard]] bool is_full(WorkerIndex worker) const { return !kept_.empty() && kept_[worker].halves.size() > kMany; }
  /// Joins what was kept, but for what happened after `last`; no worker runs meanwhile.
  void settle(Time last = Time::never());
  /// The same when everything was sent by `end`: what happened until then, and as much more, in order of time, as it
  /// takes until nothing awaits its delivery. If nothing does, the run is over, and all that comes later is dropped, as
  /// if it had ended at that event.
  void settle_to_end(Time end);

  /// Of what is known of a job's messages by halves: all times so much later.
  void shift(JobId job, Duration by);

  /// Messages that have finished and that their receiver has not seen yet.
  [[nodiscard]] std::uint64_t awaiting_delivery() const { return awaiting_; }
  /// The latest that any receiver saw a message.
  [[nodiscard]] Time last_delivery() const { return last_delivery_; }
  /// At the end of a run: reports, as never delivered, what is still without its receiver's half.
  void flush();

 private:
  // Of the two, one is always empty.
  struct Stream {
    Ring<MessageRecord> finished;
    Ring<Time> delivered;
  };
  struct Whole {
    MessageRecord record{};
    std::uint32_t missing = 0;  // parts
  };
  struct Half {
    StreamKey stream{};
    MessageRecord record{};  // of one that was delivered, `delivered` alone
    bool is_delivery = false;

    [[nodiscard]] Time at() const { return is_delivery ? record.delivered : record.finished; }
  };
  struct alignas(64) Kept {
    std::vector<Half> halves;
    std::vector<CollectiveRecord> collectives;
    bool has_failure = false;  // one of the halves is of a message that failed
  };
  static constexpr std::size_t kMany = 1 << 14;

  /// All that was kept, by time, as if the first worker had kept it.
  void put_in_order();
  void take(const Half& half);
  void take_finished(const StreamKey& stream, const MessageRecord& record);
  void take_delivered(const StreamKey& stream, Time at);
  void report(const MessageRecord& record);
  void join(const MessageRecord& part);

  /// Drops streams of which nothing is kept, when there have come to be twice as many as remained the last time.
  void prune();

  MessageSink& sink_;
  std::map<StreamKey, Stream> streams_;
  std::size_t prune_at_ = 1 << 16;
  std::map<std::pair<FlowId, std::uint64_t>, Whole> wholes_;  // by flow and number: messages in parts
  std::vector<Kept> kept_;                                    // by worker, then by peer; empty: halves are not kept
  std::uint32_t workers_ = 0;                                 // of this process, among them
  bool over_ = false;
  std::uint64_t awaiting_ = 0;
  Time last_delivery_;
};

}  // namespace weft::workload
