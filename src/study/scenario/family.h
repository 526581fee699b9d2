// The families of protocols that a scenario may name, a row of traits each.
//
// A new family is a value and a row here, its engine in transport/ if no present one serves, its switches in fabric/ if
// no present ones do, and its entry in share/catalogue/protocols.toml, which says what it is set up with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/encapsulation.h"

namespace weft::study::scenario {

enum class Family : std::uint8_t { kRoceV2, kInfiniband, kRoceV1, kIwarp, kTcp, kUet };

/// What carries out its operations in a host: the RC, UC and UD engines, streams with or without RDMA over them, or
/// Ultra Ethernet's packet delivery contexts.
enum class FamilyEngine : std::uint8_t { kRdma, kIwarp, kTcp, kUet };
/// How its switches keep packets: a shared buffer with PFC, or virtual output queues with credits.
enum class SwitchDiscipline : std::uint8_t { kSharedBuffer, kCredits };
/// How far its packets get.
enum class FamilyReach : std::uint8_t { kRouted, kLayer2, kSubnet };
/// Where a switch can mark its packets.
enum class FamilyMarks : std::uint8_t { kNone, kIpHeader, kTransportHeader };
/// Whether its packets have room for timestamps and what switches write.
enum class FamilyTelemetry : std::uint8_t { kNone, kCarried };

struct FamilyTraits {
  Family family = Family::kRoceV2;
  std::string_view word;
  FamilyEngine engine = FamilyEngine::kRdma;
  SwitchDiscipline discipline = SwitchDiscipline::kSharedBuffer;
  FamilyReach reach = FamilyReach::kRouted;
  FamilyMarks marks = FamilyMarks::kNone;
  FamilyTelemetry telemetry = FamilyTelemetry::kNone;
  wire::Encapsulation over_ipv4{};  // of RDMA packets; streams have their own
  wire::Encapsulation over_ipv6{};
};

/// In the order of the enumeration.
inline constexpr std::array<FamilyTraits, 6> kFamilies = {{
    {.family = Family::kRoceV2,
     .word = "rocev2",
     .engine = FamilyEngine::kRdma,
     .discipline = SwitchDiscipline::kSharedBuffer,
     .reach = FamilyReach::kRouted,
     .marks = FamilyMarks::kIpHeader,
     .telemetry = FamilyTelemetry::kCarried,
     .over_ipv4 = wire::Encapsulation::kRoceV2Ipv4,
     .over_ipv6 = wire::Encapsulation::kRoceV2Ipv6},
    {.family = Family::kInfiniband,
     .word = "infiniband",
     .engine = FamilyEngine::kRdma,
     .discipline = SwitchDiscipline::kCredits,
     .reach = FamilyReach::kSubnet,
     .marks = FamilyMarks::kTransportHeader,
     .over_ipv4 = wire::Encapsulation::kIbLocal,
     .over_ipv6 = wire::Encapsulation::kIbLocal},
    {.family = Family::kRoceV1,
     .word = "rocev1",
     .engine = FamilyEngine::kRdma,
     .discipline = SwitchDiscipline::kSharedBuffer,
     .reach = FamilyReach::kLayer2,
     .over_ipv4 = wire::Encapsulation::kRoceV1,
     .over_ipv6 = wire::Encapsulation::kRoceV1},
    {.family = Family::kIwarp,
     .word = "iwarp",
     .engine = FamilyEngine::kIwarp,
     .discipline = SwitchDiscipline::kSharedBuffer,
     .reach = FamilyReach::kRouted,
     .marks = FamilyMarks::kIpHeader,
     .over_ipv4 = wire::Encapsulation::kRoceV2Ipv4,
     .over_ipv6 = wire::Encapsulation::kRoceV2Ipv6},
    {.family = Family::kTcp,
     .word = "tcp",
     .engine = FamilyEngine::kTcp,
     .discipline = SwitchDiscipline::kSharedBuffer,
     .reach = FamilyReach::kRouted,
     .marks = FamilyMarks::kIpHeader,
     .over_ipv4 = wire::Encapsulation::kRoceV2Ipv4,
     .over_ipv6 = wire::Encapsulation::kRoceV2Ipv6},
    {.family = Family::kUet,
     .word = "uet",
     .engine = FamilyEngine::kUet,
     .discipline = SwitchDiscipline::kSharedBuffer,
     .reach = FamilyReach::kRouted,
     .marks = FamilyMarks::kIpHeader,
     .over_ipv4 = wire::Encapsulation::kUetUdpIpv4,
     .over_ipv6 = wire::Encapsulation::kUetUdpIpv6},
}};

static_assert([] {
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    if (static_cast<std::size_t>(kFamilies[i].family) != i) {
      return false;
    }
  }
  return true;
}());

[[nodiscard]] constexpr const FamilyTraits& traits_of(Family family) {
  return kFamilies[static_cast<std::size_t>(family)];
}
[[nodiscard]] constexpr FamilyEngine engine_of(Family family) { return traits_of(family).engine; }
/// Its ports are those of InfiniBand, not of Ethernet.
[[nodiscard]] constexpr bool is_infiniband(Family family) {
  return traits_of(family).discipline == SwitchDiscipline::kCredits;
}
/// Its engines are those of the InfiniBand transport: RC, UC, UD.
[[nodiscard]] constexpr bool has_ib_transport(Family family) { return engine_of(family) == FamilyEngine::kRdma; }
/// Each packet of its queue pairs can have a UDP source port of its own.
[[nodiscard]] constexpr bool has_entropy(Family family) {
  return has_ib_transport(family) && traits_of(family).reach == FamilyReach::kRouted;
}
/// It carries everything in streams of TCP, which brings its own congestion control.
[[nodiscard]] constexpr bool is_over_tcp(Family family) {
  return engine_of(family) == FamilyEngine::kIwarp || engine_of(family) == FamilyEngine::kTcp;
}

}  // namespace weft::study::scenario
