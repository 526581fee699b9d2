#include "study/assembly/receive_buffers.h"

#include <algorithm>

#include "base/format_quantity.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/port_needs.h"
#include "study/scenario/fail_at.h"

namespace weft::study::assembly {
namespace {

/// Kernel sockets have rings, and cells are not paused by endpoints.
bool may_hold_back(const scenario::Scenario& scenario) {
  const auto has_stages = [](const scenario::DeviceSettings& devices) {
    return devices.host.model == scenario::HostModel::kStages;
  };
  return scenario::engine_of(scenario.fabric.family) != scenario::FamilyEngine::kTcp &&
         scenario.routing.policy != scenario::RoutingPolicy::kScheduled &&
         (has_stages(scenario.devices) || !scenario.overrides.empty());
}

scenario::HostSettings host_settings(const scenario::Scenario& scenario, const std::string& name) {
  return scenario.overrides.empty() ? scenario.devices.host : scenario::settings_of_device(scenario, name).host;
}

/// The priorities of a port that PFC protects, and those that credits do; as bits.
struct Protected {
  std::uint16_t by_pauses = 0;
  std::uint16_t by_credits = 0;
};

Protected protected_lanes(const fabric::EthernetPortOptions& own, const fabric::EthernetPortOptions& peer) {
  Protected lanes;
  for (std::size_t p = 0; p < own.priorities.size(); ++p) {
    const auto bit = static_cast<std::uint16_t>(1U << p);
    // A switch that does not obey goes on sending.
    if (own.priorities[p].lossless && peer.priorities[p].lossless) {
      lanes.by_pauses = static_cast<std::uint16_t>(lanes.by_pauses | bit);
    }
    if (own.priorities[p].credits && peer.priorities[p].credits) {
      lanes.by_credits = static_cast<std::uint16_t>(lanes.by_credits | bit);
    }
  }
  return lanes;
}

struct Thresholds {
  Bytes buffer;
  Bytes headroom;
  Bytes xon_offset;
  Bytes frame;
};

Result<host::ReceiveFlowControl> with_pauses(const scenario::Scenario& scenario, const std::string& name,
                                             const Thresholds& own) {
  const Bytes least = own.headroom + own.xon_offset + own.frame;
  if (own.buffer < least) {
    return scenario::fail_at(scenario, "host.receive_buffer",
                             "{} of {} cannot hold {} of headroom for what comes after a pause, {} from XOFF to XON "
                             "and a frame of {}; make it at least {}, or set host.receive_headroom",
                             to_string(own.buffer), name, to_string(own.headroom), to_string(own.xon_offset),
                             to_string(own.frame), to_string(least));
  }
  const Bytes xoff = own.buffer - own.headroom;
  return host::ReceiveFlowControl{.xoff = xoff, .xon = xoff - own.xon_offset, .buffer = own.buffer};
}

host::ReceiveFlowControl with_credits(Bytes buffer) {
  return {.lanes = 0xFFFF, .xoff = buffer, .xon = buffer, .buffer = Bytes::max()};
}

/// The end of a cable at an endpoint, whose node it is.
Result<host::ReceiveFlowControl> of_port(const scenario::Scenario& scenario, const fabric::EthernetOptions& options,
                                         const fabric::Graph& graph, const CableEnd& end) {
  const fabric::Link& link = graph.links[end.link];
  const std::string& name = graph.nodes[(end.side == 0 ? link.a : link.b).node.value()].name;
  const scenario::HostSettings host = host_settings(scenario, name);
  const auto& own = options.ports[options.port_profile[2 * end.link + end.side]];
  const auto& peer = options.ports[options.port_profile[2 * end.link + (1 - end.side)]];
  const Protected lanes = protected_lanes(own, peer);
  if (host.model != scenario::HostModel::kStages || (lanes.by_pauses | lanes.by_credits) == 0) {
    return host::ReceiveFlowControl{};
  }
  host::ReceiveFlowControl made = with_credits(host.receive_buffer);
  if (lanes.by_pauses != 0) {
    auto paused = with_pauses(scenario, name,
                              {.buffer = host.receive_buffer,
                               .headroom = host.receive_headroom.value_or(receive_headroom_needed(options, graph, end)),
                               .xon_offset = host.receive_xon_offset.value_or(own.mtu_frame),
                               .frame = own.mtu_frame});
    if (!paused) {
      return pass_on(paused);
    }
    made = *paused;
  }
  if (lanes.by_credits != 0) {
    made.buffer = Bytes::max();
  }
  made.lanes = static_cast<std::uint16_t>(lanes.by_pauses | lanes.by_credits);
  return made;
}

}  // namespace

Result<std::vector<host::ReceiveFlowControl>> receive_flow_control(const scenario::Scenario& scenario,
                                                                   const fabric::Graph& graph) {
  std::vector<host::ReceiveFlowControl> made;
  if (!may_hold_back(scenario)) {
    return made;
  }
  made.resize(graph.host_endpoints());
  if (scenario::is_infiniband(scenario.fabric.family)) {
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      const scenario::HostSettings host = host_settings(scenario, graph.nodes[i].name);
      made[i] =
          host.model == scenario::HostModel::kStages ? with_credits(host.receive_buffer) : host::ReceiveFlowControl{};
    }
    return made;
  }
  auto options = ethernet_options(scenario, graph);
  if (!options) {
    return pass_on(options);
  }
  for (std::size_t link = 0; link < graph.links.size(); ++link) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::uint32_t node = (side == 0 ? graph.links[link].a : graph.links[link].b).node.value();
      if (node >= made.size()) {
        continue;
      }
      auto own = of_port(scenario, *options, graph, {.link = link, .side = side});
      if (!own) {
        return pass_on(own);
      }
      made[node] = *own;
    }
  }
  return made;
}

}  // namespace weft::study::assembly
