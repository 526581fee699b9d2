#include "fabric/routing/routes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25;
  return hash ^ (hash >> 32);
}

}  // namespace

/// Finds the group of a set of ports, or makes it.
class Routes::GroupIndex {
 public:
  GroupIndex(std::vector<Group>& groups, std::vector<std::uint16_t>& ports, KnownGroups& known)
      : groups_(groups), ports_(ports), known_(known) {}

  std::uint16_t of(const std::vector<std::uint16_t>& hops) {
    if (hops.empty()) {
      return 0;
    }
    std::uint64_t key = hops.size();
    for (const std::uint16_t port : hops) {
      key = mix(key, port);
    }
    const auto [begin, end] = known_.equal_range(key);
    for (auto it = begin; it != end; ++it) {
      if (is(it->second, hops)) {
        return it->second;
      }
    }
    WEFT_ASSERT(groups_.size() <= std::numeric_limits<std::uint16_t>::max());
    const auto id = static_cast<std::uint16_t>(groups_.size());
    groups_.push_back({place(hops), static_cast<std::uint32_t>(hops.size())});
    known_.emplace(key, id);
    return id;
  }

  [[nodiscard]] bool is(std::uint16_t id, const std::vector<std::uint16_t>& hops) const {
    const Group& group = groups_[id];
    return group.count == hops.size() && std::equal(hops.begin(), hops.end(), ports_.begin() + group.first);
  }

 private:
  /// Where the ports stand in ports_.
  std::uint32_t place(const std::vector<std::uint16_t>& hops) {
    if (static_cast<std::size_t>(hops.back() - hops.front()) + 1 == hops.size()) {
      return hops.front();
    }
    const auto first = static_cast<std::uint32_t>(ports_.size());
    ports_.insert(ports_.end(), hops.begin(), hops.end());
    return first;
  }

  std::vector<Group>& groups_;
  std::vector<std::uint16_t>& ports_;
  KnownGroups& known_;
};

Routes::Routes(const Graph& graph, const Options& options) {
  if (options.rule == RouteRule::kDimensionOrder) {
    order_.emplace(graph);
  }
  if (options.ports_stand_in) {
    stand_in_ = next_ports(graph);
    const auto own_plane = [&](const Node& node) { return node.plane != graph.nodes.front().plane; };
    if (std::ranges::any_of(graph.nodes, own_plane)) {
      std::ranges::transform(graph.nodes, std::back_inserter(planes_), &Node::plane);
    }
  }
  links_.assign(graph.links.size(), LinkState::kUp);
  read_links(graph);
  find_leaves(graph);
  recompute();
}

void Routes::read_links(const Graph& graph) {
  const std::uint32_t endpoints = graph.endpoints;
  first_neighbour_.assign(graph.switches() + 1, 0);
  for (const Link& link : graph.links) {
    port_limit_ = std::max(port_limit_, std::max(link.a.port, link.b.port) + 1U);
  }
  WEFT_ASSERT(port_limit_ <= std::numeric_limits<std::uint16_t>::max());
  const auto joins_switches = [&](const Link& link) {
    return link.a.node.value() >= endpoints && link.b.node.value() >= endpoints;
  };
  for (const Link& link : graph.links) {
    if (joins_switches(link)) {
      ++first_neighbour_[link.a.node.value() - endpoints + 1];
      ++first_neighbour_[link.b.node.value() - endpoints + 1];
    }
  }
  std::partial_sum(first_neighbour_.begin(), first_neighbour_.end(), first_neighbour_.begin());
  neighbours_.resize(first_neighbour_.back());
  std::vector<std::uint32_t> next(first_neighbour_.begin(), first_neighbour_.end() - 1);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    if (joins_switches(link)) {
      const std::uint32_t a = link.a.node.value() - endpoints;
      const std::uint32_t b = link.b.node.value() - endpoints;
      neighbours_[next[a]++] = {.node = b, .link = i, .port = link.a.port};
      neighbours_[next[b]++] = {.node = a, .link = i, .port = link.b.port};
    }
  }
  // A switch's ports are visited in order, so that next hops come out sorted.
  for (std::uint32_t node = 0; node < switches(); ++node) {
    std::sort(neighbours_.begin() + first_neighbour_[node], neighbours_.begin() + first_neighbour_[node + 1],
              [](const Neighbour& a, const Neighbour& b) { return a.port < b.port; });
  }
}

