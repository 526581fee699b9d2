#include "workload/rank.h"

#include <fmt/core.h>

namespace weft::workload {

std::string flow_name(std::string_view job_name, const FlowId& flow) {
  return fmt::format("{}/{}->{}/{}", job_name, flow.source.value(), flow.destination.value(), flow.index);
}

}  // namespace weft::workload
