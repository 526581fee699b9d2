// Routing engines by name: what OpenSM's option -R takes, and what each makes of a subnet.
//
// For the same subnet the forwarding tables are those of OpenSM 3.3.23 with its default options.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "subnet/forwarding_tables.h"

namespace weft::subnet {

/// Virtual lanes by source and destination; without entries all traffic takes lane 0.
struct LanePlan {
  /// Index: LID of the source times the number of LIDs, plus LID of the destination. Empty: lane 0.
  std::vector<std::uint8_t> lanes;
  std::size_t lids = 0;

  [[nodiscard]] std::uint8_t lane(Lid from, Lid to) const {
    return lanes.empty() ? std::uint8_t{0} : lanes[from * lids + to];
  }
};

struct Routes {
  ForwardingTables tables;
  LanePlan plan;
};

struct EngineOptions {
  std::uint32_t lanes = 8;      // data lanes of every link; 1 to 15
  std::uint32_t nue_lanes = 1;  // at most so many of them for nue (OpenSM's nue_max_num_vls); 0: all
  /// What the switches hold, for a sweep after cables have failed: minhop, updn, dnup and dor keep an entry that still
  /// begins one of the shortest of their paths. Null: nothing is kept, as in a first sweep, and where a port has
  /// trained.
  const ForwardingTables* held = nullptr;
};

enum class EngineKind : std::uint8_t { kMinhop, kUpdn, kDnup, kFtree, kDor, kLash, kSssp, kDfsssp, kNue };

struct Engine {
  std::string_view name;
  EngineKind kind;
  /// Errors: what the engine needs of a topology and does not find.
  Result<Routes> (*route)(const RoutingView& view, const EngineOptions& options);
  std::string_view text;  // one sentence
};

/// All, in the order of `EngineKind`.
[[nodiscard]] std::span<const Engine> engines();
[[nodiscard]] const Engine& engine(EngineKind kind);
/// Errors: no such engine, with the nearest.
[[nodiscard]] Result<EngineKind> engine_by_name(std::string_view name);

/// What a manager configures: the routes of the engine, or of minhop where the engine cannot route the subnet.
struct ManagedRoutes {
  Routes routes;
  EngineKind used = EngineKind::kMinhop;
  std::string fallback{};  // why not the engine that was asked for; empty: it is
};
/// Errors: a subnet without switches.
[[nodiscard]] Result<ManagedRoutes> route_subnet(const RoutingView& view, EngineKind kind,
                                                 const EngineOptions& options = {});

}  // namespace weft::subnet
