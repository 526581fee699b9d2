#include "wire/attribute_field.h"

#include "wire/byte_order.h"

namespace weft::wire {
namespace {

/// The bytes that a field touches, and how far its last bit is from their end.
struct Window {
  std::size_t first;
  std::size_t last;
  unsigned below;
};

Window window_of(FieldPlace place) {
  const unsigned end = place.bit + place.width;
  return {.first = place.bit / 8U, .last = (end - 1) / 8U, .below = (8 - end % 8) % 8};
}

std::uint64_t mask_of(FieldPlace place) {
  return place.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << place.width) - 1;
}

}  // namespace

std::uint64_t load_field(std::span<const std::byte> bytes, FieldPlace place) {
  const Window window = window_of(place);
  WEFT_DCHECK(window.last < bytes.size() && window.last - window.first < 8);
  std::uint64_t value = 0;
  for (std::size_t i = window.first; i <= window.last; ++i) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return (value >> window.below) & mask_of(place);
}

void store_field(std::span<std::byte> bytes, FieldPlace place, std::uint64_t value) {
  const Window window = window_of(place);
  WEFT_DCHECK(window.last < bytes.size() && window.last - window.first < 8);
  std::uint64_t mask = mask_of(place) << window.below;
  std::uint64_t bits = (value << window.below) & mask;
  for (std::size_t i = window.last + 1; i > window.first; --i) {
    std::byte& byte = bytes[i - 1];
    byte = (byte & ~static_cast<std::byte>(mask & 0xFFU)) | static_cast<std::byte>(bits & 0xFFU);
    mask >>= 8U;
    bits >>= 8U;
  }
}

}  // namespace weft::wire
