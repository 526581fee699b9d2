// Buffers cut into parts, and parts into chunks, always between elements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "base/data_size.h"

namespace weft::workload {

/// A range of a buffer, in bytes.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Cuts extents into equal parts (up to one element; the first ones are longer) and chunks.
class Chunker {
 public:
  struct Options {
    Bytes element{};  // above 0
    Bytes chunk{};    // whole elements, above 0
  };
  explicit Chunker(const Options& options)
      : element_(static_cast<std::uint64_t>(options.element.count())),
        chunk_(static_cast<std::uint64_t>(options.chunk.count())) {}

  /// Part `index` of `count`. The extent holds whole elements.
  [[nodiscard]] Extent part(const Extent& whole, std::uint64_t index, std::uint64_t count) const {
    WEFT_DCHECK(index < count && whole.size % element_ == 0);
    const std::uint64_t elements = whole.size / element_;
    const std::uint64_t each = elements / count;
    const std::uint64_t longer = elements % count;
    return {whole.offset + (index * each + std::min(index, longer)) * element_,
            (each + (index < longer ? 1 : 0)) * element_};
  }

  [[nodiscard]] std::uint64_t chunks(const Extent& extent) const { return (extent.size + chunk_ - 1) / chunk_; }
  /// All but the last have the full size.
  [[nodiscard]] Extent chunk(const Extent& extent, std::uint64_t index) const {
    const std::uint64_t begin = index * chunk_;
    return {extent.offset + begin, std::min(chunk_, extent.size - begin)};
  }

 private:
  std::uint64_t element_;
  std::uint64_t chunk_;
};

}  // namespace weft::workload
