#include "study/scenario/scenario_derive.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/format_quantity.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {
namespace {

void note(Scenario& scenario, const std::string& path, std::string_view how) {
  scenario.sources[path] = {.origin = Origin::kDerived, .text = fmt::format("derived: {}", how)};
}

Origin origin_of(const Scenario& scenario, const std::string& path) { return scenario.sources.at(path).origin; }

Rate slowest_port(const DeviceSettings& devices, LinkTier tier) {
  return tier == LinkTier::kHost ? std::min(devices.nic.port_rate, devices.switch_.port_rate)
                                 : devices.switch_.port_rate;
}

void derive_links(Scenario& scenario) {
  auto& devices = scenario.devices;
  const auto& tiers = find_section("link")->group;
  for (std::size_t tier = 0; tier < kLinkTiers; ++tier) {
    auto& link = devices.links[tier];
    const auto path = fmt::format("link.{}.", tiers[tier]);
    if (origin_of(scenario, path + "rate") == Origin::kDefault) {
      const bool host = tier == static_cast<std::size_t>(LinkTier::kHost);
      link.rate = slowest_port(devices, static_cast<LinkTier>(tier));
      note(scenario, path + "rate", host ? "the slower of nic.port_rate and switch.port_rate" : "switch.port_rate");
    }
    // A length from a stronger layer than the propagation's replaces it.
    const auto given = origin_of(scenario, path + "propagation");
    if (given == Origin::kDefault || given < origin_of(scenario, path + "length")) {
      link.propagation = propagation_of(link.length);
      note(scenario, path + "propagation", fmt::format("5 ns/m over {}", to_string(link.length)));
    }
  }
}

// An acknowledgement for each packet takes a turn of a busy egress port as often as a packet does, and is needed only
// where gaps are counted (docs/decisions/0029).
void derive_acknowledgements(Scenario& scenario) {
  constexpr std::int64_t kPerAcknowledgement = 8;
  TransportSettings& transport = scenario.transport;
  if (origin_of(scenario, "transport.ack_interval") != Origin::kDefault || !transport.out_of_order_placement ||
      transport.loss_recovery != LossRecoveryKind::kSelectiveRepeat ||
      transport.loss_detection == LossDetectionKind::kCount || reads_acknowledgements(scenario.congestion.algorithm)) {
    return;
  }
  transport.ack_interval = kPerAcknowledgement;
  note(scenario, "transport.ack_interval", "packets are placed in any order");
}

void derive_entries(Scenario& scenario) {
  if (scenario.hardware != Hardware::kEqual) {
    return;
  }
  auto& fabric = scenario.fabric;
  fabric.switch_entry = fabric.nic_entry = fabric.link_entry = fabric.cabling_entry = "equal";
  for (const auto* path : {"fabric.switch", "fabric.nic", "fabric.link", "fabric.cabling"}) {
    note(scenario, path, "hardware = \"equal\"");
  }
}

void derive_failure(Scenario& scenario, std::size_t index) {
  FailureSettings& failure = scenario.failures[index];
  const std::string path = fmt::format("failure[{}].", index);
  if (failure.name.empty()) {
    failure.name = fmt::format("failure{}", index);
    note(scenario, path + "name", "its number");
  }
  for (const std::string_view filled : fill_in(failure, scenario.failure_rates)) {
    note(scenario, path + std::string(filled), "failures");
  }
}

void derive_file(Scenario& scenario, std::string& file, const std::string& path) {
  // The built-in distributions have names without a folder or suffix.
  if (file.empty() || (path.ends_with(".cdf") && file.find_first_of("./") == std::string::npos)) {
    return;
  }
  const auto folder = std::filesystem::path(scenario.file).parent_path();
  file = (folder / file).lexically_normal().string();
}

}  // namespace

void derive(DeviceOverride& override, DeviceSettings& settings, const std::set<std::string>& paths,
            const Scenario& scenario) {
  const auto& tiers = find_section("link")->group;
  for (std::size_t tier = 0; tier < kLinkTiers; ++tier) {
    auto& link = settings.links[tier];
    const auto path = fmt::format("link.{}.", tiers[tier]);
    const auto add = [&](std::string_view key, const std::string& text) {
      override.assignments.push_back({.path = path + std::string(key), .text = text, .place = override.place});
    };
    if (paths.contains(path + "length") && !paths.contains(path + "propagation")) {
      link.propagation = propagation_of(link.length);
      add("propagation", to_string(link.propagation));
    }
    const auto slowest = slowest_port(settings, static_cast<LinkTier>(tier));
    if (rate_follows_ports(scenario, static_cast<LinkTier>(tier)) && !paths.contains(path + "rate") &&
        slowest < link.rate) {
      link.rate = slowest;
      add("rate", to_string(link.rate));
    }
  }
}

bool rate_follows_ports(const Scenario& scenario, LinkTier tier) {
  const auto& tiers = find_section("link")->group;
  return origin_of(scenario, fmt::format("link.{}.rate", tiers[static_cast<std::size_t>(tier)])) == Origin::kDerived;
}

std::string profile_of(const Scenario& scenario) {
  const CongestionSettings& congestion = scenario.congestion;
  const bool of_catalogue = scenario.sources.at("congestion_control.profile").origin == Origin::kCatalogue;
  return congestion.profile.empty() || (of_catalogue && reads_acknowledgements(congestion.algorithm))
             ? std::string(entry_of(congestion.algorithm).default_profile)
             : congestion.profile;
}

void derive(Scenario& scenario) {
  if (scenario.name.empty()) {
    scenario.name = std::filesystem::path(scenario.file).stem().string();
    note(scenario, "name", "name of the file");
  }
  derive_entries(scenario);
  derive_links(scenario);
  if (!entry_of(scenario.congestion.algorithm).section.empty() && profile_of(scenario) != scenario.congestion.profile) {
    scenario.congestion.profile = profile_of(scenario);
    note(scenario, "congestion_control.profile", "the algorithm's usual one");
  }
  derive_acknowledgements(scenario);
  derive_file(scenario, scenario.topology.file, "topology.file");
  derive_file(scenario, scenario.routing.tables, "routing.tables");
  derive_file(scenario, scenario.keys.partition_file, "keys.partition_file");
  derive_jobs(scenario);
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    derive_failure(scenario, i);
  }
  for (std::size_t i = 0; i < scenario.attacks.size(); ++i) {
    if (scenario.attacks[i].name.empty()) {
      scenario.attacks[i].name = fmt::format("attack{}", i);
      note(scenario, fmt::format("attack[{}].name", i), "its number");
    }
  }
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    auto& traffic = scenario.traffic[i];
    const auto path = fmt::format("traffic[{}]", i);
    if (traffic.name.empty()) {
      traffic.name = fmt::format("traffic{}", i);
      note(scenario, path + ".name", "its number");
    }
    derive_file(scenario, traffic.file, path + ".file");
    derive_file(scenario, traffic.cdf, path + ".cdf");
  }
  derive_security(scenario);
}

}  // namespace weft::study::scenario
