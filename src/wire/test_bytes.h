// For tests: bytes from hexadecimal text, random bytes, and emitting into a buffer of the exact size.
#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/random.h"

namespace weft::wire {

using ByteVector = std::vector<std::byte>;

/// Spaces are ignored: "7012375C 000E".
inline ByteVector bytes_of(std::string_view hex) {
  ByteVector bytes;
  bool half = false;
  unsigned value = 0;
  for (const char c : hex) {
    if (c == ' ') {
      continue;
    }
    WEFT_ASSERT(std::isxdigit(static_cast<unsigned char>(c)) != 0);
    const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    value = value * 16 + digit;
    if (half) {
      bytes.push_back(static_cast<std::byte>(value & 0xFFU));
    }
    half = !half;
  }
  WEFT_ASSERT(!half);
  return bytes;
}

inline ByteVector operator+(ByteVector a, const ByteVector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline ByteVector random_bytes(RandomStream& random, std::size_t size) {
  ByteVector bytes(size);
  for (auto& byte : bytes) {
    byte = static_cast<std::byte>(random.next() & 0xFFU);
  }
  return bytes;
}

template <class Header>
ByteVector emitted(const Header& header, std::size_t size) {
  ByteVector bytes(size);
  header.emit(bytes);
  return bytes;
}

template <class Header>
ByteVector emitted(const Header& header) {
  return emitted(header, Header::kSize);
}

}  // namespace weft::wire
