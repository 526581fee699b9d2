#include "study/scenario/key_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/key_table_parts.h"

namespace weft::study::scenario {
namespace {

constexpr std::array<std::string_view, kLinkTiers> kTierNames = {"host", "leaf", "spine"};
constexpr std::array<std::string_view, 8> kPriorityNames = {"0", "1", "2", "3", "4", "5", "6", "7"};
constexpr std::array<std::string_view, 15> kVlNames = {"0", "1", "2",  "3",  "4",  "5",  "6", "7",
                                                       "8", "9", "10", "11", "12", "13", "14"};

template <auto Member>
void* part_of_scenario(const Target& target, std::size_t) {
  return &(target.scenario->*Member);
}

template <auto Member>
void* part_of_devices(const Target& target, std::size_t) {
  return &(target.devices->*Member);
}

template <auto Member>
void* element_of(const Target& target, std::size_t index) {
  return &(target.scenario->*Member)[index];
}

template <auto Member>
Section list_section(Section section) {
  section.shape = SectionShape::kList;
  section.settings = &element_of<Member>;
  section.resize = [](Scenario& scenario, std::size_t elements) { (scenario.*Member).resize(elements); };
  section.size = [](const Scenario& scenario) { return (scenario.*Member).size(); };
  return section;
}

template <auto Member>
Section table(std::string_view path, std::string_view about, std::span<const Key> keys) {
  return {.path = path, .about = about, .keys = keys, .settings = &part_of_scenario<Member>};
}

template <auto Member>
Section device_table(std::string_view path, std::string_view about, std::span<const Key> keys) {
  return {.path = path, .about = about, .keys = keys, .settings = &part_of_devices<Member>, .of_devices = true};
}

template <auto Member>
Section ethernet_table(std::string_view path, std::string_view about, std::span<const Key> keys) {
  return {.path = path,
          .about = about,
          .keys = keys,
          .settings = [](const Target& target, std::size_t) -> void* { return &(target.devices->ethernet.*Member); },
          .of_devices = true};
}

Section run_section() {
  return {.path = "",
          .about = "Before the first table.",
          .keys = key_tables::run_keys(),
          .settings = [](const Target& target, std::size_t) -> void* { return target.scenario; }};
}

Section topology_section() {
  auto section =
      table<&Scenario::topology>("topology", "Topology, and NICs and GPUs of a host.", key_tables::topology_keys());
  section.selecting_key = "kind";
  return section;
}

Section link_section() {
  return {.path = "link",
          .about = "Cables: host to leaf, leaf to spine, spine to core.",
          .keys = key_tables::link_keys(),
          .settings = [](const Target& target, std::size_t index) -> void* { return &target.devices->links[index]; },
          .shape = SectionShape::kGroup,
          .group = kTierNames,
          .of_devices = true};
}

Section priority_section() {
  return {.path = "ethernet.priority",
          .about = "The eight priorities of every port.",
          .keys = key_tables::priority_keys(),
          .settings = [](const Target& target, std::size_t index) -> void* {
            return &target.devices->ethernet.priorities[index];
          },
          .shape = SectionShape::kGroup,
          .group = kPriorityNames,
          .of_devices = true};
}

Section vl_section() {
  return {.path = "infiniband.vl",
          .about = "The data VLs of every port: their weights, where `vl_arbitration_high` and `_low` list none.",
          .keys = key_tables::vl_keys(),
          .settings = [](const Target& target, std::size_t index) -> void* {
            return &target.devices->infiniband.vl[index];
          },
          .shape = SectionShape::kGroup,
          .group = kVlNames,
          .of_devices = true};
}

Section routing_section() {
  auto section = table<&Scenario::routing>("routing", "Routing and load balancing.", key_tables::routing_keys());
  section.selecting_key = "policy";
  return section;
}

Section control_section() {
  auto section =
      table<&Scenario::control>("control", "Who decides on routes after failures.", key_tables::control_keys());
  section.selecting_key = "kind";
  return section;
}

Section congestion_section() {
  auto section =
      table<&Scenario::congestion>("congestion_control", "Congestion control.", key_tables::congestion_keys());
  section.selecting_key = "algorithm";
  return section;
}

Section scale_up_section() {
  auto section = table<&Scenario::scale_up>(
      "scale_up", "Scale-up links between GPUs (load/store), separate from the fabric.", key_tables::scale_up_keys());
  section.selecting_key = "kind";
  return section;
}

/// One for each congestion control that has parameters.
std::vector<Section> parameter_sections() {
  std::vector<Section> sections;
  for (const CongestionEntry& entry : congestion_table()) {
    if (!entry.section.empty()) {
      sections.push_back(
          {.path = entry.section, .about = entry.about, .keys = entry.keys(), .settings = entry.settings});
    }
  }
  return sections;
}

Section cabling_section() {
  return {.path = "cabling",
          .about = "Cable parts by link rate: the next sufficient one. Used only for the bill of materials.",
          .keys = key_tables::cabling_keys(),
          .settings = [](const Target& target, std::size_t index) -> void* { return &target.scenario->cabling[index]; },
          .shape = SectionShape::kGroup,
          .group = kCablingNames};
}

using Sections = std::vector<Section>;

/// Those of congestion controls come after their choice.
Sections with_parameters(Sections all) {
  const auto control = std::ranges::find(all, "congestion_control", &Section::path);
  const Sections parameters = parameter_sections();
  all.insert(control + 1, parameters.begin(), parameters.end());
  return all;
}

Sections make_sections() {
  using namespace key_tables;
  Sections all = {
      run_section(),
      table<&Scenario::fabric>("fabric", "Family, and entries of the catalogue.", fabric_keys()),
      topology_section(),
      device_table<&DeviceSettings::switch_>("switch", "Every switch.", switch_keys()),
      link_section(),
      device_table<&DeviceSettings::nic>("nic", "Every NIC.", nic_keys()),
      device_table<&DeviceSettings::host>("host", "Hosts: the path between programs and NICs.", host_keys()),
      device_table<&DeviceSettings::sockets>("sockets", "Sockets of the kernel, of every host.", socket_keys()),
      scale_up_section(),
      device_table<&DeviceSettings::ethernet>("ethernet", "Ports of Ethernet.", ethernet_keys()),
      priority_section(),
      ethernet_table<&EthernetSettings::trimming>("ethernet.trimming", "Packet trimming in switches.", trimming_keys()),
      ethernet_table<&EthernetSettings::llr>("ethernet.llr", "Link layer retry.", llr_keys()),
      ethernet_table<&EthernetSettings::cbfc>("ethernet.cbfc", "Credits of Ethernet, for priorities that have them.",
                                              cbfc_keys()),
      device_table<&DeviceSettings::infiniband>("infiniband", "Ports of InfiniBand.", infiniband_keys()),
      vl_section(),
      table<&Scenario::qos>("qos", "Traffic class of each kind of packet.", qos_keys()),
      routing_section(),
      table<&Scenario::transport>("transport", "Reliable connections.", transport_keys()),
      congestion_section(),
      control_section(),
      table<&Scenario::subnet>("subnet", "The manager of an InfiniBand subnet.", subnet_keys()),
      table<&Scenario::reduction>("reduction", "In-network reduction.", reduction_keys()),
      table<&Scenario::tcp>("tcp", "Connections of kernel TCP, and those under iWARP.", tcp_keys()),
      table<&Scenario::iwarp>("iwarp", "RDMA over TCP.", iwarp_keys()),
      table<&Scenario::uet>("uet", "Ultra Ethernet: packet delivery contexts and their paths.", uet_keys()),
      table<&Scenario::security>("security", "Protection of the data path: encryption, firewalls, management.",
                                 security_keys()),
      table<&Scenario::collectives>("collectives", "How collectives are carried out, and what their software costs.",
                                    collective_keys()),
      cabling_section(),
      table<&Scenario::gpu>("gpu", "Price and power of GPUs. Used only for what the cluster costs.", gpu_keys()),
      table<&Scenario::cost>("cost", "Running costs, and equipment already owned.", cost_keys()),
      table<&Scenario::output>("output", "What is recorded.", output_keys()),
      table<&Scenario::flow>("flow", "The flow level: how its error is measured.", flow_keys()),
      list_section<&Scenario::traffic>({.path = "traffic",
                                        .about = "Traffic; any number of tables.",
                                        .keys = traffic_keys(),
                                        .selecting_key = "kind"}),
      list_section<&Scenario::jobs>({.path = "job",
                                     .about = "Ranks on GPUs, for traffic that names a job, or with a workload that "
                                              "they run step by step.",
                                     .keys = job_keys(),
                                     .selecting_key = "workload"}),
      list_section<&Scenario::events>(
          {.path = "event", .about = "Link failures and recoveries.", .keys = event_keys(), .selecting_key = "action"}),
      list_section<&Scenario::failures>({.path = "failure",
                                         .about = "Failures of components, at a time or drawn from a rate.",
                                         .keys = failure_keys(),
                                         .selecting_key = "kind"}),
      list_section<&Scenario::attacks>({.path = "attack",
                                        .about = "Attacks from one host on another, in a run packet by packet.",
                                        .keys = attack_keys(),
                                        .selecting_key = "kind"}),
      table<&Scenario::keys>("keys", "What the network checks against attacks: partitions, keys, addresses.",
                             key_keys()),
      table<&Scenario::failure_rates>("failures", "How often components fail, and what such a failure is like.",
                                      failure_rate_keys()),
      table<&Scenario::library>("library", "What the communication library of jobs waits for before it gives up.",
                                library_keys()),
      table<&Scenario::checkpoint>("checkpoint", "Checkpoints of jobs, and their restart. Used by `weft failures`.",
                                   checkpoint_keys()),
  };
  return with_parameters(std::move(all));
}

}  // namespace

std::span<const Section> sections() {
  static const Sections kSections = make_sections();
  return kSections;
}

const Section* find_section(std::string_view path) {
  const auto found = std::ranges::find(sections(), path, &Section::path);
  return found == sections().end() ? nullptr : &*found;
}

const Key* find_key(const Section& section, std::string_view name) {
  const auto found = std::ranges::find(section.keys, name, &Key::name);
  return found == section.keys.end() ? nullptr : &*found;
}

const Key* selecting_key_of(const Section& section, const Key& key) {
  return find_key(section, key.selecting.empty() ? section.selecting_key : key.selecting);
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const auto end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

std::string path_of(const KeyAt& at) {
  const auto& section = *at.section;
  if (section.path.empty()) {
    return std::string(at.key->name);
  }
  if (!at.index) {
    return fmt::format("{}.{}", section.path, at.key->name);
  }
  if (section.shape == SectionShape::kList) {
    return fmt::format("{}[{}].{}", section.path, *at.index, at.key->name);
  }
  WEFT_ASSERT(section.shape == SectionShape::kGroup);
  return fmt::format("{}.{}.{}", section.path, section.group[*at.index], at.key->name);
}

std::string title_of(const Section& section) {
  if (section.path.empty()) {
    return "the top level";
  }
  return section.shape == SectionShape::kList ? fmt::format("[[{}]]", section.path) : fmt::format("[{}]", section.path);
}

}  // namespace weft::study::scenario
