// One side of a perf run: a device with one reliable connection, memory for its messages, a socket and a driver.
//
// Over Ultra Ethernet the contexts are unordered (RUD), but for a latency test of WRITE, whose program polls memory for
// the end of a message: those are ordered (ROD).
//
// The memory has an outgoing and an incoming half of equal size, each cut into slots (perf_types.h, slots_for); the
// peer may read, write and modify both. Message n lies in slot n modulo the number of slots.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "live/clock.h"
#include "live/driver.h"
#include "live/packet_tap.h"
#include "live/perf_types.h"
#include "live/side_message.h"
#include "live/socket_faults.h"
#include "live/udp_socket.h"
#include "live/uet_form.h"
#include "transport/congestion/fixed_window.h"
#include "transport/device.h"

namespace weft::live {

/// What either side of a run may choose for itself.
struct PerfSideOptions {
  /// What a server serves; a client's plan says it.
  PerfTransport transport = PerfTransport::kRoce;
  /// Encrypts by TSS, which only Ultra Ethernet has.
  std::optional<security::AesKey> key{};
  std::uint16_t udp_port = 4791;  // 0: any
  FaultOptions faults{};
  Duration spin = Duration::microseconds(200);
  /// Idle timeout: a session ends after this time without any message from the peer.
  Duration idle_timeout = Duration::seconds(10);
  /// Local ACK timeout of the connection, or timeout of a packet over Ultra Ethernet: 4.096 us * 2^n, 1 to 31.
  std::uint8_t ack_timeout = 14;
  /// Largest path MTU to agree to; the path may allow less.
  verbs::PathMtu mtu = verbs::PathMtu::k4096;
  UdpSocketOptions::Offload offload = UdpSocketOptions::Offload::kProbe;
  /// Not owned; null = no capture.
  PacketTap* tap = nullptr;
};

/// What a run did on the wire, for its report.
struct PerfCounters {
  DriverCounters driver{};
  transport::RcCounters rc{};
  transport::UetCounters uet{};
  FaultCounters faults{};
  std::uint64_t unknown_qp = 0;
  std::uint64_t refused = 0;
  bool segments = false;
  bool coalesces = false;

  /// Datagrams that were dropped unread: hostile, damaged or stray.
  [[nodiscard]] std::uint64_t rejected() const {
    return driver.malformed + driver.wrong_icrc + driver.replayed + driver.unknown_peer + unknown_qp;
  }
};

class PerfEndpoint {
 public:
  struct Options {
    PerfPlan plan{};
    PerfSideOptions side{};
    SocketAddress local{};      // its port is not used
    std::int64_t path_mtu = 0;  // largest IP packet, bytes
  };
  /// Errors: the UDP port is in use, the path is too narrow for a path MTU of 256.
  static Result<std::unique_ptr<PerfEndpoint>> open(const Options& options);

  [[nodiscard]] PeerParameters parameters() const;
  /// Brings the connection up. `address` is the peer's IP address.
  Result<void> connect(const PeerParameters& peer, const SocketAddress& address);

  /// Message n of a row with messages of `size` bytes, in this side's memory.
  [[nodiscard]] std::span<std::byte> outgoing(std::uint32_t size, std::uint64_t n);
  [[nodiscard]] std::span<std::byte> incoming(std::uint32_t size, std::uint64_t n);

  /// Posts message n: SEND from the outgoing half, WRITE from there to the peer's incoming half, READ from the peer's
  /// outgoing half into the incoming one, atomics on the first 8 bytes of the peer's outgoing half.
  struct Post {
    std::uint32_t size = 0;
    std::uint64_t n = 0;
    bool signaled = true;
  };
  Result<void> post(const Post& post);
  Result<void> post_receive(std::uint32_t size, std::uint64_t n);
  /// At most out.size() completions of the send or the receive queue.
  [[nodiscard]] std::span<verbs::WorkCompletion> poll_sends();
  [[nodiscard]] std::span<verbs::WorkCompletion> poll_receives();

  [[nodiscard]] Driver& driver() { return *driver_; }
  [[nodiscard]] transport::Device& device() { return device_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const PerfPlan& plan() const { return plan_; }
  [[nodiscard]] verbs::PathMtu mtu() const { return mtu_; }
  [[nodiscard]] bool ordered() const { return device_.options().uet.mode == transport::UetMode::kRod; }
  [[nodiscard]] PerfCounters counters() const;

 private:
  /// Drawn anew for each endpoint.
  struct Secrets {
    std::uint64_t seed = 0;
    std::uint64_t counter = 0;  // of TSS
    TssIdentity identity{};
  };
  static Result<Secrets> draw_secrets();
  PerfEndpoint(const Options& options, UdpSocket socket, verbs::PathMtu mtu, const Secrets& secrets);
  Result<void> create();
  [[nodiscard]] Result<Qpn> create_queue_pair(const verbs::QpInitAttributes& init);
  [[nodiscard]] DatagramSocket& socket();
  [[nodiscard]] std::uint64_t slot_offset(std::uint32_t size, std::uint64_t n) const;
  [[nodiscard]] std::span<verbs::WorkCompletion> poll(verbs::CqHandle queue);
  [[nodiscard]] verbs::QpAttributes attributes(const PeerParameters& peer, Bytes window) const;

  PerfPlan plan_;
  PerfSideOptions side_;
  verbs::PathMtu mtu_;
  Clock clock_;
  UdpSocket udp_;
  std::optional<SocketFaults> faults_;
  std::uint64_t half_bytes_;  // of outgoing, and of incoming, memory
  std::vector<std::byte> memory_;
  TssIdentity identity_;
  std::optional<UetForm> uet_;
  std::optional<transport::FixedWindow> window_;  // of the queue pair, which the device owns
  transport::Device device_;
  std::unique_ptr<Driver> driver_;
  verbs::PdHandle pd_{};
  verbs::CqHandle send_cq_{};
  verbs::CqHandle recv_cq_{};
  std::uint32_t key_ = 0;
  Qpn qpn_{};
  Psn psn_{};
  PeerParameters peer_{};
  std::vector<verbs::WorkCompletion> completions_;
};

}  // namespace weft::live
