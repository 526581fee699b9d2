// The network of a scenario as the flow level sees it: the fabric laid out and idle, the NICs by their options alone.
//
// Paths are asked of the fabric port by port, with the hash that a packet of the queue pair would have, so they are
// those of a run with packets. Links are the egress ports of the fabric, then the wires of the scale-up fabric. Delays
// and bytes are those of the closed form of an idle network (ideal_time.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/any_fabric.h"
#include "fabric/scale_up/scale_up_fabric.h"
#include "flow/medium.h"
#include "host/nic_options.h"
#include "host/path/host_path.h"
#include "sim/kernel.h"
#include "wire/packet_codec.h"

namespace weft::study::world {

struct FlowMediumOptions {
  std::uint64_t seed = 1;
  fabric::Graph graph{};
  fabric::AnyFabricOptions fabric{};
  /// As WorldOptions has them.
  std::function<host::NicOptions(EndpointId)> nic{};
  std::optional<fabric::ScaleUpOptions> scale_up{};
  std::function<host::NicOptions(EndpointId)> scale_up_nic{};
  /// Where programs have their buffers that use the endpoint first.
  std::function<verbs::MemoryPlace(EndpointId)> memory{};
  host::Service service = host::Service::kRdma;  // of queue pairs over the fabric
  bool nics_alike = false;                       // all with lines of one rate
};

class FlowMedium final : public flow::Medium {
 public:
  /// Errors: what the fabrics refuse.
  [[nodiscard]] static Result<std::unique_ptr<FlowMedium>> create(FlowMediumOptions options);

  /// Of all links, in bits per second.
  [[nodiscard]] std::vector<double> capacities() const;
  [[nodiscard]] const fabric::Graph& graph() const { return fabric_.graph(); }
  [[nodiscard]] Rate rate_of(EndpointId endpoint) const { return rates_[endpoint.value()]; }
  [[nodiscard]] const std::string& name_of(EndpointId endpoint) const;
  [[nodiscard]] bool is_scale_up(EndpointId endpoint) const { return endpoint.value() >= graph().endpoints; }
  [[nodiscard]] std::uint32_t links() const { return fabric_.port_count() + scale_up_wires(); }

  /// From post_send to the requester's completion if nothing else is there, over the first of all next hops.
  [[nodiscard]] Duration ideal_time(const flow::MessageQuery& message);

  [[nodiscard]] Result<flow::Route> route(const flow::PathEnds& ends) override;
  [[nodiscard]] flow::MessagePackets packets_of(const flow::MessageQuery& message) override;
  [[nodiscard]] flow::HostStages stages_of(const flow::MessageQuery& message) override;
  [[nodiscard]] verbs::DeviceAttributes device_of(EndpointId endpoint) override;

 private:
  /// Endpoints that are alike.
  struct Kind {
    host::NicOptions nic;
    std::unique_ptr<host::HostPath> path;  // null: the pipeline's delays
    std::uint32_t number = 0;
  };

  explicit FlowMedium(FlowMediumOptions options);
  [[nodiscard]] std::uint32_t scale_up_wires() const { return scale_up_ == nullptr ? 0 : scale_up_->wires(); }
  [[nodiscard]] const Kind& kind_of(EndpointId endpoint);
  /// What switches know a queue pair's packets by.
  struct Stream {
    fabric::LeafFlow flow{};
    std::uint16_t entropy = 0;
    bool any_path = false;
  };
  [[nodiscard]] Stream stream_of(const flow::PathEnds& ends);
  template <class Fabric>
  [[nodiscard]] Result<flow::Route> route_over(const Fabric& fabric, const Stream& stream) const;
  template <class Fabric>
  [[nodiscard]] Result<flow::Route> spread_over(const Fabric& fabric, const Stream& stream) const;
  [[nodiscard]] flow::Route scale_up_route(EndpointId from, EndpointId to) const;
  [[nodiscard]] flow::HostStages path_stages(const flow::MessageQuery& message, const Kind& from, const Kind& to) const;

  FlowMediumOptions options_;
  sim::Kernel kernel_;
  fabric::PacketPool packets_;
  fabric::AnyFabric fabric_;
  std::unique_ptr<fabric::ScaleUpFabric> scale_up_;
  std::vector<Rate> rates_;
  std::vector<std::uint64_t> addresses_;
  std::vector<wire::EndAddresses> header_addresses_;  // empty until switches hash headers
  std::map<std::uint64_t, Kind> kinds_;               // by line, or by endpoint
};

}  // namespace weft::study::world
