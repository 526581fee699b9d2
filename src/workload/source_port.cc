#include "workload/source_port.h"

#include <fmt/compile.h>

#include <iterator>

#include "base/stable_hash.h"

namespace weft::workload {

std::uint64_t connection_hash(const JobOptions& job, const ConnectionRequest& name, std::size_t index,
                              std::string_view what) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}/{}.{}->{}.{}/{}/{}/{}"), job.name, name.from.value(),
                 name.rail, name.to.value(), name.remote_rail, name.channel, index, what);
  return stable_hash(job.seed, {text.data(), text.size()});
}

std::uint16_t source_port(const JobOptions& job, const ConnectionAttributes& attributes, const ConnectionRequest& name,
                          std::size_t index) {
  const std::size_t entropy = attributes.source_ports == SourcePorts::kPerConnection ? 0 : index;
  const std::uint64_t drawn = connection_hash(job, name, entropy, "source_port") & 0x3FFF;
  const std::uint64_t lids = (1U << attributes.lid_mask_control) - 1;
  return static_cast<std::uint16_t>(0xC000 | (drawn & ~lids) | (index & lids));
}

}  // namespace weft::workload
