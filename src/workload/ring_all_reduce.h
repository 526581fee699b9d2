// Ring all-reduce of one rank: WRITEs with immediate data to its successor, one per chunk, pipelined.
//
// A chunk goes on as soon as it has come in (and, in the reduce-scatter, been added to the rank's own), so that all
// links of the ring are busy at once. The rank's memory holds the buffer at offset 0 and as much again behind it, where
// chunks to be added arrive. A chunk of the scratch half is overwritten by the next all-reduce only after every rank
// has the result of this one, so several may follow each other without a barrier. Memory does not grow with steps.
// Chunks take turns on the queue pairs of the connection; each is taken in its order whatever order they come in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rate.h"
#include "base/ring.h"
#include "workload/messenger.h"
#include "workload/program.h"
#include "workload/ring_schedule.h"

namespace weft::workload {

/// Adds real bytes, in runs that carry them.
class ChunkReducer {
 public:
  virtual ~ChunkReducer() = default;
  /// Adds `size` bytes at `scratch` to those at `data`; offsets in the rank's memory.
  struct Operands {
    std::uint64_t data = 0;
    std::uint64_t scratch = 0;
    Bytes size{};
  };
  virtual void reduce(const Operands& operands) = 0;
};

struct RingAllReduceOptions {
  JobId job{};
  RankId rank{};
  RingShape shape{};
  std::uint32_t iterations = 1;
  Time start{};
  ConnectionOptions connection{.receive_requests = 128};  // receive_requests above 0; 2 x max_send_wr avoids RNR NAKs
  std::uint16_t rail = 0;
  std::uint16_t remote_rail = 0;
  verbs::GpuIndex gpu{};              // where chunks are added
  std::optional<Rate> reduce_rate{};  // bytes added per time; none: adding takes no time
  ChunkReducer* reducer = nullptr;    // must outlive the program; null: lengths only
};

class RingAllReduce final : public Program, private MessageHandler {
 public:
  /// The messenger and the matcher must outlive this. Errors: check_ring, a rank outside the ring, a memory smaller
  /// than twice the buffer, no receive request.
  [[nodiscard]] static Result<std::unique_ptr<RingAllReduce>> make(Messenger& messenger, DeliveryMatcher& matcher,
                                                                   const RingAllReduceOptions& options);

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  /// Also after a failure: the rank cannot go on.
  [[nodiscard]] bool done() const override { return failed_ || iteration_ == options_.iterations; }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Bytes bytes_sent() const { return bytes_sent_; }

 private:
  RingAllReduce(Messenger& messenger, DeliveryMatcher& matcher, const RingAllReduceOptions& options);

  Result<void> on_sent(const Message& message, verbs::WcStatus status) override;
  Result<void> on_arrived(const Arrival& arrival) override;
  [[nodiscard]] RankId neighbour(std::uint32_t distance) const;
  void begin_iteration();
  [[nodiscard]] Result<void> advance();
  [[nodiscard]] Result<void> take_arrivals();
  [[nodiscard]] Result<void> send_ready();
  [[nodiscard]] Result<void> send(const RingChunk& chunk);
  void finish_reduction();
  [[nodiscard]] std::uint64_t chunks_ready() const;
  [[nodiscard]] bool iteration_complete() const;

  Messenger& messenger_;
  DeliveryMatcher& matcher_;
  RingAllReduceOptions options_;
  ChannelId channel_{};
  bool begun_ = false;
  bool failed_ = false;
  std::uint32_t iteration_ = 0;
  Time iteration_start_{};

  // Of the whole run: which queue pair is next.
  std::vector<std::uint64_t> arrived_;  // per queue pair
  std::uint64_t next_arrival_ = 0;
  std::uint64_t next_departure_ = 0;
  std::uint32_t outstanding_ = 0;
  Bytes bytes_sent_{};

  // Of this iteration.
  RingCursor sends_;
  RingCursor receives_;
  std::optional<RingChunk> next_send_{};
  std::optional<RingChunk> next_receive_{};
  Ring<RingChunk> reducing_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t reduced_ = 0;
};

}  // namespace weft::workload
