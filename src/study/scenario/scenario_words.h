// The words that a scenario uses for the values of each enumeration, in the order of the enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// `kWords[i]` is the word for the enumerator of value i; `kPlanned` are words of the field that mean nothing yet.
template <class Enum>
struct WordsOf;

template <std::size_t Count>
using WordList = std::array<std::string_view, Count>;

struct NothingPlanned {
  static constexpr WordList<0> kPlanned{};
};

template <>
struct WordsOf<Hardware> : NothingPlanned {
  static constexpr WordList<2> kWords = {"as-sold", "equal"};
};
template <>
struct WordsOf<Fidelity> : NothingPlanned {
  static constexpr WordList<2> kWords = {"packet", "flow"};
};
template <>
struct WordsOf<Family> {
  static constexpr auto kWords = [] {
    WordList<kFamilies.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = kFamilies[i].word;
    }
    return words;
  }();
  static constexpr WordList<0> kPlanned{};
};
template <>
struct WordsOf<IpVersion> : NothingPlanned {
  static constexpr WordList<2> kWords = {"ipv4", "ipv6"};
};
template <>
struct WordsOf<BillPart> : NothingPlanned {
  static constexpr WordList<4> kWords = {"switches", "nics", "optics", "cables"};
};
template <>
struct WordsOf<Domains> : NothingPlanned {
  static constexpr WordList<2> kWords = {"one", "routed"};
};
template <>
struct WordsOf<TopologyKind> {
  static constexpr auto kWords = kTopologyWords;
  static constexpr WordList<1> kPlanned = {"dragonfly"};
};
template <>
struct WordsOf<Forwarding> : NothingPlanned {
  static constexpr WordList<2> kWords = {"store-and-forward", "cut-through"};
};
template <>
struct WordsOf<LinkTier> : NothingPlanned {
  static constexpr WordList<3> kWords = {"host", "leaf", "spine"};
};
template <>
struct WordsOf<WatchdogAction> : NothingPlanned {
  static constexpr WordList<2> kWords = {"drop", "forward"};
};
template <>
struct WordsOf<EcnMoment> : NothingPlanned {
  static constexpr WordList<2> kWords = {"start", "end"};
};
template <>
struct WordsOf<TrimVictim> : NothingPlanned {
  static constexpr WordList<2> kWords = {"newcomer", "coin"};
};
template <>
struct WordsOf<EventDirection> : NothingPlanned {
  static constexpr WordList<2> kWords = {"both", "out"};
};
template <>
struct WordsOf<HostModel> : NothingPlanned {
  static constexpr WordList<2> kWords = {"nic-delays", "stages"};
};
template <>
struct WordsOf<MemoryKind> : NothingPlanned {
  static constexpr WordList<2> kWords = {"host", "gpu"};
};
template <>
struct WordsOf<GpuPath> : NothingPlanned {
  static constexpr WordList<2> kWords = {"gpudirect", "bounce"};
};
template <>
struct WordsOf<GpuAttachment> : NothingPlanned {
  static constexpr WordList<3> kWords = {"pcie-switch", "root-complex", "other-root-complex"};
};
template <>
struct WordsOf<CompletionMode> : NothingPlanned {
  static constexpr WordList<3> kWords = {"polling", "interrupt", "event"};
};
template <>
struct WordsOf<RequestFetch> : NothingPlanned {
  static constexpr WordList<2> kWords = {"with-doorbell", "after-doorbell"};
};
template <>
struct WordsOf<RoutingPolicy> : NothingPlanned {
  static constexpr WordList<15> kWords = {"ecmp",  "spray",    "adaptive", "lft",       "letflow",         "drill",
                                          "conga", "conweave", "e-ecmp",   "scheduled", "dimension-order", "valiant",
                                          "ugal",  "pinned",   "central"};
};
template <>
struct WordsOf<RoutingEngine> : NothingPlanned {
  static constexpr WordList<11> kWords = {"d-mod-k", "minhop", "updn",   "dnup", "ftree", "dor",
                                          "lash",    "sssp",   "dfsssp", "nue",  "file"};
};
template <>
struct WordsOf<ControllerAlgorithm> : NothingPlanned {
  static constexpr WordList<4> kWords = {"cspf", "greedy", "min-max", "communicators"};
};
template <>
struct WordsOf<ControllerDemand> : NothingPlanned {
  static constexpr WordList<2> kWords = {"measured", "host-limited"};
};
template <>
struct WordsOf<ReorderPlace> : NothingPlanned {
  static constexpr WordList<2> kWords = {"none", "leaf"};
};
template <>
struct WordsOf<MultipathTraffic> : NothingPlanned {
  static constexpr WordList<2> kWords = {"all", "unordered"};
};
template <>
struct WordsOf<PortWeighting> : NothingPlanned {
  static constexpr WordList<4> kWords = {"equal", "capacity", "link-rate", "given"};
};
template <>
struct WordsOf<fabric::HashFunction> : NothingPlanned {
  static constexpr WordList<6> kWords = {"mixed", "crc-16", "crc-16-ccitt", "crc-32", "xor-fold", "toeplitz"};
};
template <>
struct WordsOf<HashedField> : NothingPlanned {
  static constexpr WordList<8> kWords = {"5-tuple",          "source-address", "destination-address", "source-port",
                                         "destination-port", "protocol",       "destination-qp",      "flow-label"};
};
template <>
struct WordsOf<LossRecoveryKind> : NothingPlanned {
  static constexpr WordList<2> kWords = {"go-back-n", "selective-repeat"};
};
template <>
struct WordsOf<LossDetectionKind> : NothingPlanned {
  static constexpr WordList<3> kWords = {"auto", "count", "time"};
};
template <>
struct WordsOf<ReorderOverflowRule> : NothingPlanned {
  static constexpr WordList<2> kWords = {"drop", "nak"};
};
template <>
struct WordsOf<CongestionAlgorithm> {
  static constexpr auto kWords = kCongestionWords;
  static constexpr WordList<1> kPlanned = {"dctcp"};
};
template <>
struct WordsOf<CnpClass> : NothingPlanned {
  static constexpr WordList<2> kWords = {"own", "data"};
};
template <>
struct WordsOf<ClampRule> : NothingPlanned {
  static constexpr WordList<3> kWords = {"always", "never", "after-time-increase"};
};
template <>
struct WordsOf<HyperRule> : NothingPlanned {
  static constexpr WordList<2> kWords = {"growing", "constant"};
};
template <>
struct WordsOf<UetDelivery> : NothingPlanned {
  static constexpr WordList<2> kWords = {"rud", "rod"};
};
template <>
struct WordsOf<UetWrapping> : NothingPlanned {
  static constexpr WordList<2> kWords = {"udp", "native"};
};
template <>
struct WordsOf<UetStart> : NothingPlanned {
  static constexpr WordList<2> kWords = {"0-rtt", "1-rtt"};
};
template <>
struct WordsOf<UetSecurity> : NothingPlanned {
  static constexpr WordList<3> kWords = {"none", "tss", "tss-source"};
};
template <>
struct WordsOf<EncryptionLayer> : NothingPlanned {
  static constexpr WordList<3> kWords = {"link", "ip", "uet"};
};
template <>
struct WordsOf<InlineOverflow> : NothingPlanned {
  static constexpr WordList<2> kWords = {"drop", "pause"};
};
template <>
struct WordsOf<ManagementPlane> : NothingPlanned {
  static constexpr WordList<2> kWords = {"separate", "in-band"};
};
template <>
struct WordsOf<PathRule> : NothingPlanned {
  static constexpr WordList<9> kWords = {"single",  "oblivious", "bitmap",      "reps", "mixed",
                                         "in-turn", "random",    "per-message", "plb"};
};
template <>
struct WordsOf<TcpAlgorithm> : NothingPlanned {
  static constexpr WordList<3> kWords = {"cubic", "new-reno", "dctcp"};
};
template <>
struct WordsOf<TcpEcnUse> : NothingPlanned {
  static constexpr WordList<3> kWords = {"off", "classic", "per-packet"};
};
template <>
struct WordsOf<TcpDetection> : NothingPlanned {
  static constexpr WordList<2> kWords = {"rack", "duplicate-acks"};
};
template <>
struct WordsOf<TcpSpacing> : NothingPlanned {
  static constexpr WordList<2> kWords = {"off", "window"};
};
template <>
struct WordsOf<TcpPathRule> : NothingPlanned {
  static constexpr WordList<2> kWords = {"single", "plb"};
};
template <>
struct WordsOf<StreamSetup> : NothingPlanned {
  static constexpr WordList<2> kWords = {"established", "on-the-wire"};
};
template <>
struct WordsOf<ScaleUpKind> : NothingPlanned {
  static constexpr WordList<3> kWords = {"none", "switch", "mesh"};
};
template <>
struct WordsOf<TrafficRoute> : NothingPlanned {
  static constexpr WordList<2> kWords = {"fabric", "scale-up"};
};
template <>
struct WordsOf<TrafficEnds> : NothingPlanned {
  static constexpr WordList<2> kWords = {"ports", "nics"};
};
template <>
struct WordsOf<TrafficKind> : NothingPlanned {
  static constexpr WordList<9> kWords = {"flows",           "permutation", "incast",     "all-to-all", "poisson",
                                         "ring-all-reduce", "collective",  "checkpoint", "multicast"};
};
template <>
struct WordsOf<workload::CollectiveKind> : NothingPlanned {
  // A receive is the other half of a send.
  static constexpr WordList<8> kWords = {"all-reduce", "reduce-scatter", "all-gather", "broadcast",
                                         "reduce",     "all-to-all",     "barrier",    "send"};
};
template <>
struct WordsOf<workload::CollectiveAlgorithm> : NothingPlanned {
  static constexpr auto kWords = workload::kCollectiveAlgorithmWords;
};
template <>
struct WordsOf<workload::QueuePairUse> : NothingPlanned {
  static constexpr WordList<3> kWords = {"round-robin", "split", "least-outstanding"};
};
template <>
struct WordsOf<workload::SourcePorts> : NothingPlanned {
  static constexpr WordList<2> kWords = {"per-queue-pair", "per-connection"};
};
template <>
struct WordsOf<workload::DomainReduction> : NothingPlanned {
  static constexpr WordList<2> kWords = {"direct", "in-network"};
};
template <>
struct WordsOf<verbs::DataType> : NothingPlanned {
  static constexpr WordList<8> kWords = {"int32",   "int64",    "uint32",  "uint64",
                                         "float16", "bfloat16", "float32", "float64"};
};
template <>
struct WordsOf<Operation> : NothingPlanned {
  static constexpr WordList<4> kWords = {"write", "read", "send", "write-imm"};
};
template <>
struct WordsOf<Placement> : NothingPlanned {
  static constexpr WordList<4> kWords = {"packed", "spread", "random", "listed"};
};
template <>
struct WordsOf<workload::Recomputation> : NothingPlanned {
  static constexpr WordList<3> kWords = {"none", "selective", "full"};
};
template <>
struct WordsOf<workload::Precision> : NothingPlanned {
  static constexpr WordList<3> kWords = {"bf16", "fp16", "fp8"};
};
template <>
struct WordsOf<workload::GradientType> : NothingPlanned {
  static constexpr WordList<2> kWords = {"fp32", "bf16"};
};
template <>
struct WordsOf<workload::LayerSplit> : NothingPlanned {
  static constexpr WordList<2> kWords = {"even", "ends-are-layers"};
};
template <>
struct WordsOf<JobWorkload> : NothingPlanned {
  static constexpr WordList<3> kWords = {"training", "decode", "halo"};
};
template <>
struct WordsOf<StepFidelity> : NothingPlanned {
  static constexpr WordList<2> kWords = {"composed", "packet"};
};
template <>
struct WordsOf<ControlKind> : NothingPlanned {
  static constexpr WordList<2> kWords = {"none", "bgp"};
};
template <>
struct WordsOf<fabric::AsNumbering> : NothingPlanned {
  static constexpr WordList<2> kWords = {"switch", "clos"};
};
template <>
struct WordsOf<fabric::ControlStart> : NothingPlanned {
  static constexpr WordList<2> kWords = {"converged", "cold"};
};
template <>
struct WordsOf<SubnetStart> : NothingPlanned {
  static constexpr WordList<2> kWords = {"configured", "cold"};
};
template <>
struct WordsOf<fabric::FibUnit> : NothingPlanned {
  static constexpr WordList<2> kWords = {"prefix", "group"};
};
template <>
struct WordsOf<fabric::DrainMethod> : NothingPlanned {
  static constexpr WordList<2> kWords = {"community", "prepend"};
};
template <>
struct WordsOf<EventAction> : NothingPlanned {
  static constexpr WordList<3> kWords = {"fail", "degrade", "restore"};
};

