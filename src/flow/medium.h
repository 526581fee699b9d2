// What the flow level asks of the network below it: paths, the packets that messages become, the delays of hosts.
//
// The model knows no fabric, no protocol and no device: whoever has a scenario answers (study/world/flow_medium.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "flow/fair_shares.h"
#include "verbs/provider.h"

namespace weft::flow {

/// One link of a path, as the last packet of a message meets it.
struct Hop {
  Duration delay{};  // propagation, and the pipeline of what is behind the link
  Rate rate{};
  Bytes cut_through{};  // that what is behind must have of a packet; 0: all of it
  double part = 1;      // of a message's packets that go over it; the others take links like it

  friend auto operator<=>(const Hop&, const Hop&) = default;
};

struct Route {
  std::vector<LinkUse> links{};                          // shared, each once
  std::size_t queues = 0;                                // so many of the links, the first, have queues of packets
  std::vector<Hop> hops{};                               // of one of its packets
  double cap = std::numeric_limits<double>::infinity();  // bits per second
  Duration round_trip{};                                 // of a stream, whose window grows; zero: windows are open
  double answer_share = 0;                               // of the rate, that acknowledgements take on the way back
  /// Endpoints of one kind have the same stages and the same packets.
  std::uint32_t kind = 0;
};

/// Both ends of a connection, as its queue pairs know each other.
struct PathEnds {
  EndpointId from{};
  EndpointId to{};
  Qpn queue_pair{};
  Qpn remote_queue_pair{};
  verbs::AddressVector address{};
  verbs::PathMtu path_mtu{};
};

/// What is asked about a message; of a READ its requester is at `from`.
struct MessageQuery {
  EndpointId from{};
  EndpointId to{};
  verbs::WrOpcode opcode{};
  Bytes size{};
  verbs::PathMtu path_mtu{};
};

/// Bytes on a wire, headers and gaps included.
struct MessagePackets {
  Bytes data{};   // all packets with payload
  Bytes first{};  // of these; no other is larger
  Bytes full{};   // each between the first and the last; as the first if there is none
  Bytes last{};   // of these
  Bytes other{};  // what goes the other way: an acknowledgement, or before the data a request
};

struct HostStages {
  Duration before_wire{};  // from post_send to the first bit
  Duration completion{};   // from the acknowledgement (of a READ: the data) to the requester's program
  Duration arrival{};      // from the last packet to the receiver's program
};

class Medium {
 public:
  virtual ~Medium() = default;

  /// Errors: no path.
  [[nodiscard]] virtual Result<Route> route(const PathEnds& ends) = 0;
  /// The same for all endpoints of the same two kinds.
  [[nodiscard]] virtual MessagePackets packets_of(const MessageQuery& message) = 0;
  [[nodiscard]] virtual HostStages stages_of(const MessageQuery& message) = 0;
  [[nodiscard]] virtual verbs::DeviceAttributes device_of(EndpointId endpoint) = 0;
};

/// Packets one behind another through an idle path: from the first bit of the first to the arrival of the last behind
/// the last hop.
[[nodiscard]] Duration train_time(const std::vector<Hop>& hops, const MessagePackets& packets);

/// From the last bit of a message at its sender, at the rate of the slowest link, to its arrival behind the last hop.
/// Together with the time of its bytes at that rate this is the closed form of an idle path.
[[nodiscard]] Duration tail_time(const std::vector<Hop>& hops, const MessagePackets& packets);

/// One packet alone, from its first bit to its arrival.
[[nodiscard]] Duration packet_time(const std::vector<Hop>& hops, Bytes packet);

}  // namespace weft::flow
