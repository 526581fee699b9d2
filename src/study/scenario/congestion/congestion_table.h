// The congestion controls of a scenario, a row each: what it needs, where its parameters stand, what refuses them.
//
// A new one is its engine in transport/congestion/, a value and a word in algorithm.h, its settings and keys beside
// this file, a member of Scenario, a row here, and a row in assembly/congestion/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/congestion/algorithm.h"
#include "study/scenario/family.h"

namespace weft::study::scenario {

struct Key;
struct Scenario;
struct Target;

/// What an algorithm needs that packets carry.
enum class CongestionFeedback : std::uint8_t {
  kNone,
  kEcn,         // marks in the IP header
  kFecn,        // marks in the base transport header
  kTimestamps,  // the time of sending, echoed with the number of switches
  kTelemetry,   // what switches write: queue, bytes sent, rate
  kUetState,    // what acknowledgements of Ultra Ethernet tell: bytes received, delay, trimmed packets, credit
};

struct CongestionEntry {
  CongestionAlgorithm algorithm = CongestionAlgorithm::kNone;
  CongestionFeedback feedback = CongestionFeedback::kNone;
  std::string_view section{};          // of its parameters, and the kind of its profiles; empty: it has none
  std::string_view about{};            // of the section
  std::string_view default_profile{};  // of the catalogue
  std::span<const Key> (*keys)() = nullptr;
  void* (*settings)(const Target& target, std::size_t index) = nullptr;  // those of the target's scenario
  Result<void> (*validate)(const Scenario& scenario) = nullptr;          // null: ranges of keys say everything
};

/// In the order of the enumeration.
[[nodiscard]] std::span<const CongestionEntry> congestion_table();
[[nodiscard]] const CongestionEntry& entry_of(CongestionAlgorithm algorithm);
/// Null if no algorithm has its parameters there.
[[nodiscard]] const CongestionEntry* entry_of_section(std::string_view section);

/// Whether a sender measures by what comes back with acknowledgements.
[[nodiscard]] bool reads_acknowledgements(CongestionAlgorithm algorithm);

/// Errors: an algorithm that the family's packets cannot serve, with those that they can; what rows refuse.
[[nodiscard]] Result<void> validate_congestion(const Scenario& scenario);

}  // namespace weft::study::scenario
