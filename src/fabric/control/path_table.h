// The AS paths that speakers of a network tell each other, each kept once: a number stands for one.
//
// Numbers say whether two paths are the same and nothing else; they never decide an order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/assert.h"

namespace weft::fabric {

/// 0: no path.
using PathId = std::uint32_t;
inline constexpr PathId kNoPath = 0;

struct AsPath {
  std::vector<std::uint32_t> numbers{};  // the nearest first
  bool shuts_down = false;               // has the community GRACEFUL_SHUTDOWN

  friend auto operator<=>(const AsPath&, const AsPath&) = default;
};

class PathTable {
 public:
  PathTable() : paths_(1) {}

  [[nodiscard]] PathId of(const AsPath& path) {
    const auto [at, fresh] = known_.try_emplace(path, static_cast<PathId>(paths_.size()));
    if (fresh) {
      paths_.push_back(&at->first);
    }
    return at->second;
  }
  [[nodiscard]] const AsPath& operator[](PathId id) const {
    WEFT_DCHECK(id != kNoPath && id < paths_.size());
    return *paths_[id];
  }
  [[nodiscard]] std::size_t size() const { return paths_.size() - 1; }

 private:
  std::map<AsPath, PathId> known_;
  std::vector<const AsPath*> paths_;  // keys of a map stay where they are
};

}  // namespace weft::fabric
