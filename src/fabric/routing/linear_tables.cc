#include "fabric/routing/linear_tables.h"

#include <limits>
#include <utility>

namespace weft::fabric {
namespace {

std::vector<ByteChange> changes_between(const std::vector<std::uint8_t>& from, const std::vector<std::uint8_t>& to) {
  WEFT_ASSERT(from.size() == to.size() && from.size() <= std::numeric_limits<std::uint32_t>::max());
  std::vector<ByteChange> changes;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i]) {
      changes.push_back({.place = static_cast<std::uint32_t>(i), .value = to[i]});
    }
  }
  return changes;
}

void exchange_bytes(std::vector<std::uint8_t>& bytes, std::vector<ByteChange>& changes) {
  for (ByteChange& change : changes) {
    std::swap(bytes[change.place], change.value);
  }
}

}  // namespace

std::vector<ByteChange> LinearTables::changes_to(const LinearTables& those) const {
  return changes_between(ports_, those.ports_);
}

void LinearTables::exchange(std::vector<ByteChange>& changes) { exchange_bytes(ports_, changes); }

std::vector<ByteChange> PathLevels::changes_to(const PathLevels& those) const {
  return changes_between(levels_, those.levels_);
}

void PathLevels::exchange(std::vector<ByteChange>& changes) { exchange_bytes(levels_, changes); }

}  // namespace weft::fabric
