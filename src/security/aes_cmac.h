// AES-CMAC, and the key derivation in counter mode that is made of it. Both through OpenSSL.
//
// Source: NIST SP 800-38B (CMAC), SP 800-108r1 4.1 (counter mode).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace weft::security {

using CmacTag = std::array<std::byte, 16>;

/// `key` has 16, 24 or 32 bytes.
//= nist-sp800-38b 6.2
[[nodiscard]] CmacTag aes_cmac(std::span<const std::byte> key, std::span<const std::byte> message);

/// How the fixed input of a derivation is made.
struct KdfInput {
  std::string_view label;
  std::span<const std::byte> context;
  std::size_t counter_bytes = 1;  // 1 to 4, in front, counted from 1, most significant byte first
};

/// Fills `out` with CMAC(key, counter | label | 0 | context | length of `out` in bits, 4 bytes), one block per count.
/// `out` must need no more blocks than the counter can count.
//= nist-sp800-108 4.1
void derive_key(std::span<const std::byte> key, const KdfInput& input, std::span<std::byte> out);

}  // namespace weft::security
