#include "study/plan/design_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/parse_quantity.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::plan {
namespace {

struct KnownDevice {
  Device device;
  bool specified = true;  // ports and rate
};

KnownDevice device_of(const scenario::CatalogueEntry& entry) {
  KnownDevice made{.device = {.name = entry.name, .ports = 0, .rate = {}}};
  for (const scenario::CatalogueValue& value : entry.values) {
    const std::string path = path_of(value.given.at);
    if (path == entry.kind + ".ports") {
      const auto* const count = std::get_if<std::int64_t>(&value.given.value.content);
      made.device.ports = count != nullptr ? *count : 0;
    } else if (path == entry.kind + ".port_rate") {
      const auto* const text = std::get_if<std::string>(&value.given.value.content);
      const Result<Rate> rate = text != nullptr ? parse_rate(*text) : fail("no rate");
      made.device.rate = rate ? *rate : Rate::zero();
    } else {
      continue;
    }
    made.specified = made.specified && value.mark == scenario::Mark::kSpecified;
  }
  return made;
}

Result<std::vector<Device>> devices_of(std::string_view kind, const std::vector<std::string>& named,
                                       scenario::Family family, const scenario::Catalogue& catalogue) {
  std::vector<Device> made;
  for (const std::string& name : named) {
    auto entry = catalogue.find(kind, name);
    if (!entry) {
      return pass_on(entry);
    }
  }
  for (const scenario::CatalogueEntry& entry : catalogue.entries()) {
    if (entry.kind != kind || !entry.serves(family)) {
      continue;
    }
    const KnownDevice known = device_of(entry);
    const bool wanted = named.empty() ? known.specified : std::ranges::count(named, entry.name) > 0;
    if (wanted && known.device.ports > 0 && known.device.rate > Rate::zero()) {
      made.push_back(known.device);
    }
  }
  return made;
}

Result<scenario::Family> family_of(const compare::FabricChoice& network) {
  constexpr std::string_view kFamily = "fabric.family=";
  for (const std::string& setting : network.settings) {
    if (setting.starts_with(kFamily)) {
      for (const scenario::FamilyTraits& traits : scenario::kFamilies) {
        if (traits.word == setting.substr(kFamily.size())) {
          return traits.family;
        }
      }
    }
  }
  return fail("--networks {}: has no family", network.name);
}

std::string comma_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

struct FoundDevices {
  const std::vector<Device>& switches;
  const std::vector<Device>& nics;
};

/// Why no switch and NIC go together for a network.
std::string no_devices(const std::string& network, const SpaceOptions& options, const FoundDevices& found) {
  for (const auto& [option, named, have] : {std::tuple("--switches", &options.switches, found.switches.size()),
                                            std::tuple("--nics", &options.nics, found.nics.size())}) {
    if (have == 0) {
      return named->empty() ? fmt::format("{}: the catalogue has nothing for it; name devices with {}", network, option)
                            : fmt::format("{}: {} {} does not serve it", network, option, comma_list(*named));
    }
  }
  return fmt::format("{}: no switch has ports as fast as those of a NIC, or up to twice as fast, whole or split",
                     network);
}

/// Pauses wait for each other around rings, and so do credits unless a torus has its own routing.
bool may_be_torus(const compare::FabricChoice& network) {
  return network.name == "infiniband" || network.name == "uet";
}

/// Port by port for the same NIC, or for one of half the rate; split, for NICs of exactly the rate that is left. Others
/// waste one of the two.
bool go_together(const Device& own, const Device& nic) {
  const std::int64_t rate = own.rate.bits_per_second();
  return own.breakout == 1 ? own.rate >= nic.rate && rate <= 2 * nic.rate.bits_per_second() : own.rate == nic.rate;
}

Rate slower(Rate a, Rate b) { return a < b ? a : b; }

class Enumerator {
 public:
  Enumerator(const SpaceOptions& options, const Cluster& cluster) : options_(options), cluster_(cluster) {
    if (options_.shapes.empty()) {
      options_.shapes.assign(kShapes.begin(), kShapes.end());
    }
    if (options_.oversubscriptions.empty()) {
      options_.oversubscriptions = {{.down = 1, .up = 1}, {.down = 2, .up = 1}, {.down = 4, .up = 1}};
    }
    if (options_.rails.empty()) {
      options_.rails = {cluster.gpus_per_host};
      if (cluster.gpus_per_host % 2 == 0) {
        options_.rails.push_back(cluster.gpus_per_host / 2);
      }
    }
    options_.planes = options_.planes.empty() ? std::vector<std::int64_t>{1, 2} : options_.planes;
    options_.tors = options_.tors.empty() ? std::vector<std::int64_t>{1} : options_.tors;
    options_.spares = options_.spares.empty() ? std::vector<std::int64_t>{0} : options_.spares;
    options_.domains = options_.domains.empty() ? std::vector<std::int64_t>{0} : options_.domains;
  }

