// Collectives with real bytes on a SmallWorld: input that tells ranks and places apart, and the result that follows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/workload/small_world.h"
#include "workload/collective/collective_program.h"

namespace weft::testing {

struct CollectiveCase {
  workload::CollectiveKind kind = workload::CollectiveKind::kAllReduce;
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kRing;
  std::uint32_t ranks = 2;
  std::uint32_t domain = 0;      // ranks of a scale-up domain
  std::uint64_t elements = 100;  // of 4 bytes
  std::uint32_t root = 0;
  std::uint32_t iterations = 1;
  std::uint32_t loss = 0;  // one packet in so many; 0: none
  std::uint32_t seed = 0;  // of the losses
  workload::CollectiveOptions options{.chunk = Bytes(64), .buffer = Bytes(256)};
};

/// "all-reduce ring, 5 ranks, ..."
[[nodiscard]] std::string describe(const CollectiveCase& one);

/// Fails the test unless every rank finishes with the right numbers. Several iterations reduce what the ones before
/// left; only all-reduce, broadcast and all-to-all can be repeated.
void expect_right(const CollectiveCase& one);

/// The layout of `ranks` ranks, `domain` of them together on a host; with a domain, rail 1 is the scale-up rail.
[[nodiscard]] workload::JobLayout layout_of(std::uint32_t ranks, std::uint32_t domain);

}  // namespace weft::testing