void Routes::find_leaves(const Graph& graph) {
  const std::uint32_t endpoints = graph.endpoints;
  wired_.resize(endpoints);
  endpoint_link_.assign(endpoints, kNone);
  std::vector<std::uint32_t> column_of(graph.switches(), kNone);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    for (const auto& [near, far] :
         {std::pair(graph.links[i].a, graph.links[i].b), {graph.links[i].b, graph.links[i].a}}) {
      if (near.node.value() < endpoints && far.node.value() >= endpoints) {
        const std::uint32_t leaf = far.node.value() - endpoints;
        wired_[near.node.value()] = {.leaf = leaf, .port = far.port};
        endpoint_link_[near.node.value()] = i;
        column_of[leaf] = 0;
      }
    }
  }
  for (std::uint32_t node = 0; node < column_of.size(); ++node) {
    if (column_of[node] != kNone) {
      column_of[node] = static_cast<std::uint32_t>(leaves_.size());
      leaves_.push_back(node);
    }
  }
  WEFT_ASSERT(leaves_.size() < std::numeric_limits<std::uint16_t>::max());
  for (Attachment& at : wired_) {
    at.column = static_cast<std::uint16_t>(at.leaf == kNone ? leaves_.size() : column_of[at.leaf]);
  }
}

void Routes::set_link(LinkIndex link, LinkState state) {
  WEFT_ASSERT(link.value() < links_.size());
  links_[link.value()] = state;
}

bool Routes::is_cut_off(std::size_t endpoint) const {
  return endpoint_link_[endpoint] == kNone || links_[endpoint_link_[endpoint]] == LinkState::kDown;
}

EndpointId Routes::port_in_plane(std::uint32_t switch_ordinal, EndpointId destination) const {
  const std::uint16_t plane = planes_[attachments_.size() + switch_ordinal];
  EndpointId port = destination;
  do {
    if (planes_[port.value()] == plane && !is_cut_off(port.value())) {
      return port;
    }
    port = stand_in_[port.value()];
  } while (port != destination);
  return destination;
}

void Routes::attach_endpoints() {
  attachments_ = wired_;
  for (std::size_t i = 0; i < attachments_.size(); ++i) {
    if (!is_cut_off(i)) {
      continue;
    }
    attachments_[i] = {.leaf = kNone, .column = static_cast<std::uint16_t>(leaves_.size())};
    for (std::size_t other = i; !stand_in_.empty() && stand_in_[other].value() != i;) {
      other = stand_in_[other].value();
      if (!is_cut_off(other)) {
        attachments_[i] = wired_[other];
        break;
      }
    }
  }
}

void Routes::recompute() {
  attach_endpoints();
  groups_.assign(1, Group{});
  ports_.resize(port_limit_);
  std::iota(ports_.begin(), ports_.end(), std::uint16_t{0});
  KnownGroups known;
  GroupIndex index(groups_, ports_, known);
  installed_.reset();
  Table table{.columns = columns(), .groups = std::vector<std::uint16_t>(std::size_t{switches()} * columns(), 0)};
  if (order_) {
    for (std::uint16_t column = 0; column < leaves_.size(); ++column) {
      route_in_order(column, index, table);
    }
  } else {
    route_shortest(index, table);
  }
  // A leaf never looks its own column up: filled like a neighbour's, it does not keep rows from being shared.
  for (std::uint32_t column = 0; leaves_.size() > 1 && column < leaves_.size(); ++column) {
    std::uint16_t* const row = table.row(leaves_[column]);
    row[column] = column > 0 ? row[column - 1] : row[1];
  }
  share_rows(table.groups);
}

