// The network of a scenario as the flow level sees it: the fabric laid out and idle, the NICs by their options alone.
//
// Paths are asked of the fabric port by port, with the hash that a packet of the queue pair would have, so they are
// those of a run with packets. Links are the egress ports of the fabric, then the wires of the scale-up fabric, then
// the cores of hosts with kernel sockets, which a flow loads with what its bytes take on them. Delays and bytes are
// those of the closed form of an idle network (ideal_time.h). Streams are limited by their receive buffer over a round
// trip; the ports of TCP are those that the connection draws, so its hashes are as likely as those of a run with
// packets, not the same.
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
#include "study/world/context_entropies.h"
#include "study/world/link_bundles.h"
#include "study/world/stand_ins.h"
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
  std::optional<Rate> protected_rate{};          // what lies before a NIC port lets through; none: all
  bool nics_alike = false;                       // all with lines of one rate
  /// Of kernel sockets: the hosts of endpoints, the cores of each, and what a byte of payload takes of one at either
  /// end, in picoseconds. Empty: cores limit nothing.
  std::vector<std::uint32_t> hosts{};
  std::uint32_t cores = 0;
  double send_cost = 0;
  double receive_cost = 0;
  Bytes receive_unit{};  // that they acknowledge as one
  /// Both directions of each link carry as much, as rings do: a flow then loads its own links with the acknowledgements
  /// of the other direction, and rates need not be solved again for those that it sends back.
  bool mirrors_answers = false;
  /// Of links on which all flows put the same, flows name one (link_bundles.h); not where queues of links add up.
  bool bundles_links = false;
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
  /// Of one of the links, in bits per second.
  [[nodiscard]] double capacity_of(std::uint32_t link) const;
  /// Not a link of an endpoint, nor one of the scale-up fabric.
  [[nodiscard]] bool joins_switches(std::uint32_t link) const;
  [[nodiscard]] std::uint32_t links() const { return first_core() + hosts_ * options_.cores; }

  /// From post_send to the requester's completion if nothing else is there, over the first of all next hops.
  [[nodiscard]] Duration ideal_time(const flow::MessageQuery& message);

  /// From here on flows between hosts stand for others; null: for none. It must outlive its use.
  void set_stand_ins(const StandIns* stand_ins) { stand_ins_ = stand_ins; }
  /// The links of the fabric that a flow between hosts takes, or one of each bundle, whatever it stands for.
  [[nodiscard]] Result<std::vector<flow::LinkUse>> links_of(const flow::PathEnds& ends);

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
  [[nodiscard]] std::uint32_t first_core() const { return fabric_.port_count() + scale_up_wires(); }
  /// What the cores of both ends do for a flow, and what its protocol allows it.
  void add_cores(const flow::PathEnds& ends, std::uint64_t hash, flow::Route& route);
  void limit_window(const flow::PathEnds& ends, flow::Route& route);
  [[nodiscard]] double answer_share(const flow::PathEnds& ends);
  [[nodiscard]] flow::MessagePackets full_packet(const flow::PathEnds& ends);
  [[nodiscard]] const Kind& kind_of(EndpointId endpoint);
  /// What switches know a queue pair's packets by.
  struct Stream {
    fabric::LeafFlow flow{};
    std::uint16_t entropy = 0;
    bool any_path = false;
  };
  [[nodiscard]] Stream stream_of(const flow::PathEnds& ends);
  [[nodiscard]] Result<flow::Route> route_of(const Stream& stream);
  /// Empty where some flow does not take all paths.
  [[nodiscard]] LinkBundles& bundles();
  [[nodiscard]] LinkBundles make_bundles();
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
  const StandIns* stand_ins_ = nullptr;
  std::uint32_t hosts_ = 0;
  std::vector<Rate> rates_;
  std::vector<std::uint64_t> addresses_;
  std::vector<wire::EndAddresses> header_addresses_;  // empty until switches hash headers
  std::map<std::uint64_t, Kind> kinds_;               // by line, or by endpoint
  ContextEntropies contexts_;
  std::optional<LinkBundles> bundles_;  // not looked for yet: none
};

}  // namespace weft::study::world
