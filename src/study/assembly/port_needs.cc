#include "study/assembly/port_needs.h"

#include <array>

#include "fabric/flow_control/credits.h"
#include "fabric/flow_control/link_credits.h"
#include "fabric/infiniband/credit_content.h"
#include "fabric/infiniband/infiniband_port.h"
#include "study/assembly/build_fabric.h"

namespace weft::study::assembly {
namespace {

/// Ends of cables by their number, 2 * link + side, as the profiles of the fabric's options count them.
template <class Options>
class Ends {
 public:
  Ends(const Options& options, const fabric::Graph& graph) : options_(options), graph_(graph) {}

  /// Calls visit(number) for each; the cables inside switches, to their reducers, are left out.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t end = 0; end < 2 * graph_.links.size(); ++end) {
      if (!is_reducer(end) && !is_reducer(peer(end))) {
        visit(end);
      }
    }
  }

  [[nodiscard]] static std::size_t peer(std::size_t end) { return end ^ 1U; }
  [[nodiscard]] const fabric::Link& link(std::size_t end) const { return graph_.links[end / 2]; }
  [[nodiscard]] const auto& profile(std::size_t end) const { return options_.ports[options_.port_profile[end]]; }
  [[nodiscard]] std::uint32_t node(std::size_t end) const {
    return (end % 2 == 0 ? link(end).a : link(end).b).node.value();
  }
  [[nodiscard]] bool is_switch(std::size_t end) const { return node(end) >= graph_.endpoints; }
  /// From the wire to the buffer of what the port belongs to.
  [[nodiscard]] Duration pipeline(std::size_t end) const {
    if (is_switch(end)) {
      return options_.switches[options_.switch_profile[node(end) - graph_.endpoints]].latency;
    }
    return options_.endpoint_pipeline.empty() ? Duration::zero() : options_.endpoint_pipeline[node(end)];
  }

 private:
  [[nodiscard]] bool is_reducer(std::size_t end) const {
    return node(end) >= graph_.host_endpoints() && node(end) < graph_.endpoints;
  }

  const Options& options_;
  const fabric::Graph& graph_;
};

using EthernetEnds = Ends<fabric::EthernetOptions>;

bool retries(const EthernetEnds& ends, std::size_t end) {
  return ends.profile(end).retry && ends.profile(ends.peer(end)).retry;
}

/// Of the wire that begins at `end`.
fabric::LoopTerms loop_of(const EthernetEnds& ends, std::size_t end) {
  const auto& profile = ends.profile(end);
  const Duration latency = retries(ends, end) ? profile.retry->latency : Duration::zero();
  return {.rate = ends.link(end).rate,
          .one_way = ends.link(end).propagation + latency,
          .pipeline = ends.pipeline(ends.peer(end)),
          .frame = profile.mtu_frame,
          .spacing = profile.retry ? profile.retry->spacing : Bytes::zero()};
}

/// `given`: what the scenario says.
Bytes replay_buffer(const EthernetEnds& ends, std::size_t end, std::optional<Bytes> given) {
  const fabric::LoopTerms loop = loop_of(ends, end);
  return std::max(given.value_or(fabric::retry_buffer(loop)), loop.frame);
}

Bytes headroom_at(const EthernetEnds& ends, std::size_t end) {
  const std::size_t peer = ends.peer(end);
  const fabric::Link& link = ends.link(end);
  const Bytes replay = retries(ends, end) ? replay_buffer(ends, peer, ends.profile(peer).retry->buffer) +
                                                link.rate.bytes_in(loop_of(ends, peer).one_way * 2)
                                          : Bytes::zero();
  return fabric::headroom_bytes({.rate = link.rate,
                                 .propagation = link.propagation,
                                 .pipeline = ends.pipeline(end),
                                 .response = ends.profile(peer).pause_response,
                                 .peer_frame = ends.profile(end).mtu_frame,
                                 .local_frame = ends.profile(end).mtu_frame,
                                 .replay = replay});
}

