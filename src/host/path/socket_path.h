// The path of kernel sockets through a host: system calls, copies, the stack in units of segmentation offload, rings,
// interrupts and wake-ups; everything on cores that do one thing at a time.
//
// Sending: the caller's core enters the kernel, copies, and runs the stack once per unit; it is at most one unit ahead
// of the wire, and no byte leaves before its unit is done. Receiving: a ring per core (receive-side scaling by the
// flow's hash), then a wake-up if the reader sleeps, and a copy on the core where its packets were taken. What one core
// can do limits a flow by the sum of these costs: no limit of its own exists. Not modelled: the socket buffers' size
// (the engine's window stands for it), locks, NUMA, zero copy, PCI Express, the CPU time of a sender that an
// acknowledgement wakes. Bytes that TCP sends again count as new ones for the units of segmentation offload.
#pragma once

#include <vector>

#include "host/path/host_path.h"
#include "host/path/host_resources.h"
#include "host/path/receive_ring.h"

namespace weft::host {

struct SocketPathOptions {
  Stage software{};        // above the sockets, on each side
  Stage system_call{};     // entering and leaving the kernel
  Stage send_copy{};       // to the kernel: a fixed part and a rate
  Stage transmit_stack{};  // TCP/IP, queueing discipline, driver, doorbell: per unit
  Stage transmit_dma{};    // the NIC's reading
  Stage transmit{};        // NIC, to the first bit on the wire
  Stage receive{};         // NIC, from the last bit; for lists alone: the fabric's port has the delay
  ReceiveRingOptions ring{};
  Stage wake_up{};        // scheduler and context switch of a thread that sleeps
  Stage receive_copy{};   // to the user, and the return of recv: per call and a rate
  Bytes unit{64 * 1024};  // of segmentation offload, and of a call of recv
};

class SocketPath final : public HostPath {
 public:
  struct Place {
    HostResources& host;
    std::uint64_t seed = 0;
  };
  SocketPath(const SocketPathOptions& options, const Place& place);
  // Rings refer to the options.
  SocketPath(const SocketPath&) = delete;
  SocketPath& operator=(const SocketPath&) = delete;

  Time post(const Posting& posting, Time now) override;
  void on_departure(FlowRef flow, Bytes payload, Time now) override;
  [[nodiscard]] Time device_data_from() const override { return {}; }
  [[nodiscard]] Time data_from(FlowRef flow) override;
  /// An acknowledgement of data is made when their unit has ended: one for all of it.
  [[nodiscard]] Time responses_from(FlowRef flow) override;
  Admission admit(const Arrival& arrival, Time now) override;
  [[nodiscard]] Time next_arrival() const override;
  std::optional<std::uint32_t> take_arrival(Time now) override;
  Time on_delivered(FlowRef flow, const Arrival& arrival, Time now) override;
  Time on_completions_seen(FlowRef, Time landed) override { return landed + options_.software.latency; }
  void forget(FlowRef flow) override { flows_.forget(flow); }
  [[nodiscard]] StageTimes idle_stages(HostPathSide side, const MessageShape& shape) const override;
  [[nodiscard]] Counters counters() const override { return counters_; }
  [[nodiscard]] std::size_t heap_bytes() const override;

 private:
  /// Bytes that the core hands to the NIC together.
  struct Unit {
    Bytes left{};
    Time ready;
  };
  struct Flow {
    Ring<Unit> units;
    Bytes ahead{};    // of all units
    Bytes waiting{};  // posted, not in a unit yet
    Time reading_until;
    Bytes read{};  // since the last call of recv
    CoreId core{};
    CoreId receive_core{};           // that takes its packets, once one has come
    std::uint32_t arrival_hash = 0;  // of those packets
  };
  Time make_unit(Flow& flow, Time now);
  void list_ring(Bytes payload, StageTimes& list) const;
  void list_wake_up(StageTimes& list) const;

  SocketPathOptions options_;
  HostResources& host_;
  std::uint64_t seed_;
  FlowTable<Flow> flows_;
  std::vector<ReceiveRing> rings_;  // one per core
  Counters counters_;
};

}  // namespace weft::host