  void add(const Design& devices) {
    for (const Shape shape : options_.shapes) {
      if (shape == Shape::kTorus && !may_be_torus(devices.network)) {
        ++space_.without_torus;
        continue;
      }
      Design design = devices;
      design.shape = shape;
      for (const std::int64_t rails : options_.rails) {
        design.rails = rails;
        add_ports(design);
      }
    }
  }

  DesignSpace take() { return std::move(space_); }

 private:
  /// Ports of a NIC in planes, or at leaves of one fabric.
  void add_ports(Design design) {
    for (const std::int64_t planes : options_.planes) {
      for (const std::int64_t tors : options_.tors) {
        design.planes = planes;
        design.tors = tors;
        const std::int64_t ports = ports_of_nic(design);
        const bool has_both = planes > 1 && tors > 1;
        if (!has_both && ports <= design.nic.ports && (ports == 1 || takes_ports(design.shape))) {
          add_sizes(design);
        } else {
          ++space_.beyond_ports;
        }
      }
    }
  }

  void add_sizes(Design design) {
    for (const std::int64_t spares : options_.spares) {
      design.spares = spares;
      design.hosts = cluster_.hosts() + spares;
      for (const scenario::Oversubscription& oversubscription : options_.oversubscriptions) {
        design.oversubscription = oversubscription;
        if (!wire(design)) {
          ++(one_switch_suffices(design) ? space_.one_switch : space_.beyond_capacity);
          continue;
        }
        const bool is_first = oversubscription == options_.oversubscriptions.front();
        if ((has_leaves_only(design) && !is_first) || is_leaf_spine_again(design)) {
          continue;  // nothing that could be oversubscribed, or another shape's: the same design again
        }
        for (const std::int64_t domain : options_.domains) {
          design.domain = domain;
          space_.designs.push_back(design);
        }
      }
    }
  }

  /// A tree of two tiers, of which the leaf-spine has no more switches and cables.
  [[nodiscard]] bool is_leaf_spine_again(const Design& design) const {
    if (design.shape != Shape::kFatTree || design.tree.tiers != 2 || has_leaves_only(design) ||
        std::ranges::count(options_.shapes, Shape::kLeafSpine) == 0) {
      return false;
    }
    Design other = design;
    other.shape = Shape::kLeafSpine;
    return wire(other) && other.wiring.leaves + other.wiring.spines <= design.tree.switches &&
           other.wiring.leaves * other.wiring.uplinks <= design.tree.cables;
  }

  SpaceOptions options_;
  Cluster cluster_;
  DesignSpace space_;
};

}  // namespace

bool one_switch_suffices(const Design& design) {
  // Planes of a switch each are built as trees of one leaf.
  const bool has_switches_above = design.shape == Shape::kLeafSpine ||
                                  (design.shape == Shape::kRailOptimised && design.rails == 1) ||
                                  (design.shape == Shape::kFatTree && design.planes == 1);
  return has_switches_above && design.tors == 1 && design.hosts * design.rails <= design.switch_.ports;
}

