#include "study/world/flow_paths.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "study/world/link_parts.h"
#include "study/world/path_cuts.h"
#include "transport/path/path_selector.h"

namespace weft::study::world {
namespace {

using workload::ConnectionEnd;

using ConnectionName = std::tuple<workload::RankId, workload::RankId, std::uint32_t>;

/// Of a queue pair that need not have sent anything; streams, whose ports are chosen as they go, have.
std::uint32_t hash_of(const host::Nic& nic, Qpn pair, const wire::Packet& packet) {
  return nic.device().slot_of(pair).kind == transport::EngineKind::kRc ? nic.path_hash_of(packet)
                                                                       : nic.flow_hash_of(pair);
}

/// Of what a flow sends, the part that goes through each of its ports.
std::vector<double> parts_by_port(const ConnectionEnd& end, const SentBytes& sent) {
  if (end.ports.size() == 1) {
    return {1.0};
  }
  std::vector<double> parts(end.ports.size(), 0);
  const std::size_t pairs = end.options.data_queue_pairs();
  for (std::size_t i = 0; i < pairs; ++i) {
    parts[end.port_number(i)] += sent.part_of(i, pairs);
  }
  return parts;
}

/// The first queue pair at one of the ports that has any.
std::size_t first_at(const ConnectionEnd& end, std::size_t place) {
  std::size_t pair = 0;
  while (end.port_number(pair) != place) {
    ++pair;
  }
  return pair;
}

/// Of an Ultra Ethernet flow without a path selector: all queue pairs between two ends send through one context, which
/// has the entropy value of the queue pair that it was opened for. A READ's data comes through the requester's, whose
/// target the data's sender is.
struct ContextPath {
  std::uint16_t entropy = 0;
  bool is_known = true;  // false: contexts were closed, and others may have had other values
};

/// `own`: a packet of the first of the flow's queue pairs.
ContextPath context_path(const host::Nic& nic, const wire::PacketCommon& own, bool comes_back, std::size_t pairs) {
  using Role = transport::Pdc::Role;
  const transport::UetEndpoint& endpoint = *nic.device().uet();
  if (endpoint.counters().closed + endpoint.counters().failed > 0) {
    return {.entropy = own.entropy, .is_known = pairs == 1 && !comes_back};
  }
  for (std::size_t i = 1; i < endpoint.places(); ++i) {
    const auto place = static_cast<std::uint16_t>(i);
    const transport::Pdc& context = endpoint.context_at(place);
    if (context.role() == (comes_back ? Role::kTarget : Role::kInitiator) && context.key().peer == own.destination &&
        context.key().traffic_class == own.traffic_class) {
      return {.entropy = endpoint.common_of(place).entropy};
    }
  }
  return {.entropy = own.entropy, .is_known = !comes_back};  // it has not sent yet
}

/// What a flow puts on each link: the part of it that goes there.
template <class Fabric>
std::map<fabric::PortIndex, double> parts_by_link(const Fabric& fabric, const World& world, const ConnectionEnd& end,
                                                  const FlowDemand& demand) {
  const SentBytes& sent = demand.sent;
  const std::size_t pairs = end.options.data_queue_pairs();
  const std::vector<double> by_port = parts_by_port(end, sent);
  std::map<fabric::PortIndex, double> links;
  for (std::size_t place = 0; place < by_port.size(); ++place) {
    if (by_port[place] == 0) {
      continue;  // with fewer queue pairs than ports
    }
    const host::Nic& nic = world.nic(end.ports[place].endpoint);
    PathStream stream{.flow = {.source = end.ports[place].endpoint, .destination = end.peer_ports[place].endpoint}};
    const Qpn first = end.queue_pairs[first_at(end, place)];
    if (nic.takes_any_path(first)) {
      add_all_paths(fabric, stream, by_port[place], links);
      continue;
    }
    if (nic.device().slot_of(first).kind == transport::EngineKind::kUet) {
      wire::Packet packet = nic.packet_of(first);
      const ContextPath path = context_path(nic, packet.common, demand.comes_back, pairs);
      if (!path.is_known) {
        add_all_paths(fabric, stream, by_port[place], links);
        continue;
      }
      stream.entropy = packet.common.entropy = path.entropy;
      stream.flow.hash = nic.path_hash_of(packet);
      add_links(fabric, stream, by_port[place], links);
      continue;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const double part = sent.part_of(i, pairs);
      if (part > 0 && end.port_number(i) == place) {
        const wire::Packet packet = nic.packet_of(end.queue_pairs[i]);
        stream.flow.hash = hash_of(nic, end.queue_pairs[i], packet);
        stream.entropy = packet.common.entropy;
        add_links(fabric, stream, part, links);
      }
    }
  }
  return links;
}

/// Calls take(links) for each hop of a flow that chooses its paths: what equal parts would put on each link.
template <class Fabric, class Take>
void visit_choices(const Fabric& fabric, const ConnectionEnd& end, const SentBytes& sent, const Take& take) {
  const std::vector<double> by_port = parts_by_port(end, sent);
  for (std::size_t place = 0; place < by_port.size(); ++place) {
    if (by_port[place] > 0) {
      const EndpointId destination = end.peer_ports[place].endpoint;
      const auto ports_at = [&](const auto& arrival) { return fabric.next_hops(arrival.owner, destination); };
      visit_hops(fabric, {.source = end.ports[place].endpoint, .destination = destination}, by_port[place], ports_at,
                 take);
    }
  }
}

/// The rate of a flow when the first of its ports is full.
template <class Fabric>
double line_of(const Fabric& fabric, const ConnectionEnd& end, const SentBytes& sent) {
  const std::vector<double> by_port = parts_by_port(end, sent);
  double line = std::numeric_limits<double>::infinity();
  for (std::size_t place = 0; place < by_port.size(); ++place) {
    if (by_port[place] > 0) {
      line = std::min(line, link_rate(fabric, end.ports[place].endpoint.value()) / by_port[place]);
    }
  }
  return line;
}

/// The links of all flows, and what they carry.
template <class Fabric>
class Examination {
 public:
  Examination(const Fabric& fabric, const FlowPaths::Options& options)
      : fabric_(fabric), payload_share_(options.payload_share), switches_choose_(options.switches_choose) {}

