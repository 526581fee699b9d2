// What a scenario says of hosts, as the options of the host path: every stage with its value and its mark.
#pragma once

#include <cstdint>

#include "host/path/host_resources.h"
#include "host/path/rdma_path.h"
#include "host/path/scale_up_path.h"
#include "host/path/socket_path.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Settings with the overrides of one NIC, and the scenario that says where each value is from.
struct PathSource {
  const scenario::Scenario& scenario;
  const scenario::DeviceSettings& devices;
};

/// Where an RDMA NIC stands.
struct RdmaSite {
  verbs::MemoryPlace memory{};  // where the bytes of a SEND go
  Rate line = Rate::max();      // of its wire
};

/// What all programs and NICs of one host share.
[[nodiscard]] host::HostOptions host_options(const PathSource& source);
/// Of verbs whose transport the NIC runs itself. SENDs arrive at the memory of `site`.
[[nodiscard]] host::RdmaPathOptions rdma_path_options(const PathSource& source, const RdmaSite& site);
[[nodiscard]] host::ScaleUpPathOptions scale_up_path_options(const scenario::Scenario& scenario);
[[nodiscard]] host::SocketPathOptions socket_path_options(const PathSource& source);

/// How the value at a scenario's path is known.
[[nodiscard]] host::Confidence stage_confidence(const scenario::Scenario& scenario, const std::string& path);

}  // namespace weft::study::assembly
