// Two engines joined by a network in virtual time that loses, duplicates, delays, reorders and damages packets, all
// from one seed.
//
// Every packet crosses as bytes: the sender's records are emitted as a frame, the receiver's are parsed from it, so
// that both directions of the wire formats are exercised by every test. A damaged frame has one bit flipped and must
// be caught by the ICRC (or fail to parse). One direction of a link sends one packet at a time. With WEFT_TRACE in the
// environment every packet sent is printed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/rate.h"
#include "transport/packet_io.h"
#include "verbs/context.h"
#include "wire/link_type.h"

namespace weft::testing {

/// What the network does to packets, each with its probability per packet.
struct Faults {
  Probability loss{};
  Probability duplication{};
  Probability reordering{};  // the packet takes up to `reorder_delay` longer than others
  Probability corruption{};
  Probability marking{};  // CE
  Duration reorder_delay = Duration::microseconds(20);
};

/// One end: an engine of any kind behind the functions that all of them have.
class End {
 public:
  virtual ~End() = default;
  virtual void on_packet(const transport::ReceivedPacket& received, Time now) = 0;
  virtual void on_timeout(Time now) = 0;
  virtual bool poll_transmit(transport::TransmitSlot slot, Time now) = 0;
  [[nodiscard]] virtual Time next_transmit() const = 0;
  [[nodiscard]] virtual Time next_timeout() const = 0;
};

/// An engine and the context of its device as one end.
template <class Engine>
class EngineEnd final : public End {
 public:
  EngineEnd(Engine& engine, verbs::Context& context) : engine_(engine), context_(context) {}
  void on_packet(const transport::ReceivedPacket& received, Time now) override {
    engine_.on_packet(received, context_, now);
  }
  void on_timeout(Time now) override { engine_.on_timeout(context_, now); }
  bool poll_transmit(transport::TransmitSlot slot, Time now) override {
    return engine_.poll_transmit(slot, context_, now);
  }
  [[nodiscard]] Time next_transmit() const override { return engine_.next_transmit(); }
  [[nodiscard]] Time next_timeout() const override { return engine_.next_timeout(); }

 private:
  Engine& engine_;
  verbs::Context& context_;
};

class TestNetwork {
 public:
  struct Options {
    std::uint64_t seed = 1;
    Faults faults{};
    Rate rate = Rate::bits_per_second(100'000'000'000);
    Duration delay = Duration::microseconds(1);
    bool carries_bytes = true;  // false: lengths only
    /// Packets arrive with the migration bit, which no engine looks at, but which keeps acknowledgements off the short
    /// way through the RC engine.
    bool sets_migration_bit = false;
  };
  /// Sees every packet as it leaves, before any fault; returns true to drop it.
  using Filter = std::function<bool(int from, const wire::Packet& packet)>;

  TestNetwork(End& a, End& b, const Options& options);

  void set_filter(Filter filter) { filter_ = std::move(filter); }
  /// Runs until nothing is left to do, or `steps` events have passed: then false (something hangs).
  [[nodiscard]] bool run(std::uint64_t steps = 10'000'000);
  /// Runs up to `until` and stops there.
  void run_until(Time until);
  /// Hands a packet of the test's own making to end `to`, now.
  void inject(int to, const transport::ReceivedPacket& received) { ends_[to]->on_packet(received, now_); }

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t packets_sent() const { return packets_sent_; }
  [[nodiscard]] std::uint64_t damaged_caught() const { return damaged_caught_; }

 private:
  struct Flight {
    int to = 0;
    wire::LinkType link = wire::LinkType::kEthernet;
    std::vector<std::byte> frame;
  };
  [[nodiscard]] bool step(Time until);
  [[nodiscard]] Time next_event() const;
  void transmit(int from);
  void put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                   std::span<const std::byte> payload);
  void deliver(const Flight& flight);

  End* ends_[2];
  Options options_;
  RandomStream random_;
  bool trace_;
  Filter filter_;
  std::multimap<std::int64_t, Flight> in_flight_;  // by arrival time, then in order of departure
  Time wire_free_[2];
  Time now_;
  std::uint64_t packets_sent_ = 0;
  std::uint64_t damaged_caught_ = 0;
};

}  // namespace weft::testing