  void add(const World& world, const ConnectionEnd& end, const FlowDemand& demand) {
    const std::map<fabric::PortIndex, double> links = parts_by_link(fabric_, world, end, demand);
    Flow& flow = flow_of(end);
    for (const auto& [port, part] : links) {
      const std::uint32_t link = number_of(port);
      carried_[link] += part * static_cast<double>(demand.bytes.count());
      // At the ends of an exchange many meet by its nature, and nothing there is the luck of a path; if it congests,
      // the fabric shows it.
      const auto& from = fabric_.port(port);
      if (!from.has(fabric::kIsEndpoint) && !fabric_.port(from.peer).has(fabric::kIsEndpoint)) {
        senders_[link].insert(end.first_port().endpoint);
      }
      add_use(flow.uses, {.link = link, .part = part});
    }
    ++flow.connections;
    ++flow.senders[demand.sender()];
    flow.lines += line_of(fabric_, end, demand.sent);
    if (chooses(world, end)) {
      add_choices(end, demand);
    } else {
      add_fixed(end, demand, links);
    }
  }

  /// For seconds_of_choices() alone.
  void add_to_cuts(const World& world, const ConnectionEnd& end, const FlowDemand& demand) {
    if (chooses(world, end)) {
      add_choices(end, demand);
    } else {
      add_fixed(end, demand, parts_by_link(fabric_, world, end, demand));
    }
  }

  [[nodiscard]] std::set<fabric::PortIndex> links() const {
    std::set<fabric::PortIndex> all;
    for (const auto& [port, number] : numbers_) {
      all.insert(port);
    }
    return all;
  }

