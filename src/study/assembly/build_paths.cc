#include "study/assembly/build_paths.h"

#include "base/assert.h"

namespace weft::study::assembly {
namespace {

/// Makes stages of values; their marks are those of the paths.
class Stages {
 public:
  explicit Stages(const scenario::Scenario& scenario) : scenario_(scenario) {}

  [[nodiscard]] host::Stage operator()(const std::string& path, Duration latency, Rate rate = Rate::max()) const {
    return {.latency = latency, .rate = rate, .mark = stage_confidence(scenario_, path)};
  }

 private:
  const scenario::Scenario& scenario_;
};

host::PcieOptions slot(const scenario::HostSettings& host, std::int64_t lanes) {
  return {.lane_rate = host.pcie_lane_rate,
          .lanes = lanes,
          .max_payload = host.pcie_max_payload,
          .link_overhead = host.pcie_link_overhead,
          .read_round_trip = host.pcie_read_round_trip,
          .outstanding_reads = host.pcie_outstanding_reads};
}

host::GpuAttachment attachment_of(scenario::GpuAttachment attachment) {
  switch (attachment) {
    case scenario::GpuAttachment::kPcieSwitch:
      return host::GpuAttachment::kPcieSwitch;
    case scenario::GpuAttachment::kRootComplex:
      return host::GpuAttachment::kRootComplex;
    case scenario::GpuAttachment::kOtherRootComplex:
      break;
  }
  return host::GpuAttachment::kOtherRootComplex;
}

host::CompletionMode mode_of(scenario::CompletionMode mode) {
  switch (mode) {
    case scenario::CompletionMode::kPolling:
      return host::CompletionMode::kPolling;
    case scenario::CompletionMode::kInterrupt:
      return host::CompletionMode::kInterrupt;
    case scenario::CompletionMode::kEvent:
      break;
  }
  return host::CompletionMode::kEvent;
}

}  // namespace

host::Confidence stage_confidence(const scenario::Scenario& scenario, const std::string& path) {
  const auto found = scenario.sources.find(path);
  WEFT_ASSERT(found != scenario.sources.end());
  if (found->second.origin == scenario::Origin::kDefault) {
    return host::Confidence::kGuess;
  }
  if (!found->second.mark) {
    return host::Confidence::kGiven;
  }
  switch (*found->second.mark) {
    case scenario::Mark::kSpecified:
      return host::Confidence::kSpecified;
    case scenario::Mark::kMeasured:
      return host::Confidence::kMeasured;
    case scenario::Mark::kCalibrated:
      return host::Confidence::kCalibrated;
    case scenario::Mark::kGuess:
      break;
  }
  return host::Confidence::kGuess;
}

host::HostOptions host_options(const PathSource& source) {
  const scenario::HostSettings& host = source.devices.host;
  const Stages stage(source.scenario);
  host::HostOptions options;
  options.cores = static_cast<std::uint32_t>(host.cores);
  options.gpus = static_cast<std::uint32_t>(source.scenario.topology.gpus_per_host);
  options.memory_rate = host.memory_rate;
  options.memory_copy = stage("host.memory_copy_latency", host.memory_copy_latency, host.memory_copy_rate);
  options.nic_slot = slot(host, host.pcie_lanes);
  options.gpu_slot = slot(host, host.gpu_pcie_lanes);
  options.gpu_memory_rate = host.gpu_memory_rate.value_or(Rate::max());
  options.attachment = attachment_of(host.gpu_attachment);
  options.access = host.path == scenario::GpuPath::kBounce ? host::GpuAccess::kBounce : host::GpuAccess::kGpuDirect;
  options.root_complex = stage("host.root_complex_latency", host.root_complex_latency, host.root_complex_rate);
  options.copy_launch = stage("host.copy_launch", host.copy_launch);
  options.copy_chunk = host.copy_chunk;
  return options;
}

host::RdmaPathOptions rdma_path_options(const PathSource& source, const RdmaSite& site) {
  const scenario::HostSettings& host = source.devices.host;
  const scenario::NicSettings& nic = source.devices.nic;
  const bool is_iwarp = scenario::engine_of(source.scenario.fabric.family) == scenario::FamilyEngine::kIwarp;
  const Stages stage(source.scenario);
  host::RdmaPathOptions options;
  options.software = stage("host.software_latency", host.software_latency);
  options.doorbell = stage("nic.doorbell_latency", nic.doorbell_latency);
  options.pcie_write = stage("nic.pcie_latency", nic.pcie_latency);
  options.read_round_trip = stage("host.pcie_read_round_trip", host.pcie_read_round_trip);
  if (is_iwarp) {
    options.offload = stage("nic.offload_latency", nic.offload_latency);
  }
  options.transmit = stage("nic.tx_latency", nic.tx_latency);
  options.receive = stage("nic.rx_latency", nic.rx_latency);
  if (!is_iwarp) {
    // Where a message begins in iWARP's stream is not seen by the NIC's path.
    options.receive_fetch = stage("host.receive_fetch_latency", host.receive_fetch_latency);
  }
  options.completion = stage("nic.completion_latency", nic.completion_latency);
  options.interrupt = stage("host.interrupt_latency", host.interrupt_latency);
  options.wake_up = stage("host.wakeup_latency", host.wakeup_latency);
  options.gpu_read = stage("host.gpu_read_latency", host.gpu_read_latency);
  options.gpu_write = stage("host.gpu_write_latency", host.gpu_write_latency);
  options.inline_limit = host.inline_limit;
  options.receive_buffer = host.receive_buffer;
  options.request_fetch = host.request_fetch == scenario::RequestFetch::kWithDoorbell
                              ? host::WorkRequestFetch::kWithDoorbell
                              : host::WorkRequestFetch::kAfterDoorbell;
  options.completion_mode = mode_of(host.completion);
  options.poll_cost = host.completion_cost;
  options.memory = site.memory;
  // TCP's checksum stands before the bytes that it covers, and MPA checks its CRC before it places any.
  if (nic.cut_through && !is_iwarp) {
    options.cut_through = site.line;
  }
  return options;
}

host::ScaleUpPathOptions scale_up_path_options(const scenario::Scenario& scenario) {
  const Stages stage(scenario);
  return {.issue = stage("scale_up.issue_latency", scenario.scale_up.issue_latency),
          .completion = stage("scale_up.completion_latency", scenario.scale_up.completion_latency)};
}

host::SocketPathOptions socket_path_options(const PathSource& source) {
  const scenario::HostSettings& host = source.devices.host;
  const scenario::NicSettings& nic = source.devices.nic;
  const scenario::SocketSettings& sockets = source.devices.sockets;
  const Stages stage(source.scenario);
  host::SocketPathOptions options;
  options.software = stage("host.software_latency", host.software_latency);
  options.system_call = stage("sockets.system_call", sockets.system_call);
  options.send_copy = stage("sockets.send_copy_latency", sockets.send_copy_latency, sockets.copy_rate);
  options.transmit_stack = stage("sockets.transmit_stack", sockets.transmit_stack);
  options.transmit_dma = stage("sockets.transmit_dma", sockets.transmit_dma);
  options.transmit = stage("nic.tx_latency", nic.tx_latency);
  options.receive = stage("nic.rx_latency", nic.rx_latency);
  options.ring = {.dma = stage("sockets.receive_dma", sockets.receive_dma),
                  .moderation = stage("sockets.moderation", sockets.moderation),
                  .moderation_frames = static_cast<std::uint32_t>(sockets.moderation_frames),
                  .interrupt = stage("host.interrupt_latency", host.interrupt_latency),
                  .busy_poll = stage("sockets.busy_poll_latency", sockets.busy_poll_latency),
                  .per_packet = stage("sockets.receive_packet", sockets.receive_packet),
                  .per_unit = stage("sockets.receive_stack", sockets.receive_stack),
                  .per_ack = stage("sockets.receive_ack", sockets.receive_ack),
                  .unit = sockets.unit,
                  .packets = static_cast<std::uint32_t>(sockets.ring),
                  .wait = sockets.busy_poll ? host::SocketWait::kBusyPoll : host::SocketWait::kBlock};
  options.wake_up = stage("host.wakeup_latency", host.wakeup_latency);
  options.receive_copy = stage("sockets.receive_copy_latency", sockets.receive_copy_latency, sockets.copy_rate);
  options.unit = sockets.unit;
  return options;
}

}  // namespace weft::study::assembly
