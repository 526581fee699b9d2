// The two paths of a NIC that serves RDMA and kernel sockets at once: each queue pair goes its own way, over the cores,
// the memory and the GPUs that both share.
//
// What the two do not share is not modelled in either: sockets take no PCI Express (SocketPath), and so slow no RDMA
// there.
#pragma once

#include "host/path/rdma_path.h"
#include "host/path/socket_path.h"

namespace weft::host {

class SharedPath final : public HostPath {
 public:
  /// Both paths are of the host of `place`, which must outlive this one.
  SharedPath(const RdmaPathOptions& rdma, const SocketPathOptions& sockets, const RdmaPath::Place& place)
      : rdma_(rdma, place), sockets_(sockets, {.host = place.host, .seed = place.seed}) {}

  Time post(const Posting& posting, Time now) override { return of(engine_of(posting.flow)).post(posting, now); }
  void on_departure(FlowRef flow, Bytes payload, Time now) override {
    of(engine_of(flow)).on_departure(flow, payload, now);
  }
  /// What the NIC reads for RDMA holds up everything that it sends: it reads for sockets with the same unit.
  [[nodiscard]] Time device_data_from() const override { return rdma_.device_data_from(); }
  [[nodiscard]] Time data_from(FlowRef flow) override { return of(engine_of(flow)).data_from(flow); }
  [[nodiscard]] Time responses_from(FlowRef flow) override { return of(engine_of(flow)).responses_from(flow); }
  [[nodiscard]] bool may_back_up() const override { return rdma_.may_back_up(); }
  Time room_at(const Arrival& arrival, Time now) override { return of(arrival.engine).room_at(arrival, now); }
  Admission admit(const Arrival& arrival, Time now) override { return of(arrival.engine).admit(arrival, now); }
  [[nodiscard]] Time next_arrival() const override { return sockets_.next_arrival(); }
  std::optional<std::uint32_t> take_arrival(Time now) override { return sockets_.take_arrival(now); }
  Time on_delivered(FlowRef flow, const Arrival& arrival, Time now) override {
    return of(engine_of(flow)).on_delivered(flow, arrival, now);
  }
  Time on_completions_seen(FlowRef flow, Time landed) override {
    return of(engine_of(flow)).on_completions_seen(flow, landed);
  }
  void forget(FlowRef flow) override { of(engine_of(flow)).forget(flow); }
  [[nodiscard]] StageTimes idle_stages(HostPathSide side, const MessageShape& shape) const override {
    return shape.engine == transport::EngineKind::kTcp ? sockets_.idle_stages(side, shape)
                                                       : rdma_.idle_stages(side, shape);
  }
  [[nodiscard]] Counters counters() const override {
    const Counters rdma = rdma_.counters();
    const Counters sockets = sockets_.counters();
    return {.dropped = rdma.dropped + sockets.dropped,
            .interrupts = rdma.interrupts + sockets.interrupts,
            .held_back = rdma.held_back,
            .held_back_for = rdma.held_back_for};
  }
  [[nodiscard]] std::size_t heap_bytes() const override { return rdma_.heap_bytes() + sockets_.heap_bytes(); }

 private:
  [[nodiscard]] HostPath& of(transport::EngineKind engine) {
    return engine == transport::EngineKind::kTcp ? static_cast<HostPath&>(sockets_) : rdma_;
  }

  RdmaPath rdma_;
  SocketPath sockets_;
};

}  // namespace weft::host
