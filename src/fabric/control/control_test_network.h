// For tests: a control plane over cables that take a constant time and lose nothing unless they are cut; no packets, no
// queues. What a switch has written is kept as its next hops.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/control/control_plane.h"
#include "fabric/routing/routes.h"

namespace weft::fabric::control_test {

inline constexpr Duration kCableDelay = Duration::microseconds(1);

class Network final : public ControlNetwork {
 public:
  Network(Graph made, const ControlOptions& options, std::vector<LinkEvent> events = {}, std::uint64_t seed = 1)
      : graph(std::move(made)),
        is_cut(graph.links.size(), false),
        entries(graph.switches(), std::vector<std::vector<std::uint16_t>>(graph.switches())),
        wake_at_(graph.switches(), Time::never()) {
    ControlPlane::Context context{.seed = seed, .name_hash = {}, .events = events};
    for (std::uint32_t i = 0; i < graph.switches(); ++i) {
      context.name_hash.push_back(stable_hash(seed, graph.nodes[graph.endpoints + i].name));
    }
    auto created = ControlPlane::create(graph, options, std::move(context));
    WEFT_ASSERT(created.has_value());
    plane = std::move(*created);
    for (const LinkEvent& event : events) {
      at(event.at, [this, event] { set_cable(event.link, event.kind == LinkEvent::Kind::kFail); });
    }
    plane->start(*this);
  }

  void send(SwitchPort from, ControlFrame&& frame, Time when) override {
    ++frames;
    const auto [link, to] = other_end(from);
    if (is_cut[link]) {
      return;
    }
    const std::uint64_t life = lives_[link];
    at(when + kCableDelay, [this, link = link, to = to, life, frame = std::move(frame)] {
      if (!is_cut[link] && lives_[link] == life) {
        plane->on_frame(to, frame, now);
      }
    });
  }
  void write_entry(std::uint32_t node, std::uint32_t leaf, std::span<const std::uint16_t> ports) override {
    entries[node][leaf].assign(ports.begin(), ports.end());
    last_write = now;
  }
  void wake(std::uint32_t node, Time when) override {
    if (when < wake_at_[node]) {
      wake_at_[node] = when;
      at(when, [this, node, when] {
        if (wake_at_[node] == when) {
          wake_at_[node] = Time::never();
          plane->on_timer(node, when);
        }
      });
    }
  }

  void run(Time until) {
    while (!events_.empty() && events_.begin()->first.first <= until) {
      now = events_.begin()->first.first;
      const std::function<void()> run_one = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      run_one();
    }
    now = until;
  }
  void set_cable(LinkIndex link, bool cut) {
    is_cut[link.value()] = cut;
    ++lives_[link.value()];
    plane->on_cable(link, cut ? ReachMonitor::Cable::kDown : ReachMonitor::Cable::kUp, now);
  }

  /// Whose entries. Where AS numbers are those of a Clos, switches above leaves have no routes that go down and up
  /// again.
  enum class Of : std::uint8_t { kAll, kLeaves };
  /// Empty if they have the next hops of all shortest paths over the cables that are not cut; otherwise the first that
  /// has not.
  [[nodiscard]] std::string compare_with_shortest_paths(Of of = Of::kAll) const {
    Routes routes(graph);
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
      routes.set_link(LinkIndex(link), is_cut[link] ? LinkState::kDown : LinkState::kUp);
    }
    routes.recompute();
    for (std::uint32_t endpoint = 0; endpoint < graph.endpoints; ++endpoint) {
      const std::uint32_t leaf = routes.leaf_of(EndpointId(endpoint));
      for (std::uint32_t node = 0; node < graph.switches(); ++node) {
        if (of == Of::kLeaves && plane->plan().prefix_of[node] == kNoPrefix) {
          continue;
        }
        const NextHops want = routes.next_hops(node, EndpointId(endpoint));
        const std::vector<std::uint16_t>& have = entries[node][leaf];
        if (node != leaf && !std::equal(want.begin(), want.end(), have.begin(), have.end())) {
          return graph.nodes[graph.endpoints + node].name + " to " + graph.nodes[graph.endpoints + leaf].name + ": " +
                 std::to_string(have.size()) + " next hops, shortest paths have " + std::to_string(want.size());
        }
      }
    }
    return {};
  }

  Graph graph;
  std::unique_ptr<ControlPlane> plane;
  std::vector<bool> is_cut;                                      // per link
  std::vector<std::vector<std::vector<std::uint16_t>>> entries;  // by switch and leaf
  Time now = Time::zero();
  Time last_write = Time::zero();
  std::uint64_t frames = 0;

 private:
  void at(Time when, std::function<void()> what) { events_.emplace(std::pair(when, ++count_), std::move(what)); }
  [[nodiscard]] std::pair<std::uint32_t, SwitchPort> other_end(SwitchPort from) const {
    const LinkEnd own{.node = NodeIndex(graph.endpoints + from.switch_ordinal), .port = from.port};
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
      for (const auto& [near, far] :
           {std::pair(graph.links[link].a, graph.links[link].b), std::pair(graph.links[link].b, graph.links[link].a)}) {
        if (near == own) {
          return {link, {.switch_ordinal = far.node.value() - graph.endpoints, .port = far.port}};
        }
      }
    }
    WEFT_ASSERT(false);
    return {};
  }

  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t count_ = 0;
  std::vector<Time> wake_at_;
  std::map<std::uint32_t, std::uint64_t> lives_;  // per link: how often it has failed or come back
};

/// The link between two nodes by name; the first of several.
inline LinkIndex link_between(const Graph& graph, const std::string& a, const std::string& b) {
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const std::string& x = graph[graph.links[i].a.node].name;
    const std::string& y = graph[graph.links[i].b.node].name;
    if ((x == a && y == b) || (x == b && y == a)) {
      return LinkIndex(i);
    }
  }
  WEFT_ASSERT(false);
  return {};
}

}  // namespace weft::fabric::control_test
