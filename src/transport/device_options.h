// What a software HCA is made with: its address, how its packets are wrapped, and its limits.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "transport/uet/uet_options.h"
#include "verbs/provider.h"
#include "wire/packet.h"

namespace weft::transport {

/// Largest numbers that a device accepts; a request for more is an error that names the limit.
struct DeviceLimits {
  std::uint32_t max_qp = 262'144;           // queue pairs of all kinds; at most 2^23
  std::uint32_t max_qp_wr = 32'768;         // requests per queue, shared receive queues included
  std::uint32_t max_sge = 32;               // elements per request
  std::uint32_t max_inline_data = 1'024;    // bytes
  std::uint32_t max_cqe = 4'194'303;        // completions per queue
  std::uint8_t max_qp_rd_atom = 16;         // READs and atomics in flight per queue pair, each way
  std::uint32_t max_mcast_grp = 2'097'152;  // groups with queue pairs attached, on InfiniBand
  std::uint32_t max_mcast_qp_attach = 240;  // queue pairs of each
};

/// Errors say which attribute exceeds which limit; the numbers that a queue pair is created or modified with.
[[nodiscard]] Result<void> check_limits(const verbs::QpInitAttributes& init, const DeviceLimits& limits);

struct DeviceOptions {
  EndpointId endpoint{};
  wire::Encapsulation encapsulation = wire::Encapsulation::kRoceV2Ipv4;
  verbs::PathMtu active_mtu = verbs::PathMtu::k4096;  // of the port: bounds path MTUs, and datagrams
  /// Decides queue pair numbers and memory keys: f(seed of the world, name of the device).
  std::uint64_t seed = 1;
  verbs::KeyOrder key_order = verbs::KeyOrder::kRandom;  // of memory
  DeviceLimits limits{};
  /// Of Ultra Ethernet, where the encapsulation is one of it.
  UetOptions uet{};
};

/// As above, for a modification.
[[nodiscard]] Result<void> check_limits(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                        const DeviceOptions& options);

}  // namespace weft::transport
