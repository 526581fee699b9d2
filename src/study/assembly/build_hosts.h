// NICs of a scenario and the hosts they are in: their delays, their classes of traffic, and the congestion control of
// their queue pairs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "host/nic_options.h"
#include "host/path/host_resources.h"
#include "host/path/rdma_path.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/congestion/congestion_control.h"
#include "study/scenario/scenario.h"
#include "workload/connection.h"

namespace weft::study::assembly {

/// Makes NIC options, and keeps what their queue pairs refer to: it must outlive the world.
class HostBuilder {
 public:
  /// The scenario must outlive this; the graph need not. `receive`: of receive_flow_control().
  HostBuilder(const scenario::Scenario& scenario, const fabric::Graph& graph,
              std::vector<host::ReceiveFlowControl> receive = {});
  /// The NIC port of an endpoint. Everything but endpoint, seeds and address.
  [[nodiscard]] host::NicOptions nic(EndpointId endpoint);
  /// What the endpoint's host shares; null if its profile has no stages. The same for every endpoint of a host.
  [[nodiscard]] host::HostResources* resources(EndpointId endpoint);
  /// The same of a host by its name.
  [[nodiscard]] host::HostResources* resources(const std::string& host) { return resources(first_of_host_.at(host)); }
  /// The scale-up port of a GPU, or of a pool of memory (null).
  [[nodiscard]] host::NicOptions scale_up_nic(const ScaleUpPlan::Gpu* gpu);
  /// Calls visit(name, resources) for every host that has any, in the order of their names.
  void visit(const std::function<void(const std::string&, const host::HostResources&)>& look) const {
    for (const auto& [name, made] : resources_) {
      if (made != nullptr) {
        look(name, *made);
      }
    }
  }
  /// Where programs that use this endpoint first have their buffers: of GPUs, the NICs take them in turn.
  [[nodiscard]] verbs::MemoryPlace memory(EndpointId endpoint) const;

 private:
  void set_loss_recovery(host::NicOptions& nic, const scenario::NicSettings& settings, Rate line) const;
  void set_classes(host::NicOptions& nic) const;
  void set_path_selector(host::NicOptions& nic) const;
  void set_congestion_control(host::NicOptions& nic, Rate line);
  void set_ultra_ethernet(host::NicOptions& nic, Rate line) const;
  void set_streams(host::NicOptions& nic);
  /// congestion_control.window of a NIC with this line.
  [[nodiscard]] std::optional<Bytes> window(Rate line) const;

  [[nodiscard]] scenario::DeviceSettings settings(EndpointId endpoint) const;
  void set_path(host::NicOptions& nic, EndpointId endpoint, const scenario::DeviceSettings& devices);
  void set_flow_control(host::RdmaPathOptions& path, EndpointId endpoint) const;

  const scenario::Scenario& scenario_;
  std::uint32_t host_endpoints_;    // those behind them belong to switches
  std::vector<std::string> names_;  // of the endpoints
  std::vector<Rate> rates_;         // of their cables
  Duration round_trip_;  // the longest of the idle network; where a window, selective repeat or the congestion control
                         // needs it
  std::optional<Probability> core_least_{};  // receivers grant less where the core is congested, down to this
  std::vector<std::string> hosts_;           // that they belong to
  std::map<std::string, EndpointId> first_of_host_;
  std::map<std::string, std::unique_ptr<host::HostResources>> resources_;
  std::vector<host::ReceiveFlowControl> receive_;  // per endpoint of hosts; empty: none has any
  std::map<Rate, CongestionControls> congestion_;  // by the line of a NIC
  transport::FramingHeaderLogs ledgers_;           // of every connection over a stream
};

/// Attributes of a traffic's queue pairs; `priority` as [[traffic]] gives it.
[[nodiscard]] workload::ConnectionAttributes connection_attributes(const scenario::Scenario& scenario,
                                                                   scenario::Family family,
                                                                   std::optional<std::int64_t> priority);

/// What serves the queue pairs of a family.
[[nodiscard]] host::Service service_of(scenario::Family family);

}  // namespace weft::study::assembly
