// Two reliable queue pairs with a tap on either end: every packet is logged when it leaves and when it arrives, and the
// test decides what becomes of each.
//
// The network itself must be without faults, so that packets of one direction arrive in the order in which they left.
// Ends may have different options; those of the network are the first end's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/property/rc_pair.h"
#include "wire/opcode.h"

namespace weft::testing {

/// A packet as it left or arrived; `end` is the sender in the first case and the receiver in the second.
struct Logged {
  int end = 0;
  Time at;
  wire::Packet packet;
  wire::ColdPacket cold;

  [[nodiscard]] wire::Operation operation() const { return wire::operation_of(packet.ib.opcode); }
  [[nodiscard]] Psn psn() const { return packet.ib.psn; }
  [[nodiscard]] bool asks_for_ack() const { return packet.ib.has(wire::kBthAckRequest); }
};

/// What becomes of a packet: how much later than others each copy of it arrives (none: it is lost).
struct Fate {
  std::vector<Duration> copies = {Duration::zero()};
  wire::Ecn ecn = wire::Ecn::kNotEct;  // kCe: it arrives marked

  static Fate lost() { return {.copies = {}}; }
  static Fate late(Duration by) { return {.copies = {by}}; }
  static Fate twice(Duration apart) { return {.copies = {Duration::zero(), apart}}; }
  static Fate marked() { return {.ecn = wire::Ecn::kCe}; }
};

/// A request in one line. Offsets count from the start of the region of either side.
struct Job {
  verbs::WrOpcode opcode = verbs::WrOpcode::kRdmaWrite;
  std::uint64_t wr_id = 0;
  std::uint32_t length = 0;
  std::uint32_t local = 0;
  std::uint32_t remote = 0;
  std::uint8_t flags = verbs::kSendSignaled;
  std::uint64_t compare_add = 0;
  std::uint64_t swap = 0;
};

class TappedPair {
 public:
  explicit TappedPair(const RcPairOptions& both) : TappedPair(both, both) {}
  TappedPair(const RcPairOptions& first, const RcPairOptions& second);
  ~TappedPair();

  [[nodiscard]] RcSide& side(int index) { return *sides_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] transport::RcQueuePair& qp(int index) { return *side(index).qp; }
  [[nodiscard]] TestNetwork& network() { return *network_; }
  [[nodiscard]] Result<void> post(int side, const Job& job);
  [[nodiscard]] Result<void> move_to(int side, verbs::QpState state);
  /// How many events of this type wait; takes all events.
  [[nodiscard]] int take_events(int side, verbs::AsyncEventType type);

  /// Called when a packet has left; `index` counts the packets of both ends from 0.
  using Judge = std::function<Fate(const Logged& packet, std::size_t index)>;
  void set_judge(Judge judge) { judge_ = std::move(judge); }
  /// The end sends nothing before `until`.
  void hold(int end, Time until);

  [[nodiscard]] const std::vector<Logged>& departures() const { return departures_; }
  [[nodiscard]] const std::vector<Logged>& arrivals() const { return arrivals_; }
  /// What one end sent: requests, or answers.
  [[nodiscard]] std::vector<Logged> requests_of(int end) const;
  [[nodiscard]] std::vector<Logged> answers_of(int end) const;
  [[nodiscard]] Time arrival_of(const Logged& departed) const;

 private:
  class TappedEnd;
  [[nodiscard]] Fate judge(const Logged& packet);

  Judge judge_;
  std::vector<Logged> departures_;
  std::vector<Logged> arrivals_;
  TestNetwork::Options options_;
  std::array<std::unique_ptr<RcSide>, 2> sides_;
  std::array<std::unique_ptr<TappedEnd>, 2> ends_;
  std::unique_ptr<TestNetwork> network_;
};

/// Acknowledgements, READ data, results of atomics, and notifications.
[[nodiscard]] bool is_answer(std::uint8_t opcode);
[[nodiscard]] std::vector<std::uint32_t> psns(const std::vector<Logged>& packets);
/// Bytes that depend on their place and on `start`.
void fill(std::span<std::byte> bytes, unsigned start);

}  // namespace weft::testing
