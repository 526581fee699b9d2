// What a run says of its traffic controller: one row of a results file. docs/results.md explains each figure.
#pragma once

#include <cstdint>
#include <string>

namespace weft::study::results {

struct ControllerRow {
  std::string algorithm{};             // "cspf", "greedy", "min-max", "communicators"
  std::uint64_t rounds = 0;            // plans that took effect
  std::uint64_t placed = 0;            // flows in them
  std::uint64_t entries = 0;           // written into tables, new or changed
  std::uint64_t peak_entries = 0;      // most in one table
  std::uint64_t overflows = 0;         // flows of a plan that found a table full
  std::uint64_t moved = 0;             // flows that had another path before
  std::uint64_t stale = 0;             // plans with a path whose link had failed before they took effect
  std::uint64_t conflicts = 0;         // flows of plans by communicators that share a link with one before them
  std::uint32_t planned_load = 0;      // of the fullest link, mean over plans, in millionths
  std::uint32_t measured_load = 0;     // of the fullest link between two readings, mean over readings, in millionths
  std::uint64_t pinned_packets = 0;    // at switches where there was a choice: by an entry
  std::uint64_t hashed_packets = 0;    // without an entry
  std::uint64_t fallback_packets = 0;  // by the hash because the entry's port led nowhere

  friend bool operator==(const ControllerRow&, const ControllerRow&) = default;
};

}  // namespace weft::study::results
