// The keys of each section, in files by subject; study/key_table.h puts them together.
#pragma once

#include <span>

#include "study/scenario/key.h"

namespace weft::study::scenario::key_tables {

[[nodiscard]] std::span<const Key> run_keys();
[[nodiscard]] std::span<const Key> fabric_keys();
[[nodiscard]] std::span<const Key> topology_keys();
[[nodiscard]] std::span<const Key> output_keys();
[[nodiscard]] std::span<const Key> flow_keys();

[[nodiscard]] std::span<const Key> switch_keys();
[[nodiscard]] std::span<const Key> link_keys();
[[nodiscard]] std::span<const Key> nic_keys();
[[nodiscard]] std::span<const Key> host_keys();
[[nodiscard]] std::span<const Key> socket_keys();
[[nodiscard]] std::span<const Key> scale_up_keys();
[[nodiscard]] std::span<const Key> ethernet_keys();
[[nodiscard]] std::span<const Key> priority_keys();
[[nodiscard]] std::span<const Key> trimming_keys();
[[nodiscard]] std::span<const Key> llr_keys();
[[nodiscard]] std::span<const Key> cbfc_keys();
[[nodiscard]] std::span<const Key> infiniband_keys();
[[nodiscard]] std::span<const Key> vl_keys();

[[nodiscard]] std::span<const Key> qos_keys();
[[nodiscard]] std::span<const Key> routing_keys();
[[nodiscard]] std::span<const Key> transport_keys();
[[nodiscard]] std::span<const Key> congestion_keys();

[[nodiscard]] std::span<const Key> control_keys();
[[nodiscard]] std::span<const Key> subnet_keys();

[[nodiscard]] std::span<const Key> reduction_keys();

[[nodiscard]] std::span<const Key> tcp_keys();
[[nodiscard]] std::span<const Key> iwarp_keys();
[[nodiscard]] std::span<const Key> uet_keys();

[[nodiscard]] std::span<const Key> security_keys();

[[nodiscard]] std::span<const Key> collective_keys();

[[nodiscard]] std::span<const Key> cabling_keys();
[[nodiscard]] std::span<const Key> gpu_keys();
[[nodiscard]] std::span<const Key> cost_keys();

[[nodiscard]] std::span<const Key> traffic_keys();
[[nodiscard]] std::span<const Key> job_keys();
[[nodiscard]] std::span<const Key> event_keys();

[[nodiscard]] std::span<const Key> attack_keys();
[[nodiscard]] std::span<const Key> key_keys();

[[nodiscard]] std::span<const Key> failure_keys();
[[nodiscard]] std::span<const Key> failure_rate_keys();
[[nodiscard]] std::span<const Key> library_keys();
[[nodiscard]] std::span<const Key> checkpoint_keys();

}  // namespace weft::study::scenario::key_tables
