// The way between a program and its GPU's scale-up port: issue, the GPU's memory on both sides, and completion.
//
// The memory is the one that NICs read and write by DMA too: a ByteServer of the host. Sending takes its bytes from it
// while the packet before is on the wire; arriving bytes free their place in the port's buffer, and are answered, when
// they are written. So a memory slower than its users bounds their sum, and holds back the senders by credits.
#pragma once

#include "fabric/scale_up/receive_memory.h"
#include "host/path/flow_table.h"
#include "host/path/host_path.h"
#include "host/path/server.h"

namespace weft::host {

struct ScaleUpPathOptions {
  Stage issue{};
  Stage completion{};
};

class ScaleUpPath final : public HostPath, private fabric::ReceiveMemory {
 public:
  /// The memory must outlive the path.
  ScaleUpPath(const ScaleUpPathOptions& options, ByteServer& memory) : options_(options), memory_(memory) {}

  Time post(const Posting& posting, Time now) override;
  void on_departure(FlowRef flow, Bytes payload, Time now) override;
  [[nodiscard]] Time device_data_from() const override { return gate_; }
  [[nodiscard]] Time data_from(FlowRef) override { return Time::zero(); }
  [[nodiscard]] Time responses_from(FlowRef flow) override { return landed_[flow]; }
  Admission admit(const Arrival&, Time) override { return Admission::kDeliver; }
  [[nodiscard]] Time next_arrival() const override { return Time::never(); }
  std::optional<std::uint32_t> take_arrival(Time) override { return std::nullopt; }
  Time on_delivered(FlowRef flow, const Arrival& arrival, Time now) override;
  Time on_completions_seen(FlowRef, Time landed) override { return landed + options_.completion.latency; }
  [[nodiscard]] fabric::ReceiveMemory* receive_memory() override { return this; }
  void forget(FlowRef flow) override { landed_.forget(flow); }
  [[nodiscard]] StageTimes idle_stages(HostPathSide side, const MessageShape& shape) const override;
  [[nodiscard]] Counters counters() const override { return counters_; }
  [[nodiscard]] std::size_t heap_bytes() const override { return landed_.heap_bytes(); }

 private:
  Time write(Bytes payload, Time now) override;
  [[nodiscard]] Duration last_write(const MessageShape& shape) const;

  ScaleUpPathOptions options_;
  ByteServer& memory_;
  Time gate_;
  Time written_;  // what the fabric has handed over last
  FlowTable<Time> landed_;
  Counters counters_;
};

}  // namespace weft::host