/// Leaves whose links lead to the same switches are as far from every other switch, since no shortest path to one leads
/// through another one: one search serves them all, and only what they and those switches do differs. In a tree such
/// leaves are those of a pod, so that the time grows with links times pods, not with links times leaves.
void Routes::route_shortest(GroupIndex& index, Table& table) const {
  const LeafClasses classes = classes_of_leaves();
  const auto count = static_cast<std::uint32_t>(classes.first.size());
  Search search;
  if (count == leaves_.size()) {
    for (std::uint32_t column = 0; column < count; ++column) {
      route_to(leaves_[column], column, search, index, table);
    }
    return;
  }
  Table by_class{.columns = count, .groups = std::vector<std::uint16_t>(std::size_t{switches()} * count, 0)};
  for (std::uint32_t one = 0; one < count; ++one) {
    route_to(leaves_[classes.first[one]], one, search, index, by_class);
  }
  for (std::uint32_t node = 0; node < switches(); ++node) {
    std::uint16_t* const row = table.row(node);
    const std::uint16_t* const own = by_class.row(node);
    for (std::uint32_t column = 0; column < leaves_.size(); ++column) {
      row[column] = own[classes.of[column]];
    }
  }
  route_within_classes(classes, index, table);
}

Routes::LeafClasses Routes::classes_of_leaves() const {
  LeafClasses classes;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;  // by the switches that links lead to
  for (std::uint32_t column = 0; column < leaves_.size(); ++column) {
    std::vector<std::uint32_t> around;
    for (const Neighbour& neighbour : neighbours_of(leaves_[column])) {
      if (links_[neighbour.link] == LinkState::kUp) {
        around.push_back(neighbour.node);
      }
    }
    std::ranges::sort(around);
    around.erase(std::unique(around.begin(), around.end()), around.end());
    const auto [entry, is_new] = known.try_emplace(std::move(around), static_cast<std::uint32_t>(classes.first.size()));
    if (is_new) {
      classes.first.push_back(column);
    }
    classes.of.push_back(entry->second);
  }
  return classes;
}

/// To a leaf of one's own class any way leads, and switches that join such leaves have ports to each.
void Routes::route_within_classes(const LeafClasses& classes, GroupIndex& index, Table& table) const {
  std::vector<std::uint32_t> column_of(switches(), kNone);
  std::vector<std::vector<std::uint32_t>> members(classes.first.size());
  for (std::uint32_t column = 0; column < leaves_.size(); ++column) {
    column_of[leaves_[column]] = column;
    members[classes.of[column]].push_back(column);
  }
  std::vector<std::uint16_t> hops;
  std::vector<Neighbour> around;
  for (std::uint32_t node = 0; node < switches(); ++node) {
    around.assign(neighbours_of(node).begin(), neighbours_of(node).end());
    std::erase_if(around, [this](const Neighbour& other) { return links_[other.link] == LinkState::kDown; });
    if (column_of[node] != kNone) {
      hops.clear();
      std::ranges::transform(around, std::back_inserter(hops), &Neighbour::port);
      const std::uint16_t any = index.of(hops);
      for (const std::uint32_t column : members[classes.of[column_of[node]]]) {
        table.row(node)[column] = column == column_of[node] ? std::uint16_t{0} : any;
      }
    }
    std::ranges::stable_sort(around, {}, &Neighbour::node);  // ports of each stay in order
    for (std::size_t i = 0; i < around.size();) {
      const std::uint32_t leaf = around[i].node;
      hops.clear();
      for (; i < around.size() && around[i].node == leaf; ++i) {
        hops.push_back(around[i].port);
      }
      if (column_of[leaf] != kNone) {
        table.row(node)[column_of[leaf]] = index.of(hops);
      }
    }
  }
}

/// Breadth first from the leaf: when a switch is taken from the queue, all that are one hop nearer are known.
void Routes::route_to(std::uint32_t leaf, std::uint32_t column, Search& search, GroupIndex& index, Table& table) const {
  search.distance.assign(switches(), kNone);
  search.queue.clear();
  search.distance[leaf] = 0;
  search.queue.push_back(leaf);
  for (std::size_t head = 0; head < search.queue.size(); ++head) {
    const std::uint32_t node = search.queue[head];
    const std::uint32_t distance = search.distance[node];
    search.hops.clear();
    for (std::uint32_t i = first_neighbour_[node]; i < first_neighbour_[node + 1]; ++i) {
      const Neighbour& neighbour = neighbours_[i];
      if (links_[neighbour.link] == LinkState::kDown) {
        continue;
      }
      std::uint32_t& other = search.distance[neighbour.node];
      if (other == kNone) {
        other = distance + 1;
        search.queue.push_back(neighbour.node);
      } else if (other + 1 == distance) {
        search.hops.push_back(neighbour.port);
      }
    }
    std::uint16_t* const entry = table.row(node) + column;
    // Neighbouring leaves are mostly reached alike.
    *entry = column > 0 && index.is(entry[-1], search.hops) ? entry[-1] : index.of(search.hops);
  }
}

