#include "cli/serve_counters.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/int128.h"
#include "study/results/results_store.h"

namespace weft::cli {
namespace {

using study::results::PortRow;
using study::results::RunResults;
using subnet::PortPlace;

constexpr std::string_view kInfiniBand = "infiniband";
constexpr std::uint64_t kVcrcBytes = 2;
constexpr std::uint64_t kWordBytes = 4;
constexpr std::string_view kPort = "/port";
constexpr std::string_view kReducer = "/reducer/port";

/// "leaf0/port3" is the fourth port of leaf0, "host0/nic0" the only one of that adapter.
class PortLabels {
 public:
  explicit PortLabels(const subnet::Subnet& subnet) : subnet_(subnet) {
    for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
      nodes_[subnet.nodes[i].id] = subnet::NodeIndex(static_cast<std::uint32_t>(i));
    }
  }

  /// Whether the label is of a port of a reducer, which is a part of its switch and none of the subnet.
  [[nodiscard]] bool is_reducer(std::string_view label) const {
    const std::size_t at = label.rfind(kReducer);
    if (at == std::string_view::npos) {
      return false;
    }
    const auto node = nodes_.find(label.substr(0, at));
    return node != nodes_.end() && subnet_[node->second].type == subnet::NodeType::kSwitch;
  }

  [[nodiscard]] std::optional<PortPlace> find(std::string_view label) const {
    std::uint64_t number = 0;
    if (const std::size_t at = label.rfind(kPort); at != std::string_view::npos) {
      const std::string_view digits = label.substr(at + kPort.size());
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
      }
      label = label.substr(0, at);
    }
    const auto node = nodes_.find(label);
    if (node == nodes_.end() || subnet_[node->second].ports.size() < 2 ||
        number > subnet_[node->second].ports.size() - 2) {
      return std::nullopt;
    }
    return PortPlace{.node = node->second, .port = static_cast<subnet::PortNumber>(number + 1)};
  }

 private:
  const subnet::Subnet& subnet_;
  std::map<std::string, subnet::NodeIndex, std::less<>> nodes_;
};

std::uint64_t words(std::uint64_t bytes, std::uint64_t packets) {
  return (bytes - std::min(bytes, packets * kVcrcBytes)) / kWordBytes;
}

/// Words that the wire would have carried while lanes waited.
std::uint64_t wait_ticks(const PortRow& row) {
  constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
  constexpr std::int64_t kWordBits = 32;
  Duration held;
  for (const study::results::LaneRow& lane : row.lanes) {
    held += lane.held;
  }
  return static_cast<std::uint64_t>(Int128{held.picoseconds()} * row.rate.bits_per_second() /
                                    (Int128{kPicosecondsPerSecond} * kWordBits));
}

void add(const PortRow& row, wire::PortCounters& counted) {
  counted.xmit_data += words(row.tx_bytes, row.tx_packets);
  counted.receive_data += words(row.rx_bytes, row.rx_packets);
  counted.xmit_packets += row.tx_packets;
  counted.receive_packets += row.rx_packets;
  counted.xmit_discards += row.drops;
  counted.receive_errors += row.receive_errors;
  counted.xmit_wait += wait_ticks(row);
}

}  // namespace

Result<void> add_run_counters(const RunResults& run, const subnet::Subnet& subnet, subnet::ServedSubnet& served) {
  if (run.run.family != kInfiniBand) {
    return fail("the run is one of {}; a subnet has the counters of {}", run.run.family, kInfiniBand);
  }
  const PortLabels labels(subnet);
  for (const PortRow& row : run.ports) {
    if (labels.is_reducer(row.name) || labels.is_reducer(row.peer)) {
      continue;  // both ends of a link within a switch
    }
    const std::optional<PortPlace> at = labels.find(row.name);
    if (!at) {
      return fail("the run has a port {}, which the subnet does not have; serve the scenario of the run", row.name);
    }
    const std::optional<PortPlace> peer = labels.find(row.peer);
    if (peer.has_value() == row.peer.empty() || subnet.port(*at).peer != peer) {
      return fail("the cable from {} leads to {} in the run and elsewhere in the subnet; serve the scenario of the run",
                  row.name, row.peer);
    }
    add(row, served.counters(*at).counted());
  }
  return {};
}

Result<RunResults> read_counters(const std::string& file) {
  if (file.ends_with(".json")) {
    return fail("{}: counters of ports are in files of results (.weft), which `weft run --out` writes, not in JSON",
                file);
  }
  Result<std::vector<RunResults>> runs = study::results::read_results(file);
  if (!runs) {
    return pass_on(runs);
  }
  std::erase_if(*runs, [](const RunResults& run) { return run.run.family != kInfiniBand; });
  if (runs->size() != 1) {
    return fail("{}: {} runs of {}; give a file of one", file, runs->size(), kInfiniBand);
  }
  return std::move(runs->front());
}

}  // namespace weft::cli