bool wire(Design& design) {
  design.wiring = {};
  design.tree = {};
  design.groups = 0;
  design.global_links = 0;
  design.sizes.clear();
  const bool rails = design.shape == Shape::kRailOptimised;
  const WiringRequest request{.hosts = design.hosts,
                              .ports_of_host = rails ? 1 : design.rails,
                              .leaves_of_hosts = (rails ? design.rails : 1) * design.tors,
                              .radix = design.switch_.ports,
                              .host_rate = slower(design.nic.rate, design.switch_.rate),
                              .uplink_rate = design.switch_.rate,
                              .oversubscription = design.oversubscription};
  switch (design.shape) {
    case Shape::kSingleSwitch:
      return design.hosts * design.rails <= design.switch_.ports;
    case Shape::kLeafSpine:
    case Shape::kRailOptimised: {
      const std::optional<Wiring> made = two_tiers(request);
      design.wiring = made.value_or(Wiring{});
      // One leaf is a switch, which has a shape of its own.
      return made.has_value() && made->uplinks > 0;
    }
    case Shape::kDragonflyPlus: {
      const std::optional<GroupWiring> made = dragonfly_groups(request);
      if (made) {
        design.wiring = made->group;
        design.groups = made->groups;
        design.global_links = made->global_links;
      }
      return made.has_value();
    }
    case Shape::kTorus: {
      const std::optional<RingWiring> made = torus_rings(request);
      if (made) {
        design.wiring = {.hosts_per_leaf = made->hosts_per_switch, .parallel_links = made->parallel_links};
        design.sizes = made->sizes;
      }
      return made.has_value();
    }
    case Shape::kFatTree:
      break;
  }
  // One rate in all tiers: halves of a switch of the middle tier are as many ports up as down.
  const bool may_be = design.nic.rate == design.switch_.rate && !one_switch_suffices(design);
  const std::optional<TreeWiring> tree = may_be ? fat_tree({.hosts = design.hosts,
                                                            .ports = design.switch_.ports,
                                                            .ports_of_host = design.rails,
                                                            .leaves_of_rack = design.tors,
                                                            .oversubscription = design.oversubscription})
                                                : std::nullopt;
  design.tree = tree.value_or(TreeWiring{});
  return tree.has_value();
}

std::vector<std::string> usual_networks() { return {"infiniband", "infiniband-ar", "rocev2", "rocev2-spray", "uet"}; }

Result<DesignSpace> design_space(const SpaceOptions& options, const Cluster& cluster,
                                 const scenario::Catalogue& catalogue) {
  const std::vector<std::string> names = options.networks.empty() ? usual_networks() : options.networks;
  const auto networks = compare::choose_fabrics(names, {}, catalogue);
  if (!networks) {
    return fail("--networks: {}", networks.error().message);
  }
  Enumerator enumerator(options, cluster);
  const std::vector<std::int64_t> breakouts =
      options.breakouts.empty() ? std::vector<std::int64_t>{1, 2} : options.breakouts;
  std::vector<std::string> without_devices;
  for (const compare::FabricChoice& network : *networks) {
    Result<scenario::Family> family = family_of(network);
    if (!family) {
      return pass_on(family);
    }
    const auto switches = devices_of("switch", options.switches, *family, catalogue);
    const auto nics = devices_of("nic", options.nics, *family, catalogue);
    if (!switches || !nics) {
      return fail("{}: {}", switches ? "--nics" : "--switches", (switches ? nics : switches).error().message);
    }
    std::size_t pairs = 0;
    for (const Device& nic : *nics) {
      if (options.nics.empty() && nic.rate < options.least_rate) {
        continue;
      }
      for (const Device& whole : *switches) {
        for (const std::int64_t breakout : breakouts) {
          const Device own{
              .name = whole.name, .ports = whole.ports * breakout, .rate = whole.rate / breakout, .breakout = breakout};
          if (go_together(own, nic)) {
            ++pairs;
            enumerator.add({.network = network, .switch_ = own, .nic = nic});
          }
        }
      }
    }
    if (pairs == 0) {
      without_devices.push_back(no_devices(network.name, options, {.switches = *switches, .nics = *nics}));
    }
  }
  DesignSpace space = enumerator.take();
  space.without_devices = std::move(without_devices);
  if (space.designs.size() > kMostDesigns) {
    return fail("{} designs are more than {}: name fewer networks, switches, NICs or shapes", space.designs.size(),
                kMostDesigns);
  }
  return space;
}

}  // namespace weft::study::plan
