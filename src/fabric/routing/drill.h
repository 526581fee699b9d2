// DRILL(d, m): per packet, the least loaded of d next hops at random and of the m that were least loaded before.
//
// A switch has engines that decide by themselves; here each input port is one, with a memory of its own. Loads are the
// switch's own queues alone: nothing is told or learnt. Source: Ghorbani et al., "DRILL: Micro Load Balancing for
// Low-latency Data Center Networks", SIGCOMM 2017, section 3.2. Not here: its decomposition of asymmetric networks into
// components (section 3.4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

struct DrillOptions {
  std::uint8_t samples = 2;  // d: 1 to Drill::kMost
  std::uint8_t memory = 1;   // m: 0 to Drill::kMost
};

class Drill {
 public:
  static constexpr std::uint32_t kMost = 16;

  Drill() = default;
  Drill(const DrillOptions& options, std::uint32_t engines);

  /// A stream of random numbers: the hash of the seed and a count that each number moves on.
  struct Random {
    std::uint64_t seed = 0;
    std::uint32_t& count;

    [[nodiscard]] std::uint32_t below(std::uint32_t limit) { return pick(switch_hash(++count, seed), limit); }
  };
  /// `load(port)` has no side effects. Of equal loads, a sample before a port that is remembered, so that idle ports
  /// are used alike.
  template <class Load>
  [[nodiscard]] std::uint16_t choose(const NextHops& hops, std::uint32_t engine, Random random, Load&& load);

  [[nodiscard]] std::size_t heap_bytes() const { return memory_.capacity() * sizeof(memory_[0]); }

 private:
  static constexpr std::uint16_t kNone = 0xFFFF;

  struct Candidate {
    std::uint16_t port = 0;
    std::uint64_t load = 0;
  };
  /// Those that one choice compares: samples first, each port once.
  struct Candidates {
    std::array<Candidate, 2 * kMost> list;
    std::uint32_t count = 0;

    [[nodiscard]] bool has(std::uint16_t port) const {
      return std::any_of(list.begin(), list.begin() + count, [port](const Candidate& at) { return at.port == port; });
    }
    void add(std::uint16_t port, std::uint64_t load) { list[count++] = {.port = port, .load = load}; }
  };

  std::uint32_t samples_ = 0;
  std::uint32_t remembered_ = 0;       // by each engine
  std::vector<std::uint16_t> memory_;  // by engine: ports, the least loaded first; kNone: nothing yet
};

template <class Load>
std::uint16_t Drill::choose(const NextHops& hops, std::uint32_t engine, Random random, Load&& load) {
  Candidates candidates;
  // Distinct ones: the i-th sample is one of those that are left, which the earlier ones, in ascending order, precede.
  std::array<std::uint32_t, kMost> taken{};
  const std::uint32_t samples = std::min(samples_, hops.size());
  for (std::uint32_t i = 0; i < samples; ++i) {
    std::uint32_t at = random.below(hops.size() - i);
    std::uint32_t place = 0;
    for (; place < i && taken[place] <= at; ++place) {
      ++at;
    }
    std::copy_backward(taken.begin() + place, taken.begin() + i, taken.begin() + i + 1);
    taken[place] = at;
    candidates.add(hops[at], load(hops[at]));
  }
  std::uint16_t* const memory = memory_.data() + std::size_t{engine} * remembered_;
  for (std::uint32_t i = 0; i < remembered_; ++i) {
    const bool is_hop = std::binary_search(hops.begin(), hops.end(), memory[i]);
    if (is_hop && !candidates.has(memory[i])) {
      candidates.add(memory[i], load(memory[i]));
    }
  }
  const auto end = candidates.list.begin() + candidates.count;
  if (remembered_ == 1) {
    const auto least = std::min_element(candidates.list.begin(), end,
                                        [](const Candidate& a, const Candidate& b) { return a.load < b.load; });
    memory[0] = least->port;
    return memory[0];
  }
  std::stable_sort(candidates.list.begin(), end,
                   [](const Candidate& a, const Candidate& b) { return a.load < b.load; });
  for (std::uint32_t i = 0; i < remembered_ && i < candidates.count; ++i) {
    memory[i] = candidates.list[i].port;
  }
  return candidates.list[0].port;
}

}  // namespace weft::fabric
