// Fault injection for a socket: drops, duplicates and delays outgoing datagrams, from a seed.
//
// A delayed datagram is overtaken by later ones: that is how datagrams are reordered. What happens to the n-th datagram
// sent depends on the seed and n alone. The wrapped socket sends datagrams one by one (no segmentation): a run with a
// gap would have other segment numbers than its ICRCs say.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/probability.h"
#include "base/random.h"
#include "base/result.h"
#include "live/datagram_socket.h"

namespace weft::live {

struct FaultOptions {
  Probability loss{};
  Probability duplicate{};
  Probability reorder{};                         // delayed by a random time up to `delay`
  Duration delay = Duration::microseconds(500);  // > 0
  std::uint64_t seed = 1;

  [[nodiscard]] bool any() const { return loss.raw() + duplicate.raw() + reorder.raw() > 0; }
};

/// "loss=1%,dup=0.5%,reorder=2%,delay=1ms,seed=7": any of them, in any order. Errors name the word and those allowed.
[[nodiscard]] Result<FaultOptions> parse_faults(std::string_view text);

struct FaultCounters {
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t delayed = 0;
};

class SocketFaults final : public DatagramSocket {
 public:
  /// The socket must outlive this.
  SocketFaults(DatagramSocket& socket, const FaultOptions& options);

  [[nodiscard]] std::size_t send(std::span<const OutgoingDatagram> datagrams, Time now) override;
  [[nodiscard]] std::span<const IncomingDatagram> receive(Time now) override;
  [[nodiscard]] int descriptor() const override { return socket_.descriptor(); }
  [[nodiscard]] std::size_t max_segments() const override { return 1; }
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] std::uint64_t refused() const override { return socket_.refused(); }

  [[nodiscard]] const FaultCounters& counters() const { return counters_; }

 private:
  struct Delayed {
    SocketAddress to{};
    std::vector<std::byte> bytes;
  };
  void hold(const OutgoingDatagram& datagram, Time when);
  void release(Time now);

  DatagramSocket& socket_;
  FaultOptions options_;
  RandomStream random_;
  std::multimap<Time, Delayed> delayed_;
  FaultCounters counters_;
};

}  // namespace weft::live
