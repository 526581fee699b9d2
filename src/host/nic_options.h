// What a NIC is like: how it classes its packets, and the latency of the host path.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/distribution.h"
#include "base/time.h"
#include "fabric/hash/header_hash.h"
#include "host/bump_in_the_wire.h"
#include "host/lane_scheduler.h"
#include "host/path/host_path.h"
#include "transport/congestion/congestion_control.h"
#include "transport/congestion/tcp_congestion_control.h"
#include "transport/device_options.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/memory/memory_types.h"
#include "transport/rc_options.h"
#include "transport/stream/tcp_queue_pair.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::host {

/// A class of traffic: the priority (virtual lane) on the wire, and the mark in the packet (DSCP or service level).
struct TrafficClass {
  std::uint8_t priority = 0;
  std::uint8_t mark = 0;
};

/// Stages between a program and the wire. Each is a delay of its own; service time is drawn per message.
struct HostPipeline {
  Duration doorbell;    // from post_send to the NIC's knowing of it
  Duration fetch;       // PCIe: the work request and the first bytes come over
  Duration completion;  // PCIe and polling: from the NIC's completion to the program's seeing it
  std::optional<Distribution<Duration>> service_time;  // added to each message before its first packet

  [[nodiscard]] Duration before_wire() const { return doorbell + fetch; }
};

/// Makes the way between programs and this NIC; `seed` is f(seed, name) of the NIC. Empty: HostPipeline alone.
using MakeHostPath = std::function<std::unique_ptr<HostPath>(std::uint64_t seed)>;
/// Makes the sender's half of congestion control for one queue pair; null: none.
using MakeControl = std::function<std::unique_ptr<transport::CongestionControl>()>;
/// Makes the receiver's half; null: none.
using MakeReceiver = std::function<std::unique_ptr<transport::CongestionReceiver>()>;

/// Makes the path selector of one queue pair, from a seed of its own; null: one path.
using MakePathSelector = std::function<std::unique_ptr<transport::PathSelector>(std::uint64_t seed)>;

/// The same for a TCP connection.
using MakeTcpControl = std::function<std::unique_ptr<transport::TcpCongestionControl>()>;
using MakeTcpPlb = std::function<std::unique_ptr<transport::TcpPlb>(std::uint64_t seed)>;

/// What serves the reliable queue pairs of a program: RDMA; a TCP connection each, with or without
/// RDMA over it; loads and stores over a scale-up link; Ultra Ethernet.
enum class Service : std::uint8_t { kRdma, kTcp, kIwarp, kMemory, kUet };

struct NicOptions {
  transport::DeviceOptions device;
  transport::RcOptions rc;  // its three policies are left null: the factories below make them
  std::optional<transport::SelectiveRepeatOptions> selective_repeat;  // of `rc`, whose pointer is left null
  MakeControl congestion_control;
  MakeReceiver congestion_receiver;
  MakePathSelector path_selector;  // of reliable queue pairs
  transport::TcpQpOptions tcp;     // congestion control, class and seed are filled in
  transport::IwarpOptions iwarp;
  transport::MemoryOptions memory;
  MakeTcpControl tcp_congestion_control;
  MakeTcpPlb tcp_plb;
  transport::UetPolicies uet;  // of Ultra Ethernet's contexts, whose options are those of the device
  /// Which priority (virtual lane) a packet's mark means; the index is a DSCP (64) or a service level (16).
  std::array<std::uint8_t, 64> lane_of_mark{};
  /// Where an endpoint has a wire to each peer (a mesh): the lane is the peer's, whatever the mark. Empty: one wire.
  std::function<std::uint8_t(EndpointId)> lane_of_peer;
  /// How lanes that have data share the port; unset: they take turns, packet by packet.
  std::optional<LaneWeights> lane_weights;
  std::optional<TrafficClass> ack;  // unset: acknowledgements travel with their data
  std::optional<TrafficClass> cnp;
  HostPipeline pipeline;
  MakeHostPath path;          // if not empty, it takes the place of the pipeline's delays; service time is still drawn
  std::uint64_t address = 0;  // f(seed, name): what flows are hashed by, without header_hash
  /// What switches hash of the headers that a capture would show; unset: flow_hash() of the 5-tuple.
  std::optional<fabric::HeaderHash> header_hash;
  std::uint64_t seed = 1;
  /// What stands between the port and its wire; empty: nothing. The NIC itself does not look at it.
  std::optional<BumpOptions> bump;
  /// Counts how far out of order data packets come (host/reorder_meter.h).
  bool measures_order = false;
  /// Checks every packet that leaves by writing and reading its headers.
  bool check_headers = false;
};

}  // namespace weft::host