template <>
struct WordsOf<FailureKind> : NothingPlanned {
  static constexpr WordList<7> kWords = {"link-down", "flapping", "degraded-lanes", "switch-reboot",
                                         "nic-port",  "gpu-slow", "subnet-manager"};
};
template <>
struct WordsOf<host::AttackKind> : NothingPlanned {
  static constexpr WordList<11> kWords = {"forged-r-key", "forged-p-key", "forged-q-key", "psn-guess",
                                          "cnp-flood",    "pause-flood",  "rogue-sm",     "bgp-spoof",
                                          "gid-spoof",    "rogue-cc",     "forged-sm-key"};
};
template <>
struct WordsOf<host::Guess> : NothingPlanned {
  static constexpr WordList<2> kWords = {"sequential", "random"};
};
template <>
struct WordsOf<KnownField> : NothingPlanned {
  static constexpr WordList<6> kWords = {"qpn", "psn", "r-key", "p-key", "q-key", "sm-key"};
};
template <>
struct WordsOf<PartitionRule> : NothingPlanned {
  static constexpr WordList<3> kWords = {"default", "per-job", "file"};
};
template <>
struct WordsOf<KeyNumbering> : NothingPlanned {
  static constexpr WordList<2> kWords = {"random", "sequential"};
};
template <>
struct WordsOf<CheckpointMode> : NothingPlanned {
  static constexpr WordList<2> kWords = {"blocking", "asynchronous"};
};

template <>
struct WordsOf<verbs::ReduceOperation> : NothingPlanned {
  static constexpr WordList<6> kWords = {"sum", "min", "max", "bit-and", "bit-or", "bit-xor"};
};

template <class Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {
  return WordsOf<Enum>::kWords.at(static_cast<std::size_t>(value));
}

}  // namespace weft::study::scenario
