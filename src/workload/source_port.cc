#include "workload/source_port.h"

#include <fmt/core.h>

#include "base/stable_hash.h"

namespace weft::workload {

std::uint64_t connection_hash(const JobOptions& job, const ConnectionRequest& name, std::size_t index,
                              std::string_view what) {
  return stable_hash(job.seed, fmt::format("{}/{}.{}->{}.{}/{}/{}/{}", job.name, name.from.value(), name.rail,
                                           name.to.value(), name.remote_rail, name.channel, index, what));
}

std::uint16_t source_port(const JobOptions& job, const ConnectionAttributes& attributes, const ConnectionRequest& name,
                          std::size_t index) {
  const std::size_t entropy = attributes.source_ports == SourcePorts::kPerConnection ? 0 : index;
  const std::uint64_t drawn = connection_hash(job, name, entropy, "source_port") & 0x3FFF;
  const std::uint64_t lids = (1U << attributes.lid_mask_control) - 1;
  return static_cast<std::uint16_t>(0xC000 | (drawn & ~lids) | (index & lids));
}

}  // namespace weft::workload
