// For tests: a manager brings a subnet up in simulated time, and what the agents then have.
#pragma once

#include <memory>
#include <string>

#include "base/assert.h"
#include "subnet/agent/managed_state.h"
#include "subnet/manager/timed_subnet.h"
#include "subnet/topology_file.h"

namespace weft::subnet {

inline Subnet parsed(const std::string& text) {
  Result<Subnet> subnet = parse_topology({.text = text, .name = "network"});
  WEFT_ASSERT(subnet.has_value());
  return *std::move(subnet);
}

/// A fat-tree of two tiers in the format of ibsim, numbered as mkfat does: each leaf has hosts, then a cable to each
/// spine.
inline std::string fat_tree_text(unsigned leaves, unsigned spines, unsigned hosts_per_leaf) {
  std::string text;
  const auto number = [](unsigned n) { return std::to_string(n); };
  for (unsigned host = 0; host < leaves * hosts_per_leaf; ++host) {
    text += "Hca 1 \"H" + number(host + 1) + "\"\n[1] \"Leaf" + number(host / hosts_per_leaf + 1) + "\"[" +
            number(host % hosts_per_leaf + 1) + "]\n\n";
  }
  for (unsigned leaf = 1; leaf <= leaves; ++leaf) {
    text += "Switch " + number(hosts_per_leaf + spines) + " \"Leaf" + number(leaf) + "\"\n";
    for (unsigned spine = 1; spine <= spines; ++spine) {
      text += "[" + number(hosts_per_leaf + spine) + "] \"Spine" + number(spine) + "\"[" + number(leaf) + "]\n";
    }
    text += "\n";
  }
  for (unsigned spine = 1; spine <= spines; ++spine) {
    text += "Switch " + number(leaves) + " \"Spine" + number(spine) + "\"\n\n";
  }
  return text;
}

/// A torus of two dimensions with a host at each switch: ports 1 host, 2 and 3 along the first dimension, 4 and 5 the
/// second.
inline std::string torus_text(unsigned width, unsigned height) {
  std::string text;
  const auto name = [&](unsigned x, unsigned y) { return std::to_string(y % height * width + x % width); };
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      text += "Hca 1 \"H" + name(x, y) + "\"\n[1] \"S" + name(x, y) + "\"[1]\n\n";
    }
  }
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      text += "Switch 5 \"S" + name(x, y) + "\"\n[2] \"S" + name(x + 1, y) + "\"[3]\n[4] \"S" + name(x, y + 1) +
              "\"[5]\n\n";
    }
  }
  return text;
}

/// A world with one manager, where a file says or at the first adapter, that has finished its first sweep.
struct Swept {
  explicit Swept(const Subnet& made, const ManagerOptions& options = {}, const MadTimes& times = {})
      : subnet(made), world(made, times) {
    const Result<PortPlace> at = manager_port(subnet);
    WEFT_ASSERT(at.has_value());
    world.add_manager(*at, options);
    world.start_manager(0, Time::zero());
    finish(1);
  }

  /// Runs until so many sweeps have ended.
  void finish(std::size_t sweeps) {
    world.run([&] { return manager().sweeps().size() >= sweeps; }, Time::zero() + Duration::seconds(3600));
    WEFT_ASSERT(manager().sweeps().size() >= sweeps);
  }
  [[nodiscard]] const SubnetManager& manager() const { return world.manager(0); }
  [[nodiscard]] const SweepReport& last() const { return manager().sweeps().back(); }
  [[nodiscard]] std::uint64_t asked(std::uint16_t attribute, std::uint8_t method) const {
    const auto count = last().requests.find({attribute, method});
    return count == last().requests.end() ? 0 : count->second;
  }
  [[nodiscard]] ManagedState state() const {
    Result<ManagedState> made = managed_state(subnet, world.served());
    WEFT_ASSERT(made.has_value());
    return *std::move(made);
  }

  Subnet subnet;
  TimedSubnet world;
};

}  // namespace weft::subnet
