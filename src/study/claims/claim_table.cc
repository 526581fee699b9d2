#include "study/claims/claim_table.h"

#include <array>

#include "study/claims/claim_functions.h"

namespace weft::study::claims {
namespace {

constexpr std::array<Article, 6> kArticles = {{
    {'A', "InfiniBand vs RoCEv2: Optimizing Networks for Large-Scale AI"},
    {'B', "Understanding RDMA, InfiniBand, and RoCEv2 for High-Performance Distributed Training"},
    {'C', "Infiniband vs RoCE v2, and Network for AI"},
    {'D',
     "RDMA, InfiniBand, RoCE, and iWARP: High-Performance Networking for Large-Scale Generative AI Model Training"},
    {'E', "Why Network Becomes the New Bottleneck for AI Training and How InfiniBand vs RoCE Compare"},
    {'F',
     "Vendors' guides to configuring RoCE, which put congestion notifications into a strict priority of their own"},
}};

constexpr std::string_view kNoCompare = "run weft compare first, and give its document with --comparison";

enum class Position : std::uint8_t { kAlike, kContested };

constexpr Claim measured(std::string_view id, std::string_view articles, Finding (*function)(Readings&),
                         std::string_view statement, Position told = Position::kAlike) {
  return {.id = id,
          .statement = statement,
          .articles = articles,
          .contested = told == Position::kContested,
          .basis = Basis::kScenario,
          .measure = function};
}
constexpr Claim compared(std::string_view id, std::string_view articles, Finding (*function)(Readings&),
                         std::string_view statement, Position told = Position::kAlike) {
  Claim claim = measured(id, articles, function, statement, told);
  claim.basis = Basis::kComparison;
  claim.missing = kNoCompare;
  return claim;
}
constexpr Claim missing(std::string_view id, std::string_view articles, std::string_view what,
                        std::string_view statement, Position told = Position::kAlike) {
  return {.id = id,
          .statement = statement,
          .articles = articles,
          .contested = told == Position::kContested,
          .missing = what};
}

const std::array kClaims = {
    measured("network-bottleneck", "AE", network_bottleneck, "the network, not compute, limits large training"),
    measured("microsecond-to-hours", "A", microsecond_to_hours, "one microsecond more per message adds hours to a job"),
    measured("acceleration-ratio", "B", acceleration_ratio, "speed-up over N GPUs is below N because of communication"),
    measured("elephant-flows", "D", elephant_flows, "AI traffic is a few large flows"),
    measured("host-copies", "AD", host_copies, "without RDMA, data goes GPU, host memory, CPU, NIC and back"),
    measured("rdma-no-cpu", "AD", rdma_no_cpu, "RDMA moves data without the remote CPU and copies"),
    measured("gpudirect", "A", gpudirect, "GPUDirect and GPUDirect RDMA avoid host memory"),
    measured("latency-ladder", "B", latency_ladder,
             "one hop: TCP about 50 us, RoCEv2 about 5, InfiniBand about 2; RDMA tens of times lower than TCP"),
    measured("one-api", "D", one_api, "InfiniBand, RoCE and iWARP share one upper API"),
    measured("credit-lossless", "ABC", credit_lossless, "credits keep InfiniBand from dropping under any load"),
    measured("cut-through", "AC", cut_through,
             "InfiniBand forwards before the packet has arrived; switch latency under a microsecond"),
    measured("jitter", "AC", jitter, "InfiniBand is predictable; RoCE varies with firmware, host and network"),
    measured("subnet-manager", "BC", subnet_manager,
             "a central manager discovers the fabric and sets routes, partitions, QoS"),
    measured("distributed-control", "BC", distributed_control, "Ethernet control is distributed over the switches"),
    measured("fault-recovery", "B", fault_recovery, "InfiniBand recovers faster from faults"),
    measured("adaptive-routing-scale", "BCE", adaptive_routing_scale,
             "adaptive routing lets InfiniBand serve tens of thousands of GPUs; RoCE thousands", Position::kContested),
    measured("throughput-at-scale", "B", throughput_at_scale, "RoCE's large-scale throughput is slightly lower"),
    measured("encapsulation", "C", encapsulation, "UDP/IP/Ethernet headers cost RoCEv2 bandwidth and time"),
    measured("routable", "ADE", routable,
             "RoCEv2 crosses layer-3 networks; RoCEv1 and InfiniBand do not (without a gateway)"),
    measured("pfc-ecn-dcqcn", "AD", pfc_ecn_dcqcn, "PFC, ECN and DCQCN together make Ethernet near-lossless"),
    measured("cnp-class", "F", cnp_class, "congestion notifications need a class of their own"),
    measured("tuning-collapse", "AC", tuning_collapse, "without precise tuning RoCE collapses under congestion"),
    measured("lossless-at-scale", "A", lossless_at_scale, "keeping Ethernet lossless gets harder as clusters grow"),
    measured("pfc-limits", "E", pfc_limits, "lossless Ethernet limits scalability and forwarding"),
    measured("ib-easy-or-hard", "ABC", ib_easy_or_hard,
             "InfiniBand is plug-and-play and simpler to run / needs special skills", Position::kContested),
    compared("roce-cost", "AB", roce_cost, "RoCE costs less / slightly more", Position::kContested),
    measured("roce-mixed", "AB", roce_mixed, "RoCEv2 shares a network with ordinary traffic"),
    measured("rocev1-limits", "D", rocev1_limits, "RoCEv1 has no routing and no congestion control"),
    measured("iwarp-loss", "D", iwarp_loss, "iWARP tolerates loss"),
    measured("iwarp-memory", "D", iwarp_memory, "iWARP's many TCP connections cost memory"),
    measured("iwarp-tcp-flow-control", "D", iwarp_tcp_flow_control, "TCP's flow control can degrade performance"),
    measured("uet-multipath", "D", uet_multipath, "UET sprays, manages incast, tolerates disorder"),
    measured("uet-tuning", "D", uet_tuning, "UET needs less congestion-control tuning"),
    missing(
        "uet-million", "D",
        "an endpoint keeps 40 bytes for each of a million idle peers (RC: 505 for a queue pair); a network of as many, "
        "at the flow level, takes minutes, which no claim does",
        "UET scales to a million nodes"),
    measured("fat-tree-ecmp", "D", fat_tree_ecmp, "many commodity switches and ECMP make a non-blocking fabric"),
    measured("hash-polarisation", "D", hash_polarisation, "ECMP hashes polarise and load links unevenly"),
    measured("entropy", "D", entropy, "more flow entropy (QPs, PLB) spreads load"),
    measured("traffic-engineering", "D", traffic_engineering,
             "a central controller computes better paths from topology and traffic"),
    measured("network-level-lb", "D", network_level_lb, "the network balances by AI traffic pattern"),
    measured("per-packet-adaptive", "D", per_packet_adaptive, "switches choose the least congested port per packet"),
    measured("nic-reorder", "D", nic_reorder, "spraying RoCE needs NIC (or switch) reordering"),
    measured("in-order-hampers", "D", in_order_hampers, "strict in-order delivery hampers load balancing"),
    measured("upper-layer-not-enough", "E", upper_layer_not_enough,
             "better upper-layer protocols cannot break the ceiling; forwarding and scheduling must change"),
    measured("scale-up-out", "C", scale_up_out, "two tiers: NVLink/UALink inside, InfiniBand/RoCE between"),
    measured("memory-pooling", "C", memory_pooling, "scale-up shares and pools memory to avoid copies"),
    measured("zero-trust", "C", zero_trust, "security on a physically separate plane costs the data path nothing"),
    measured("feedback-loop", "C", feedback_loop, "measured metrics drive the architecture"),
    compared("buyers", "AD", buyers, "peak performance picks InfiniBand; existing Ethernet and cost pick RoCEv2"),
};

}  // namespace

std::span<const Article> articles() { return kArticles; }

std::span<const Claim> claim_table() { return kClaims; }

Result<Finding> measure(const Claim& claim, ClaimRunner& runner) {
  if (claim.measure == nullptr || (claim.basis == Basis::kComparison && runner.comparison() == nullptr)) {
    return Finding{.condition = std::string(claim.missing)};
  }
  Readings readings(runner, std::string(claim.id));
  Finding finding = claim.measure(readings);
  if (!readings.fault().empty()) {
    return fail("{}", readings.fault());
  }
  return finding;
}

}  // namespace weft::study::claims
