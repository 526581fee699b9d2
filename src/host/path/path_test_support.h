// Hosts of round numbers for the tests of this folder.
#pragma once

#include "host/path/rdma_path.h"
#include "host/path/socket_path.h"

namespace weft::host::path_testing {

/// PCI Express of generation 3 to 6, as the catalogue has it.
inline PcieOptions pcie(int generation) {
  PcieOptions options;
  const bool flits = generation == 6;
  const std::int64_t transfers = 1'000'000'000LL << (generation);
  options.lane_rate = Rate::bits_per_second(flits ? transfers / 256 * 242 : transfers / 130 * 128);
  options.link_overhead = Probability::from_ratio({.numerator = flits ? 5U : 10U, .denominator = 100});
  options.read_round_trip = 500_ns;
  options.outstanding_reads = 128_kib;
  return options;
}

inline HostOptions two_gpus() {
  HostOptions options;
  options.cores = 4;
  options.gpus = 2;
  options.memory_rate = 1600_gbps;
  options.memory_copy = {.latency = 100_ns, .rate = 80_gbps};
  options.nic_slot = pcie(5);
  options.gpu_slot = pcie(5);
  options.root_complex = {.latency = 300_ns, .rate = 40_gbps};
  options.copy_launch = {.latency = 6_us};
  options.copy_chunk = 64_kib;
  return options;
}

inline verbs::MemoryPlace on_gpu(std::uint32_t gpu) { return {verbs::GpuIndex(gpu)}; }

inline RdmaPathOptions rdma_stages() {
  RdmaPathOptions options;
  options.doorbell = {.latency = 125_ns};
  options.pcie_write = {.latency = 200_ns};
  options.transmit = {.latency = 210_ns};
  options.receive = {.latency = 220_ns};
  options.receive_fetch = {.latency = 550_ns};
  options.completion = {.latency = 300_ns};
  options.interrupt = {.latency = 2_us};
  options.wake_up = {.latency = 6_us};
  options.gpu_read = {.latency = 310_ns};
  options.gpu_write = {.latency = 140_ns};
  options.inline_limit = 220_bytes;
  return options;
}

inline SocketPathOptions socket_stages() {
  SocketPathOptions options;
  options.system_call = {.latency = 350_ns};
  options.send_copy = {.latency = 50_ns, .rate = 80_gbps};
  options.transmit_stack = {.latency = 2'250_ns};
  options.transmit_dma = {.latency = 600_ns};
  options.transmit = {.latency = 200_ns};
  options.receive = {.latency = 200_ns};
  options.ring.dma = {.latency = 300_ns};
  options.ring.moderation = {.latency = 17_us};
  options.ring.moderation_frames = 64;
  options.ring.interrupt = {.latency = 2_us};
  options.ring.busy_poll = {.latency = 1_us};
  options.ring.per_packet = {.latency = 150_ns};
  options.ring.per_unit = {.latency = 2'100_ns};
  options.wake_up = {.latency = 6'500_ns};
  options.receive_copy = {.latency = 300_ns, .rate = 80_gbps};
  return options;
}

}  // namespace weft::host::path_testing