void Routes::route_in_order(std::uint16_t column, GroupIndex& index, Table& table) const {
  order_->route_to(
      leaves_[column], [&](std::uint32_t link) { return links_[link] == LinkState::kUp; },
      [&](std::uint32_t node, const std::vector<std::uint16_t>& hops) { table.row(node)[column] = index.of(hops); });
}

void Routes::share_rows(const std::vector<std::uint16_t>& table) {
  rows_.clear();
  row_start_.assign(switches(), 0);
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;  // lookup only
  for (std::uint32_t node = 0; node < switches(); ++node) {
    const auto row = table.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * columns());
    std::uint64_t key = 0;
    for (std::uint32_t column = 0; column < columns(); ++column) {
      key = mix(key, row[column]);
    }
    const auto [begin, end] = known.equal_range(key);
    const auto same = std::find_if(
        begin, end, [&](const auto& entry) { return std::equal(row, row + columns(), rows_.begin() + entry.second); });
    if (same != end) {
      row_start_[node] = same->second;
      continue;
    }
    WEFT_ASSERT(rows_.size() + columns() <= kNone);
    row_start_[node] = static_cast<std::uint32_t>(rows_.size());
    known.emplace(key, row_start_[node]);
    rows_.insert(rows_.end(), row, row + columns());
  }
}

// Every switch has a row to itself, as entries of one no longer follow from those of others.
void Routes::separate_rows() {
  std::vector<std::uint16_t> rows;
  rows.reserve(std::size_t{switches()} * columns());
  for (std::uint32_t node = 0; node < switches(); ++node) {
    const auto row = rows_.begin() + row_start_[node];
    WEFT_ASSERT(rows.size() + columns() <= kNone);
    row_start_[node] = static_cast<std::uint32_t>(rows.size());
    rows.insert(rows.end(), row, row + columns());
  }
  rows_ = std::move(rows);
}

// Sets that no entry has any more make room.
void Routes::drop_unused_groups() {
  const std::vector<Group> old = std::move(groups_);
  const std::vector<std::uint16_t> old_ports = std::move(ports_);
  groups_.assign(1, Group{});
  ports_.resize(port_limit_);
  std::iota(ports_.begin(), ports_.end(), std::uint16_t{0});
  installed_.emplace();
  GroupIndex index(groups_, ports_, *installed_);
  std::vector<std::uint16_t> moved_to(old.size(), 0);
  for (std::uint16_t& entry : rows_) {
    const Group& group = old[entry];
    if (entry != 0 && moved_to[entry] == 0) {
      const auto first = old_ports.begin() + group.first;
      moved_to[entry] = index.of({first, first + group.count});
    }
    entry = moved_to[entry];
  }
}

void Routes::install(const Entry& entry, std::span<const std::uint16_t> hops) {
  WEFT_DCHECK(std::ranges::is_sorted(hops) && entry.switch_ordinal < switches());
  if (!installed_) {
    separate_rows();
    drop_unused_groups();
  } else if (groups_.size() == std::numeric_limits<std::uint16_t>::max()) {
    drop_unused_groups();
  }
  const auto column = std::ranges::lower_bound(leaves_, entry.leaf);
  WEFT_ASSERT(column != leaves_.end() && *column == entry.leaf);
  rows_[row_start_[entry.switch_ordinal] + static_cast<std::uint32_t>(column - leaves_.begin())] =
      GroupIndex(groups_, ports_, *installed_).of({hops.begin(), hops.end()});
}

std::size_t Routes::heap_bytes() const {
  const auto bytes = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
  return bytes(attachments_) + bytes(row_start_) + bytes(rows_) + bytes(groups_) + bytes(ports_) +
         bytes(first_neighbour_) + bytes(neighbours_) + bytes(links_) + bytes(leaves_) + bytes(wired_) +
         bytes(endpoint_link_) + bytes(stand_in_) + bytes(planes_) + (order_ ? order_->heap_bytes() : 0);
}

}  // namespace weft::fabric