/// Of the port that receives, in whole frames.
Bytes credit_buffer(const EthernetEnds& ends, std::size_t receiver) {
  fabric::LoopTerms loop = loop_of(ends, ends.peer(receiver));
  loop.frame = std::max(loop.frame, ends.profile(receiver).mtu_frame);
  const std::int64_t unit = ends.profile(receiver).credit_link.unit.count();
  const std::int64_t frames = (fabric::credit_buffer(loop).count() + loop.frame.count() - 1) / loop.frame.count();
  const std::uint32_t frame =
      fabric::credits_of(static_cast<std::uint32_t>(loop.frame.count()), static_cast<std::uint32_t>(unit));
  return Bytes(frames * frame * unit);
}

/// Of a NIC: with the packet that asks for the pause, and one that the NIC may begin meanwhile.
Bytes receive_headroom_at(const EthernetEnds& ends, std::size_t end) {
  return headroom_at(ends, end) + ends.profile(end).mtu_frame * 2;
}

void add_ethernet(PortNeeds& needs, const EthernetEnds& ends, std::size_t end) {
  const fabric::EthernetPortOptions& profile = ends.profile(end);
  const fabric::EthernetPortOptions& other = ends.profile(ends.peer(end));
  add_to(needs.pause_response, profile.pause_response);
  if (retries(ends, end) && !profile.retry->buffer) {
    add_to(needs.replay_buffer, replay_buffer(ends, end, std::nullopt));
  }
  for (std::size_t p = 0; p < profile.priorities.size(); ++p) {
    const fabric::PriorityOptions& priority = profile.priorities[p];
    if (priority.lossless && !priority.headroom && ends.is_switch(end)) {
      add_to(needs.headroom, headroom_at(ends, end));
    }
    if (priority.lossless && other.priorities[p].lossless && !ends.is_switch(end)) {
      add_to(needs.receive_headroom, receive_headroom_at(ends, end));
      add_to(needs.xon_offset, profile.mtu_frame);
    }
    if (priority.credits && other.priorities[p].credits && !priority.credits->buffer) {
      add_to(needs.credit_buffer, credit_buffer(ends, end));
    }
  }
}

/// The receiver itself says when an update is due.
Bytes credit_threshold(const Ends<fabric::InfiniBandOptions>& ends, std::size_t end) {
  const fabric::InfiniBandPortOptions& profile = ends.profile(end);
  const fabric::Link& link = ends.link(end);
  const Bytes frame = std::max(profile.largest_frame, ends.profile(ends.peer(end)).largest_frame);
  const Duration there_and_back =
      link.propagation * 2 + ends.pipeline(end) +
      link.rate.transmit_time(Bytes(fabric::kCreditWireBytes + fabric::InfiniBandParts::kCutThroughBytes));
  const std::int64_t most = std::int64_t{fabric::kMaxAdvertised} * fabric::kBlockBytes;
  fabric::CreditReceiver receiver({.buffer = profile.buffer_blocks[0],
                                   .largest_packet = fabric::blocks_of(static_cast<std::uint32_t>(frame.count())),
                                   .round_trip_blocks = fabric::blocks_of(static_cast<std::uint32_t>(
                                       std::min(link.rate.bytes_in(there_and_back).count(), most))),
                                   .divisor = profile.credit_divisor});
  while (!receiver.update_due()) {
    receiver.count(1);
  }
  return Bytes(std::int64_t{receiver.unadvertised()} * fabric::kBlockBytes);
}

}  // namespace

Result<PortNeeds> port_needs(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  PortNeeds needs;
  if (scenario::is_infiniband(scenario.fabric.family)) {
    auto options = infiniband_options(scenario, graph);
    if (!options) {
      return pass_on(options);
    }
    const Ends<fabric::InfiniBandOptions> ends(*options, graph);
    ends.each([&](std::size_t end) { add_to(needs.credit_threshold, credit_threshold(ends, end)); });
    return needs;
  }
  auto options = ethernet_options(scenario, graph);
  if (!options) {
    return pass_on(options);
  }
  const EthernetEnds ends(*options, graph);
  ends.each([&](std::size_t end) { add_ethernet(needs, ends, end); });
  return needs;
}

Bytes headroom_needed(const fabric::EthernetOptions& options, const fabric::Graph& graph, const CableEnd& end) {
  return headroom_at(EthernetEnds(options, graph), 2 * end.link + end.side);
}

Bytes receive_headroom_needed(const fabric::EthernetOptions& options, const fabric::Graph& graph, const CableEnd& end) {
  return receive_headroom_at(EthernetEnds(options, graph), 2 * end.link + end.side);
}

}  // namespace weft::study::assembly
