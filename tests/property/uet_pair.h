// Two devices with a queue pair each over Ultra Ethernet, joined by a network in virtual time that loses, duplicates,
// delays, damages, marks and trims packets, all from one seed. Records cross as they are, with their payload, or are
// written and read again as the bytes of their frames.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/rate.h"
#include "tests/property/test_network.h"
#include "tests/property/traffic_ends.h"
#include "transport/device.h"

namespace weft::testing {

struct UetPairOptions {
  std::uint64_t seed = 1;
  Faults faults{};
  Probability trimming{};  // of packets that may be trimmed, half of them at the last hop
  Rate rate = Rate::bits_per_second(100'000'000'000);
  Duration delay = Duration::microseconds(1);
  transport::UetOptions uet{};
  std::optional<transport::UetOptions> other_uet{};  // of side 1, if it differs
  transport::UetPolicies policies{};
  wire::Encapsulation encapsulation = wire::Encapsulation::kUetUdpIpv4;
  verbs::PathMtu mtu = verbs::PathMtu::k1024;
  std::uint8_t rnr_retry = 7;
  std::uint8_t max_rd_atomic = 4;
  verbs::AccessMask remote_access = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic;
  std::uint32_t memory_bytes = 1 << 20;
  std::uint32_t max_wr = 1024;
  Psn first_psn{0xFFF0};  // message ids wrap soon
  bool shared_receive_queue = false;
  bool as_bytes = false;      // packets cross as the bytes of their frames
  bool lengths_only = false;  // no payload: the engine may take its fast path
};

/// A packet with all that belongs to it.
struct CarriedPacket {
  wire::Packet packet;
  wire::ColdPacket cold;
  std::vector<std::byte> payload;
};

/// One side. Memory is one region with a guard of 64 bytes on either side that nobody may touch.
class UetSide {
 public:
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kGuardByte{0xA5};

  UetSide(int index, const UetPairOptions& options);
  /// A further queue pair, in RESET.
  [[nodiscard]] Qpn make_queue_pair(const UetPairOptions& options);
  void connect(Qpn mine, const UetSide& peer, Qpn theirs, const UetPairOptions& options);
  [[nodiscard]] std::span<std::byte> memory() {
    return std::span(storage_).subspan(kGuard, storage_.size() - 2 * kGuard);
  }
  [[nodiscard]] bool guards_intact() const;
  [[nodiscard]] std::vector<verbs::WorkCompletion> drain(verbs::CqHandle cq);

  transport::Device device;
  verbs::PdHandle pd;
  std::uint32_t key = 0;
  verbs::CqHandle send_cq;
  verbs::CqHandle recv_cq;
  verbs::SrqHandle srq;
  Qpn qpn;

 private:
  std::vector<std::byte> storage_;
};

class UetPair final : public TrafficEnds {
 public:
  explicit UetPair(const UetPairOptions& options);

  [[nodiscard]] UetSide& side(int index) { return *sides_[static_cast<std::size_t>(index)]; }
  /// Sees every packet as it leaves, may alter it; returns true to drop it.
  using Filter = std::function<bool(int from, wire::Packet& packet)>;
  void set_filter(Filter filter) { filter_ = std::move(filter); }
  /// Hands a packet to a side now.
  void inject(int to, const CarriedPacket& packet);
  /// What was sent last by a side, for forging.
  [[nodiscard]] const CarriedPacket& last_sent(int from) const { return last_[static_cast<std::size_t>(from)]; }
  [[nodiscard]] std::uint64_t packets_sent() const { return packets_sent_; }
  [[nodiscard]] std::uint32_t live_contexts() const;
  [[nodiscard]] const transport::UetCounters& counters(int side) const;

  [[nodiscard]] std::span<std::byte> memory(int side) override { return this->side(side).memory(); }
  [[nodiscard]] std::uint32_t key(int side) const override { return sides_[static_cast<std::size_t>(side)]->key; }
  [[nodiscard]] Result<void> post_send(int side, const verbs::SendWr& request) override;
  [[nodiscard]] Result<void> post_recv(int side, const verbs::RecvWr& request) override;
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_send(int side) override;
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_recv(int side) override;
  [[nodiscard]] std::string fault(int side) override;
  [[nodiscard]] Time now() const override { return now_; }
  void run_until(Time until) override;
  /// Until all contexts are closed and nothing is under way.
  [[nodiscard]] bool run() override;

 private:
  [[nodiscard]] bool step(Time until);
  [[nodiscard]] bool transmit(int from);
  void put_on_wire(int from, CarriedPacket packet);
  static void pass_through_bytes(CarriedPacket& carried);

  UetPairOptions options_;
  RandomStream random_;
  std::array<std::unique_ptr<UetSide>, 2> sides_;
  std::array<CarriedPacket, 2> last_;
  Filter filter_;
  struct Flight {
    int to = 0;
    CarriedPacket packet;
  };
  std::multimap<std::int64_t, Flight> in_flight_;
  std::array<Time, 2> wire_free_;
  Time now_;
  std::uint64_t packets_sent_ = 0;
  bool trace_;
};

}  // namespace weft::testing