  /// The least seconds in which cuts can carry everything; none where equal parts are as good.
  std::optional<double> seconds_of_choices() {
    if (!complete_cuts()) {
      return std::nullopt;
    }
    std::vector<double> carried(cuts_.capacities().size(), 0);
    for (const auto& [set, bytes] : carried_by_set_) {
      for (const LinkUse& cut : cuts_.cuts_of({{.link = set, .part = bytes}})) {
        carried[cut.link] += cut.part;
      }
    }
    double longest = 0;
    for (std::size_t cut = 0; cut < carried.size(); ++cut) {
      longest = std::max(longest, carried[cut] * 8 / (cuts_.capacities()[cut] * payload_share_));
    }
    return longest;
  }

  PathLimits limits() {
    PathLimits made{.flows = flows_.size()};
    const std::optional<double> by_choice = seconds_of_choices();
    std::vector<FlowLinks> flows;
    std::vector<double> lines;
    for (auto& [ends, flow] : flows_) {
      FlowLinks& uses = by_choice ? flow.sets : flow.uses;
      for (LinkUse& use : uses) {
        use.part /= flow.connections;
      }
      lines.push_back(flow.lines / flow.connections);
      flows.push_back(by_choice ? cuts_.cuts_of(uses) : uses);
    }
    for (std::size_t link = 0; link < capacities_.size(); ++link) {
      made.shares_links = made.shares_links || senders_[link].size() > 1;
      const double seconds = by_choice.value_or(carried_[link] * 8 / (capacities_[link] * payload_share_));
      made.least_time = std::max(made.least_time, Duration::picoseconds(static_cast<std::int64_t>(seconds * 1e12)));
    }
    const std::vector<double> rates = max_min_rates(flows, by_choice ? cuts_.capacities() : capacities_);
    double sum = 0;
    std::map<workload::RankId, double> of_sender;  // over all its ports; ranks at one port share what that has
    for (std::size_t i = 0; const auto& [ends, flow] : flows_) {
      const double share = std::min(rates[i] / lines[i], 1.0);
      made.slowest_share = std::min(made.slowest_share, share);
      sum += share;
      for (const auto& [sender, connections] : flow.senders) {
        of_sender[sender] += share * lines[i] * connections / flow.connections;
      }
      ++i;
    }
    made.mean_share = rates.empty() ? 1 : sum / static_cast<double>(rates.size());
    set_sender_rates(of_sender, made);
    return made;
  }

 private:
  using Ends = std::pair<EndpointId, EndpointId>;
  /// All connections between two ends.
  struct Flow {
    FlowLinks uses{};  // their parts added up, until limits() divides them
    FlowLinks sets{};  // the same of the sets of links that each choice is among
    std::uint32_t connections = 0;
    double lines = 0;                                     // the same of their rates
    std::map<workload::RankId, std::uint32_t> senders{};  // their connections among those
  };

  void set_sender_rates(const std::map<workload::RankId, double>& of_sender, PathLimits& made) const {
    if (of_sender.empty()) {
      return;
    }
    const auto payload = [this](double rate) {
      return Rate::bits_per_second(static_cast<std::int64_t>(rate * payload_share_));
    };
    made.senders = of_sender.size();
    double sum = 0;
    double least = of_sender.begin()->second;
    for (const auto& [sender, rate] : of_sender) {
      sum += rate;
      least = std::min(least, rate);
    }
    made.per_sender = payload(sum / static_cast<double>(of_sender.size()));
    made.slowest_sender = payload(least);
  }

  [[nodiscard]] double rate_of(fabric::PortIndex port) const { return link_rate(fabric_, port); }

  static void add_use(FlowLinks& uses, const LinkUse& use) {
    const auto known = std::ranges::find(uses, use.link, &LinkUse::link);
    if (known == uses.end()) {
      uses.push_back(use);
    } else {
      known->part += use.part;
    }
  }

  std::uint32_t cut_link_of(fabric::PortIndex port) {
    const auto [found, is_new] = cut_numbers_.try_emplace(port, static_cast<std::uint32_t>(cut_links_.size()));
    if (is_new) {
      const auto& link = fabric_.port(port);
      cut_links_.push_back({.capacity = rate_of(port), .from = node_of(link), .to = node_of(fabric_.port(link.peer))});
    }
    return found->second;
  }

