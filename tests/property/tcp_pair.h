// Two TCP connections joined by a network in virtual time that loses, doubles, delays, reorders, damages and marks
// segments, all from one seed; and two programs that write, read and close.
//
// Every segment crosses as bytes. A damaged frame has one bit flipped and must be caught by a checksum or fail to
// parse. Each direction may have a bottleneck behind the sender's own link: a queue with a limit and a threshold for
// marks. With WEFT_TRACE in the environment every segment is printed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/rate.h"
#include "tests/property/test_network.h"
#include "transport/tcp/tcp_connection.h"

namespace weft::testing {

/// What one end writes and how it takes what arrives; checks that every byte arrives once and is the right one.
class StreamProgram final : public transport::TcpStreamUser {
 public:
  struct Plan {
    std::uint64_t to_write = 0;
    std::uint64_t expected = 0;       // from the peer
    std::uint64_t write_size = 0;     // of one write(); 0 = all at once
    std::uint64_t frame = 0;          // frames of that size are kept inside segments; 0 = none
    std::uint64_t first_byte_at = 0;  // seed of the pattern that is written
    std::uint64_t peer_pattern = 0;
  };
  explicit StreamProgram(const Plan& plan) : plan_(plan), seen_(plan.expected / 64 + 1) {}

  [[nodiscard]] std::uint32_t segment_length(transport::StreamOffset offset, std::uint32_t room) const override;
  void gather(transport::StreamOffset offset, std::span<std::byte> out) const override;
  void on_arrival(const transport::StreamRun& run) override;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t twice() const { return twice_; }

 private:
  Plan plan_;
  std::vector<std::uint64_t> seen_;  // a bit for each byte that is expected
  std::uint64_t received_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t twice_ = 0;
};

/// How the connection comes to be.
enum class Opening : std::uint8_t { kEstablish, kHandshake, kBothActive };
/// How arriving bytes are taken out of the receive buffer.
enum class Reading : std::uint8_t { kAtOnce, kLate, kNever };

struct Bottleneck {
  Rate rate = Rate::zero();  // zero = none
  Bytes limit = Bytes::max();
  Bytes mark_above = Bytes::max();
};

class TcpPair {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::array<transport::TcpOptions, 2> tcp{};
    std::array<StreamProgram::Plan, 2> plans{};
    Opening opening = Opening::kEstablish;
    Reading reading = Reading::kAtOnce;
    Faults faults{};
    Rate rate = Rate::bits_per_second(10'000'000'000);
    Duration delay = Duration::microseconds(10);
    Bottleneck bottleneck{};
    bool carries_bytes = true;
    bool as_frames = true;  // false: records cross as they are, without payload or damage, which is much faster
    bool closes = true;     // each end closes when it has written everything
    Duration start = Duration::zero();
  };
  /// Sees every segment as it leaves, before any fault; returns true to drop it.
  using Filter = std::function<bool(int from, const wire::Packet& packet)>;

  explicit TcpPair(const Options& options);

  void set_filter(Filter filter) { filter_ = std::move(filter); }
  /// Keeps the frames that pass the port of end 1, with their times, as a capture there would.
  void keep_frames() { keeps_ = true; }
  /// Until nothing is left to do; false: still busy after `steps`.
  [[nodiscard]] bool run(std::uint64_t steps = 2'000'000);
  void run_until(Time until);
  void read(int end);

  [[nodiscard]] transport::TcpConnection& connection(int end) { return *connections_[static_cast<std::size_t>(end)]; }
  [[nodiscard]] const StreamProgram& program(int end) const { return *programs_[static_cast<std::size_t>(end)]; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t damaged_caught() const { return damaged_caught_; }
  [[nodiscard]] std::uint64_t marked() const { return marked_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// One line for each segment that left: time, end, and its fields.
  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }
  void keep_log() { logs_ = true; }

  struct Frame {
    Time at;
    std::vector<std::byte> bytes;
  };
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  /// Hands a segment of the test's making to an end, now.
  void inject(int to, const wire::Packet& packet) { receive(to, {packet, {}, {}}); }

 private:
  struct Flight {
    int to = 0;
    std::vector<std::byte> frame;
    wire::Packet packet;  // these two without frames
    wire::ColdPacket cold;
  };
  void receive(int to, const transport::ReceivedPacket& received) {
    connections_[static_cast<std::size_t>(to)]->on_packet(received, now_);
  }
  [[nodiscard]] bool step(Time until);
  [[nodiscard]] Time next_event() const;
  void open();
  void pump(int end);
  void transmit(int from);
  void put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                   std::span<const std::byte> payload);
  void deliver(const Flight& flight);
  void record(int from, const wire::Packet& packet);

  Options options_;
  RandomStream random_;
  std::array<std::unique_ptr<StreamProgram>, 2> programs_;
  std::array<std::unique_ptr<transport::TcpConnection>, 2> connections_;
  Filter filter_;
  std::multimap<std::int64_t, Flight> in_flight_;
  std::array<Time, 2> wire_free_{};
  std::array<Time, 2> bottleneck_free_{};
  std::array<Time, 2> read_at_{Time::never(), Time::never()};
  Time now_;
  std::vector<std::string> log_;
  std::vector<Frame> frames_;
  std::uint64_t sent_ = 0;
  std::uint64_t damaged_caught_ = 0;
  std::uint64_t marked_ = 0;
  std::uint64_t dropped_ = 0;
  bool trace_;
  bool keeps_ = false;
  bool logs_ = false;
};

}  // namespace weft::testing
