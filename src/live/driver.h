// The event loop's body: carries packets between a device and a datagram socket, in batches, in real time.
//
// A caller alternates `receive`, its own work, `transmit`, and `wait` when neither moved anything. The driver reads the
// clock once per step, and tells the device the time with every call. It trusts nothing that arrives: a datagram from
// an unknown address, with a wrong check value, or that is no packet, is counted and dropped; the engines judge the
// rest (R_Key, PSN, opcode). Peers are the addresses behind the endpoints that queue pairs send to. A packet is a
// peer's if it comes from the peer's address and is for a queue pair that is connected to it: the UDP source port is
// entropy for the network's hashing, and senders choose it as they like (Linux's rxe and adapters 0xC000 to 0xFFFF).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "live/clock.h"
#include "live/datagram_form.h"
#include "live/datagram_socket.h"
#include "live/packet_tap.h"
#include "live/segment_runs.h"
#include "live/spin_budget.h"
#include "transport/device.h"

namespace weft::live {

struct DriverOptions {
  SocketAddress local{};
  /// How the device's packets are datagrams; not owned; null = as RoCEv2.
  DatagramForm* form = nullptr;
  /// Longest busy polling; zero = never.
  Duration spin = Duration::microseconds(200);
  /// Not owned; null = no capture.
  PacketTap* tap = nullptr;
};

struct DriverCounters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;      // handed to the device
  std::uint64_t malformed = 0;     // no packet of the transport
  std::uint64_t wrong_icrc = 0;    // and no IPv4 identification matches it; of Ultra Ethernet, CRC or ICV
  std::uint64_t replayed = 0;      // genuine, and not for the first time
  std::uint64_t unknown_peer = 0;  // from an unknown address, or not from that of the queue pair's peer
  std::uint64_t unroutable = 0;    // to send, for an endpoint that is no peer
  std::uint64_t system_calls = 0;  // sends and receives
};

class Driver {
 public:
  /// All three must outlive the driver.
  Driver(transport::Device& device, DatagramSocket& socket, const Clock& clock, const DriverOptions& options);

  /// Packets for `endpoint` go to `address`, and datagrams from there, whatever their port, are from it. One address
  /// per endpoint, of the local address's family.
  void add_peer(EndpointId endpoint, const SocketAddress& address);

  /// Takes what has arrived to the device and lets due timeouts happen. True if anything did.
  bool receive();
  /// Sends what the queue pairs want to send now, some batches at most. True if anything was sent.
  bool transmit();

  struct WaitOptions {
    Time until = Time::never();  // return at the latest then
    int also = -1;               // a further descriptor whose readiness to be read ends the wait
  };
  /// Returns at once while busy polling; otherwise sleeps until something happens, a deadline is due, a signal comes,
  /// or kLongestSleep has passed. True if the further descriptor is ready (never known while polling).
  bool wait(const WaitOptions& options);

  static constexpr Duration kLongestSleep = Duration::milliseconds(50);

  [[nodiscard]] const DriverCounters& counters() const { return counters_; }
  [[nodiscard]] const DatagramSocket& socket() const { return socket_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  static constexpr std::size_t kBatch = 32;
  static constexpr int kBatchesPerTurn = 4;
  static constexpr int kReceivesPerTurn = 4;

  struct Peer {
    EndpointId endpoint;
    DatagramPath out;  // local to peer
  };

  [[nodiscard]] const Peer* find_peer(EndpointId endpoint) const;
  [[nodiscard]] bool is_peer(const SocketAddress& address) const;
  [[nodiscard]] const Peer* sender(const SocketAddress& address, Qpn destination) const;
  void on_datagram(const IncomingDatagram& datagram, Time now);
  void fill_batch(Time now);
  void add_to_batch(DatagramBuffer& buffer, Time now);
  bool flush(Time now);
  void note_activity(Time now);

  transport::Device& device_;
  DatagramSocket& socket_;
  const Clock& clock_;
  DriverOptions options_;
  std::vector<Peer> peers_;
  RoceForm roce_;
  DatagramForm& form_;
  std::unique_ptr<DatagramBuffer[]> buffers_;
  std::vector<OutgoingDatagram> batch_;
  std::size_t flushed_ = 0;  // of the batch
  SegmentRuns runs_;
  SpinBudget spin_;
  Time last_activity_;
  DriverCounters counters_;
};

}  // namespace weft::live
