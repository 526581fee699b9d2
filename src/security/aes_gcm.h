// AES-GCM with a 256-bit key, a 96-bit nonce and a 128-bit tag, through OpenSSL.
//
// A nonce must never be used twice under one key. Source: NIST SP 800-38D.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::security {

using AesKey = std::array<std::byte, 32>;
using GcmNonce = std::array<std::byte, 12>;
using GcmTag = std::array<std::byte, 16>;

/// What one call works on: `associated` is authenticated, `data` is encrypted or decrypted in place.
struct GcmText {
  GcmNonce nonce{};
  std::span<const std::byte> associated{};
  std::span<std::byte> data{};
};

//= nist-sp800-38d 7.1
[[nodiscard]] GcmTag gcm_seal(const AesKey& key, const GcmText& text);

enum class GcmVerdict : std::uint8_t { kGenuine, kForged };

/// Decrypts `data` if the tag is right; otherwise fills it with zeros, so that nobody reads what was not authenticated.
//= nist-sp800-38d 7.2
[[nodiscard]] GcmVerdict gcm_open(const AesKey& key, const GcmText& text, const GcmTag& tag);

}  // namespace weft::security