  template <class Port>
  [[nodiscard]] std::uint32_t node_of(const Port& port) const {
    return port.has(fabric::kIsEndpoint) ? port.owner : fabric_.graph().endpoints + port.owner;
  }

  /// Whether cuts say more than equal parts; no more flows are added.
  bool complete_cuts() {
    if (any_choose_) {
      cuts_.complete(cut_links_);
    }
    return any_choose_ && cuts_.are_needed();
  }

  [[nodiscard]] bool chooses(const World& world, const ConnectionEnd& end) const {
    return switches_choose_ || chooses_paths(world.nic(end.first_port().endpoint), end.queue_pairs.front());
  }
  [[nodiscard]] Flow& flow_of(const ConnectionEnd& end) {
    return flows_[Ends{end.first_port().endpoint, end.peer_ports.front().endpoint}];
  }

  void add_choices(const ConnectionEnd& end, const FlowDemand& demand) {
    any_choose_ = true;
    visit_choices(fabric_, end, demand.sent, [&](const auto& hop) { add_hop(hop, demand, flow_of(end)); });
  }
  void add_fixed(const ConnectionEnd& end, const FlowDemand& demand, const std::map<fabric::PortIndex, double>& links) {
    for (const auto& one : links) {
      add_hop(std::span(&one, 1), demand, flow_of(end));
    }
  }

  /// One hop of a flow that chooses, or one link of another: what equal parts put on each link, by port.
  template <class Hop>
  void add_hop(const Hop& hop, const FlowDemand& demand, Flow& flow) {
    FlowLinks links;
    double part = 0;
    for (const auto& [port, share] : hop) {
      links.push_back({.link = cut_link_of(port), .part = share});
      part += share;
    }
    const std::uint32_t set = cuts_.number_of(std::move(links), cut_links_);
    carried_by_set_[set] += part * static_cast<double>(demand.bytes.count());
    add_use(flow.sets, {.link = set, .part = part});
  }

  std::uint32_t number_of(fabric::PortIndex port) {
    const auto [found, is_new] = numbers_.try_emplace(port, static_cast<std::uint32_t>(capacities_.size()));
    if (is_new) {
      capacities_.push_back(rate_of(port));
      carried_.push_back(0);
      senders_.emplace_back();
    }
    return found->second;
  }

