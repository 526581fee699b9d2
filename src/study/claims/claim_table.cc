#include "study/claims/claim_table.h"

#include <array>

#include "study/claims/claim_functions.h"

namespace weft::study::claims {
namespace {

constexpr std::array<Article, 5> kArticles = {{
    {'A', "InfiniBand vs RoCEv2: Optimizing Networks for Large-Scale AI"},
    {'B', "Understanding RDMA, InfiniBand, and RoCEv2 for High-Performance Distributed Training"},
    {'C', "Infiniband vs RoCE v2, and Network for AI"},
    {'D',
     "RDMA, InfiniBand, RoCE, and iWARP: High-Performance Networking for Large-Scale Generative AI Model Training"},
    {'E', "Why Network Becomes the New Bottleneck for AI Training and How InfiniBand vs RoCE Compare"},
}};

constexpr std::string_view kNoCompare = "run weft compare first, and give its document with --comparison";
constexpr std::string_view kNoUet = "Ultra Ethernet is not built yet";

enum class Told : std::uint8_t { kAlike, kBothWays };

constexpr Claim measured(std::string_view id, std::string_view articles, Finding (*function)(Readings&),
                         std::string_view statement, Told told = Told::kAlike) {
  return {.id = id,
          .statement = statement,
          .articles = articles,
          .contested = told == Told::kBothWays,
          .basis = Basis::kScenario,
          .measure = function};
}
constexpr Claim missing(std::string_view id, std::string_view articles, std::string_view what,
                        std::string_view statement, Told told = Told::kAlike) {
  return {
      .id = id, .statement = statement, .articles = articles, .contested = told == Told::kBothWays, .missing = what};
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
    missing("credit-lossless", "ABC", "its scenario is not written yet",
            "credits keep InfiniBand from dropping under any load"),
    missing("cut-through", "AC", "its scenario is not written yet",
            "InfiniBand forwards before the packet has arrived; switch latency under a microsecond"),
    missing("jitter", "AC", "its scenario is not written yet",
            "InfiniBand is predictable; RoCE varies with firmware, host and network"),
    missing("subnet-manager", "BC", "forwarding tables are computed; there is no subnet manager yet",
            "a central manager discovers the fabric and sets routes, partitions, QoS"),
    missing("distributed-control", "BC", "routes change after a fixed delay; there is no distributed control yet",
            "Ethernet control is distributed over the switches"),
    missing("fault-recovery", "B", "its scenario is not written yet", "InfiniBand recovers faster from faults"),
    missing("adaptive-routing-scale", "BCE", "its scenario is not written yet",
            "adaptive routing lets InfiniBand serve tens of thousands of GPUs; RoCE thousands", Told::kBothWays),
    missing("throughput-at-scale", "B", "its scenario is not written yet",
            "RoCE's large-scale throughput is slightly lower"),
    missing("encapsulation", "C", "its scenario is not written yet",
            "UDP/IP/Ethernet headers cost RoCEv2 bandwidth and time"),
    measured("routable", "ADE", routable,
             "RoCEv2 crosses layer-3 networks; RoCEv1 and InfiniBand do not (without a gateway)"),
    missing("pfc-ecn-dcqcn", "AD", "its scenario is not written yet",
            "PFC, ECN and DCQCN together make Ethernet near-lossless"),
    missing("tuning-collapse", "AC", kNoCompare, "without precise tuning RoCE collapses under congestion"),
    missing("lossless-at-scale", "A", kNoCompare, "keeping Ethernet lossless gets harder as clusters grow"),
    missing("pfc-limits", "E", "its scenario is not written yet",
            "lossless Ethernet limits scalability and forwarding"),
    missing("ib-easy-or-hard", "ABC", kNoCompare,
            "InfiniBand is plug-and-play and simpler to run / needs special skills", Told::kBothWays),
    missing("roce-cost", "AB", kNoCompare, "RoCE costs less / slightly more", Told::kBothWays),
    measured("roce-mixed", "AB", roce_mixed, "RoCEv2 shares a network with ordinary traffic"),
    measured("rocev1-limits", "D", rocev1_limits, "RoCEv1 has no routing and no congestion control"),
    measured("iwarp-loss", "D", iwarp_loss, "iWARP tolerates loss"),
    measured("iwarp-memory", "D", iwarp_memory, "iWARP's many TCP connections cost memory"),
    measured("iwarp-tcp-flow-control", "D", iwarp_tcp_flow_control, "TCP's flow control can degrade performance"),
    missing("uet-multipath", "D", kNoUet, "UET sprays, manages incast, tolerates disorder"),
    missing("uet-tuning", "D", kNoUet, "UET needs less congestion-control tuning"),
    missing("uet-million", "D", kNoUet, "UET scales to a million nodes"),
    missing("fat-tree-ecmp", "D", "its scenario is not written yet",
            "many commodity switches and ECMP make a non-blocking fabric"),
    missing("hash-polarisation", "D", "its scenario is not written yet",
            "ECMP hashes polarise and load links unevenly"),
    missing("entropy", "D", "its scenario is not written yet", "more flow entropy (QPs, PLB) spreads load"),
    missing("traffic-engineering", "D", "there is no central controller of paths yet",
            "a central controller computes better paths from topology and traffic"),
    missing("network-level-lb", "D", "there is no balancing by known traffic patterns yet",
            "the network balances by AI traffic pattern"),
    missing("per-packet-adaptive", "D", "its scenario is not written yet",
            "switches choose the least congested port per packet"),
    missing("nic-reorder", "D", "its scenario is not written yet", "spraying RoCE needs NIC (or switch) reordering"),
    missing("in-order-hampers", "D", "its scenario is not written yet",
            "strict in-order delivery hampers load balancing"),
    missing("upper-layer-not-enough", "E", "its scenario is not written yet",
            "better upper-layer protocols cannot break the ceiling; forwarding and scheduling must change"),
    measured("scale-up-out", "C", scale_up_out, "two tiers: NVLink/UALink inside, InfiniBand/RoCE between"),
    measured("memory-pooling", "C", memory_pooling, "scale-up shares and pools memory to avoid copies"),
    missing("zero-trust", "C", "firewalls and encryption, in line or on a plane of their own, are not modelled yet",
            "security on a physically separate plane costs the data path nothing"),
    missing("feedback-loop", "C", "no run changes its own network yet: it needs weft tune",
            "measured metrics drive the architecture"),
    missing("buyers", "AD", kNoCompare, "peak performance picks InfiniBand; existing Ethernet and cost pick RoCEv2"),
};

}  // namespace

std::span<const Article> articles() { return kArticles; }

std::span<const Claim> claim_table() { return kClaims; }

Result<Finding> measure(const Claim& claim, ClaimRunner& runner) {
  if (claim.measure == nullptr) {
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
