// Two queue pairs over TCP connections, kernel TCP or iWARP, each with a device's tables, memory and queues, joined by
// a network in virtual time that loses, doubles, delays, reorders and damages segments, all from one seed.
//
// Every segment crosses as bytes of a whole frame; a damaged one must be caught by a checksum. Where lengths alone
// travel, zeros stand for the payload on the wire and none is handed on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/property/test_network.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/stream/tcp_queue_pair.h"

namespace weft::testing {

enum class StreamKind : std::uint8_t { kTcp, kIwarp };

struct StreamPairOptions {
  StreamKind kind = StreamKind::kIwarp;
  std::uint64_t seed = 1;
  Faults faults{};
  Rate rate = Rate::bits_per_second(10'000'000'000);
  Duration delay = Duration::microseconds(5);
  bool carries_bytes = true;
  std::array<transport::IwarpOptions, 2> ends{};  // of kernel TCP what it has in common with iWARP
  verbs::AccessMask remote_access = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite;
  std::uint8_t max_rd_atomic = 4;
  std::uint8_t max_dest_rd_atomic = 4;
  std::uint32_t memory_bytes = 1 << 20;
  std::uint32_t max_wr = 1024;
  std::uint32_t cq_capacity = 1 << 12;
  bool shared_receive_queue = false;
};

/// One side. Memory is one region at kBase with a guard of 64 bytes on either side that nobody may touch.
class StreamSide {
 public:
  static constexpr std::uint64_t kBase = 0x10000;
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kGuardByte{0xA5};

  StreamSide(int index, const StreamPairOptions& options, transport::FramingHeaderLogs* ledgers);

  void connect(const StreamSide& peer, const StreamPairOptions& options, Time now);
  [[nodiscard]] std::span<std::byte> memory() {
    return std::span(storage_).subspan(kGuard, storage_.size() - 2 * kGuard);
  }
  [[nodiscard]] bool guards_intact() const;
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_send() { return drain(send_cq); }
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_recv() { return drain(recv_cq); }
  [[nodiscard]] std::vector<verbs::AsyncEventType> poll_events();
  [[nodiscard]] verbs::Sge sge(std::uint64_t offset, std::uint32_t length) const {
    return {.address = kBase + offset, .length = length, .lkey = key};
  }
  [[nodiscard]] transport::IwarpQueuePair& iwarp() { return static_cast<transport::IwarpQueuePair&>(*qp); }

  verbs::Context context;
  verbs::PdHandle pd;
  std::uint32_t key = 0;
  verbs::CqHandle send_cq;
  verbs::CqHandle recv_cq;
  verbs::SrqHandle srq;
  std::unique_ptr<transport::StreamQueuePair> qp;

 private:
  [[nodiscard]] std::vector<verbs::WorkCompletion> drain(verbs::CqHandle cq);
  std::vector<std::byte> storage_;
};

/// Both sides in RTS, and the network between them.
class StreamPair {
 public:
  explicit StreamPair(const StreamPairOptions& options);

  [[nodiscard]] StreamSide& side(int index) { return *sides_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Result<void> post_send(int side, const verbs::SendWr& request) {
    return this->side(side).qp->post_send(request, this->side(side).context, now_);
  }
  Result<void> post_recv(int side, std::uint64_t wr_id, std::uint64_t offset, std::uint32_t length);

  /// Runs until nothing is left to do; false: still busy after `steps` events.
  [[nodiscard]] bool run(std::uint64_t steps = 3'000'000);
  void run_until(Time until);
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t damaged_caught() const { return damaged_caught_; }

  /// Sees every segment as it leaves, before any fault; returns true to drop it.
  using Filter = std::function<bool(int from, const wire::Packet& packet)>;
  void set_filter(Filter filter) { filter_ = std::move(filter); }
  /// May change the payload of a segment, whose checksum is made afterwards: a peer that misbehaves.
  using Tamper = std::function<void(int from, std::span<std::byte> payload)>;
  void set_tamper(Tamper tamper) { tamper_ = std::move(tamper); }

  /// One line for each segment that left: time, end, and its fields.
  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }
  /// The frames that left.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& frames() const { return frames_; }

 private:
  struct Flight {
    int to = 0;
    std::vector<std::byte> frame;
  };
  [[nodiscard]] bool step(Time until);
  [[nodiscard]] Time next_event() const;
  void transmit(int from);
  void put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                   std::span<const std::byte> payload);
  void deliver(const Flight& flight);

  StreamPairOptions options_;
  transport::FramingHeaderLogs ledgers_;
  std::array<std::unique_ptr<StreamSide>, 2> sides_;
  RandomStream random_;
  Filter filter_;
  Tamper tamper_;
  std::multimap<std::int64_t, Flight> in_flight_;  // by arrival time, then in order of departure
  std::array<Time, 2> wire_free_{};
  Time now_;
  std::vector<std::string> log_;
  std::vector<std::vector<std::byte>> frames_;
  std::uint64_t damaged_caught_ = 0;
};

}  // namespace weft::testing
