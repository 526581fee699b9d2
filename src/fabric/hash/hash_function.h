// The functions by which switches hash header fields: one row each, in the order of HashFunction.
//
// All but kMixed are linear over exclusive or, as in hardware. A seed that such a function begins with is therefore the
// same as a constant added to its value, and a tier that takes the same bits of it as the tier before decides alike,
// whatever the seeds are (polarisation); other bits (rotation) or other fields decide apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

enum class HashFunction : std::uint8_t { kMixed, kCrc16, kCrc16Ccitt, kCrc32, kXorFold, kToeplitz };

struct HashFunctionRow {
  HashFunction function = HashFunction::kMixed;
  const char* word = "";
  std::uint32_t bits = 32;  // of the value, 16 or 32
  std::uint32_t (*of)(std::span<const std::byte> bytes) = nullptr;
};

[[nodiscard]] std::span<const HashFunctionRow> hash_functions();
[[nodiscard]] const HashFunctionRow& row_of(HashFunction function);

}  // namespace weft::fabric
