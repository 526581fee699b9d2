// Forwarding tables as a subnet manager writes them into switches: for each switch one egress port per LID, whatever is
// shortest, and the service level that it tells senders for each path.
//
// A LID is an endpoint and an offset from its base LID (forwarding_table.h). Ports are those of the graph, from 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/assert.h"
#include "base/ids.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

/// What is different in one of two states of the same bytes.
struct ByteChange {
  std::uint32_t place = 0;
  std::uint8_t value = 0;

  friend bool operator==(const ByteChange&, const ByteChange&) = default;
};

class LinearTables {
 public:
  static constexpr std::uint32_t kMostPorts = 254;  // of a switch

  /// There are none: routes are computed by a rule.
  LinearTables() = default;
  struct Size {
    std::uint32_t switches = 0;
    std::uint32_t endpoints = 0;
    std::uint8_t lid_mask_control = 0;
  };
  /// Without entries.
  explicit LinearTables(const Size& size)
      : lids_(std::size_t{size.endpoints} << size.lid_mask_control),
        lmc_(size.lid_mask_control),
        ports_(size.switches * lids_, kNoPort) {}

  [[nodiscard]] bool empty() const { return ports_.empty(); }

  void set(std::uint32_t switch_ordinal, const ForwardingTable::Target& target, std::uint16_t port) {
    WEFT_ASSERT(port < kMostPorts);
    ports_[switch_ordinal * lids_ + lid_of(target)] = static_cast<std::uint8_t>(port);
  }
  /// The port of the entry; none: packets are discarded.
  [[nodiscard]] NextHops next_hop(std::uint32_t switch_ordinal, const ForwardingTable::Target& target) const {
    const std::uint8_t port = ports_[switch_ordinal * lids_ + lid_of(target)];
    return port == kNoPort ? NextHops() : NextHops(&kNumbers[port], 1);
  }

  /// What makes these tables those, which are of the same size; in the order of switches.
  [[nodiscard]] std::vector<ByteChange> changes_to(const LinearTables& those) const;
  /// Takes the changes in, and leaves what was there before in them: done twice, nothing has changed.
  void exchange(std::vector<ByteChange>& changes);
  [[nodiscard]] std::uint32_t switch_of(const ByteChange& change) const {
    return static_cast<std::uint32_t>(change.place / lids_);
  }

  [[nodiscard]] std::size_t heap_bytes() const { return ports_.capacity(); }

 private:
  static constexpr std::uint8_t kNoPort = 255;
  static constexpr std::array<std::uint16_t, kMostPorts> kNumbers = [] {
    std::array<std::uint16_t, kMostPorts> numbers{};
    std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
    return numbers;
  }();

  [[nodiscard]] std::size_t lid_of(const ForwardingTable::Target& target) const {
    WEFT_DCHECK(target.offset < 1U << lmc_);
    return (std::size_t{target.destination.value()} << lmc_) + target.offset;
  }

  std::size_t lids_ = 0;  // of all endpoints
  std::uint8_t lmc_ = 0;
  std::vector<std::uint8_t> ports_;  // per switch and LID
};

/// The service level of the path between two ports, by what their senders call each other's LIDs.
class PathLevels {
 public:
  /// There are none: senders have levels of their own.
  PathLevels() = default;
  PathLevels(std::uint32_t endpoints, std::uint8_t lid_mask_control)
      : endpoints_(endpoints), lmc_(lid_mask_control), levels_((std::size_t{endpoints} * endpoints) << lmc_, 0) {}

  [[nodiscard]] bool empty() const { return levels_.empty(); }

  struct Path {
    EndpointId source{};
    EndpointId destination{};
    std::uint32_t offset = 0;  // of both LIDs, below 2^LMC
  };
  void set(const Path& path, std::uint8_t level) { levels_[place_of(path)] = level; }
  [[nodiscard]] std::uint8_t of(const Path& path) const { return levels_[place_of(path)]; }

  /// As of LinearTables.
  [[nodiscard]] std::vector<ByteChange> changes_to(const PathLevels& those) const;
  void exchange(std::vector<ByteChange>& changes);

  [[nodiscard]] std::size_t heap_bytes() const { return levels_.capacity(); }

 private:
  [[nodiscard]] std::size_t place_of(const Path& path) const {
    WEFT_DCHECK(path.offset < 1U << lmc_);
    const std::size_t pair = std::size_t{path.source.value()} * endpoints_ + path.destination.value();
    return (pair << lmc_) + path.offset;
  }

  std::uint32_t endpoints_ = 0;
  std::uint8_t lmc_ = 0;
  std::vector<std::uint8_t> levels_;
};

}  // namespace weft::fabric
