#include "study/world/partition_ports.h"

namespace weft::study::world {

PartitionPorts::PartitionPorts(const WorldDivision& division, const fabric::AnyFabric& fabric) {
  std::vector<std::vector<fabric::PortIndex>> ports(division.ports.size());
  const std::uint32_t count = fabric.port_count();
  for (fabric::PortIndex port = 0; port < count; ++port) {
    ports[division.of_node[fabric.end_of(port).node.value()]].push_back(port);
  }
  for (const std::vector<fabric::PortIndex>& own : ports) {
    first_.push_back(static_cast<std::uint32_t>(ports_.size()));
    ports_.insert(ports_.end(), own.begin(), own.end());
  }
  first_.push_back(static_cast<std::uint32_t>(ports_.size()));
  is_busy_.assign(ports.size(), 1);
}

}  // namespace weft::study::world