  const Fabric& fabric_;
  double payload_share_;
  bool switches_choose_;
  bool any_choose_ = false;
  std::map<fabric::PortIndex, std::uint32_t> numbers_;  // of links that are used
  std::vector<double> capacities_;                      // in bits per second
  std::vector<double> carried_;                         // bytes of payload
  std::vector<std::set<EndpointId>> senders_;
  std::map<Ends, Flow> flows_;
  PathCuts cuts_;
  std::map<fabric::PortIndex, std::uint32_t> cut_numbers_;  // of links that choices are among, or that are taken
  std::vector<CutLink> cut_links_;
  std::map<std::uint32_t, double> carried_by_set_;  // bytes of payload
};

/// Tells `take` of every demand that goes through the network.
template <class Take>
void visit_flows(const FlowPaths::Options& options, std::span<const FlowDemand> demands, const Take& take) {
  std::map<ConnectionName, const ConnectionEnd*> ends;
  options.connector.visit_ends([&ends](const ConnectionEnd& end) {
    ends.insert_or_assign({end.name.from, end.name.to, end.name.channel}, &end);
  });
  for (const FlowDemand& demand : demands) {
    const auto found = ends.find({demand.sender(), demand.receiver(), demand.flow.index});
    if (found == ends.end() || options.world.is_scale_up(found->second->first_port().endpoint)) {
      continue;
    }
    take(demand, *found->second);
  }
}

template <class Fabric>
Examination<Fabric> examination_of(const Fabric& fabric, const FlowPaths::Options& options,
                                   std::span<const FlowDemand> demands) {
  Examination<Fabric> examination(fabric, options);
  visit_flows(options, demands,
              [&](const FlowDemand& demand, const ConnectionEnd& end) { examination.add(options.world, end, demand); });
  return examination;
}

}  // namespace

bool chooses_paths(const host::Nic& nic, Qpn pair) {
  const host::NicOptions& options = nic.options();
  const host::MakePathSelector& make =
      nic.device().uet() != nullptr ? options.uet.path_selector : options.path_selector;
  return make && nic.takes_any_path(pair) && make(0)->wants_feedback();
}

void SentBytes::add(const workload::MessageRecord& message) {
  bytes += message.size;
  if (message.parts > 1) {
    alike = true;
    by_pair.clear();
  }
  // Most connections have one queue pair, which needs no list.
  if (alike || (message.queue_pair == 0 && by_pair.empty())) {
    return;
  }
  if (by_pair.empty()) {
    by_pair.push_back(bytes - message.size);
  }
  by_pair.resize(std::max<std::size_t>(by_pair.size(), message.queue_pair + std::size_t{1}));
  by_pair[message.queue_pair] += message.size;
}

double SentBytes::part_of(std::size_t pair, std::size_t pairs) const {
  if (alike || bytes == Bytes::zero()) {
    return 1.0 / static_cast<double>(pairs);
  }
  if (by_pair.empty()) {
    return pair == 0 ? 1 : 0;
  }
  return pair < by_pair.size() ? static_cast<double>(by_pair[pair].count()) / static_cast<double>(bytes.count()) : 0;
}

PathLimits FlowPaths::examine(std::span<const FlowDemand> demands) const {
  return options_.world.fabric().visit(
      [&](const auto& fabric) { return examination_of(fabric, options_, demands).limits(); });
}

std::set<workload::RankId> FlowPaths::cut_off(std::span<const FlowDemand> demands) const {
  constexpr double kWhole = 1 - 1e-6;
  std::set<workload::RankId> senders;
  options_.world.fabric().visit([&](const auto& fabric) {
    visit_flows(options_, demands, [&](const FlowDemand& demand, const ConnectionEnd& end) {
      double arrives = 0;
      for (const auto& [port, part] : parts_by_link(fabric, options_.world, end, demand)) {
        const auto& link = fabric.port(port);
        const bool is_last = fabric.port(link.peer).has(fabric::kIsEndpoint);
        arrives += is_last && !link.has(fabric::kLinkDown) ? part : 0;
        arrives -= !is_last && link.has(fabric::kLinkDown) ? part : 0;
      }
      if (arrives < kWhole) {
        senders.insert(demand.sender());
      }
    });
  });
  return senders;
}

std::optional<double> FlowPaths::seconds_of_choices(std::span<const FlowDemand> demands) const {
  return options_.world.fabric().visit([&](const auto& fabric) {
    Examination examination(fabric, options_);
    visit_flows(options_, demands, [&](const FlowDemand& demand, const ConnectionEnd& end) {
      examination.add_to_cuts(options_.world, end, demand);
    });
    return examination.seconds_of_choices();
  });
}

std::vector<FlowLoad> FlowPaths::loads_of(std::span<const FlowDemand> demands) const {
  std::vector<FlowLoad> made;
  options_.world.fabric().visit([&](const auto& fabric) {
    visit_flows(options_, demands, [&](const FlowDemand& demand, const ConnectionEnd& end) {
      FlowLoad& own = made.emplace_back(
          FlowLoad{.flow = demand.flow, .sender = demand.sender(), .bytes = static_cast<double>(demand.bytes.count())});
      for (const auto& [port, part] : parts_by_link(fabric, options_.world, end, demand)) {
        const double rate = link_rate(fabric, port) * options_.payload_share;
        own.uses.push_back({.link = port, .seconds = part * own.bytes * 8 / rate});
      }
    });
  });
  return made;
}

std::set<fabric::PortIndex> FlowPaths::links_of(std::span<const FlowDemand> demands) const {
  return options_.world.fabric().visit(
      [&](const auto& fabric) { return examination_of(fabric, options_, demands).links(); });
}

}  // namespace weft::study::world
