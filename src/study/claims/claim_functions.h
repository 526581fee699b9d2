// One function per claim that is measured, in files by subject; claim_table.cc lists them.
//
// Each reads the runs of the scenario of its name, examples/claims/NAME.toml, and computes a verdict. Thresholds are in
// the finding's text.
#pragma once

#include "study/claims/finding.h"
#include "study/claims/readings.h"

namespace weft::study::claims {

// claim_functions_host.cc: the way between program and wire.
[[nodiscard]] Finding latency_ladder(Readings& runs);
[[nodiscard]] Finding host_copies(Readings& runs);
[[nodiscard]] Finding rdma_no_cpu(Readings& runs);
[[nodiscard]] Finding gpudirect(Readings& runs);
[[nodiscard]] Finding one_api(Readings& runs);
[[nodiscard]] Finding memory_pooling(Readings& runs);

// claim_functions_families.cc: what a family can and cannot do.
[[nodiscard]] Finding routable(Readings& runs);
[[nodiscard]] Finding roce_mixed(Readings& runs);
[[nodiscard]] Finding rocev1_limits(Readings& runs);
[[nodiscard]] Finding iwarp_loss(Readings& runs);
[[nodiscard]] Finding iwarp_memory(Readings& runs);
[[nodiscard]] Finding iwarp_tcp_flow_control(Readings& runs);

// claim_functions_training.cc: steps of training jobs.
[[nodiscard]] Finding network_bottleneck(Readings& runs);
[[nodiscard]] Finding microsecond_to_hours(Readings& runs);
[[nodiscard]] Finding acceleration_ratio(Readings& runs);
[[nodiscard]] Finding elephant_flows(Readings& runs);
[[nodiscard]] Finding scale_up_out(Readings& runs);

// claim_functions_wire.cc: what packets and switches cost.
[[nodiscard]] Finding cut_through(Readings& runs);
[[nodiscard]] Finding encapsulation(Readings& runs);
[[nodiscard]] Finding jitter(Readings& runs);
[[nodiscard]] Finding throughput_at_scale(Readings& runs);

// claim_functions_lossless.cc: credits, pauses, notifications, faults.
[[nodiscard]] Finding credit_lossless(Readings& runs);
[[nodiscard]] Finding pfc_ecn_dcqcn(Readings& runs);
[[nodiscard]] Finding pfc_limits(Readings& runs);
[[nodiscard]] Finding cnp_class(Readings& runs);
[[nodiscard]] Finding fault_recovery(Readings& runs);

// claim_functions_paths.cc: the choice among paths.
[[nodiscard]] Finding fat_tree_ecmp(Readings& runs);
[[nodiscard]] Finding hash_polarisation(Readings& runs);
[[nodiscard]] Finding entropy(Readings& runs);
[[nodiscard]] Finding upper_layer_not_enough(Readings& runs);

// claim_functions_control.cc: paths that a controller computes.
[[nodiscard]] Finding subnet_manager(Readings& runs);
[[nodiscard]] Finding distributed_control(Readings& runs);
[[nodiscard]] Finding traffic_engineering(Readings& runs);
[[nodiscard]] Finding network_level_lb(Readings& runs);

// claim_functions_loop.cc: what metrics change.
[[nodiscard]] Finding feedback_loop(Readings& runs);

// claim_functions_packets.cc: paths chosen for each packet, and the order of packets.
[[nodiscard]] Finding per_packet_adaptive(Readings& runs);
[[nodiscard]] Finding nic_reorder(Readings& runs);
[[nodiscard]] Finding in_order_hampers(Readings& runs);
[[nodiscard]] Finding adaptive_routing_scale(Readings& runs);

// claim_functions_uet.cc: Ultra Ethernet.
[[nodiscard]] Finding uet_multipath(Readings& runs);
[[nodiscard]] Finding uet_tuning(Readings& runs);

// claim_functions_settings.cc: what wrong settings cost.
[[nodiscard]] Finding tuning_collapse(Readings& runs);
[[nodiscard]] Finding ib_easy_or_hard(Readings& runs);

// claim_functions_scale.cc: pauses and credits on growing clusters.
[[nodiscard]] Finding lossless_at_scale(Readings& runs);

// claim_functions_security.cc: protection in the path of data.
[[nodiscard]] Finding zero_trust(Readings& runs);

// claim_functions_buyer.cc: read from a comparison, which must be there.
[[nodiscard]] Finding roce_cost(Readings& runs);
[[nodiscard]] Finding buyers(Readings& runs);

}  // namespace weft::study::claims
