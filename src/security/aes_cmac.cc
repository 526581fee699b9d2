#include "security/aes_cmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "wire/byte_order.h"

namespace weft::security {

namespace {

struct MacDeleter {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

const unsigned char* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

CmacTag aes_cmac(std::span<const std::byte> key, std::span<const std::byte> message) {
  WEFT_ASSERT(key.size() == 16 || key.size() == 24 || key.size() == 32);
  const std::unique_ptr<EVP_MAC, MacDeleter> mac(EVP_MAC_fetch(nullptr, "CMAC", nullptr));
  const std::unique_ptr<EVP_MAC_CTX, MacDeleter> context(EVP_MAC_CTX_new(mac.get()));
  std::string cipher = "AES-" + std::to_string(key.size() * 8) + "-CBC";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher.data(), 0),
                                   OSSL_PARAM_construct_end()};
  CmacTag tag{};
  std::size_t written = 0;
  const bool ok = context && EVP_MAC_init(context.get(), octets(key), key.size(), parameters) == 1 &&
                  EVP_MAC_update(context.get(), octets(message), message.size()) == 1 &&
                  EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(tag.data()), &written, tag.size()) == 1;
  WEFT_ASSERT(ok && written == tag.size());
  return tag;
}

void derive_key(std::span<const std::byte> key, const KdfInput& input, std::span<std::byte> out) {
  constexpr std::size_t kMaxCounter = 4;
  WEFT_ASSERT(input.counter_bytes >= 1 && input.counter_bytes <= kMaxCounter);
  const std::size_t counter = input.counter_bytes;
  std::vector<std::byte> block(counter + input.label.size() + 1 + input.context.size() + 4);
  const std::span<std::byte> fixed = std::span(block).subspan(counter);
  std::ranges::copy(std::as_bytes(std::span(input.label)), fixed.begin());
  std::ranges::copy(input.context, fixed.subspan(input.label.size() + 1).begin());
  wire::store_be32(block, block.size() - 4, static_cast<std::uint32_t>(out.size() * 8));
  std::uint64_t count = 1;
  while (!out.empty()) {
    WEFT_ASSERT(count >> (8 * counter) == 0);
    for (std::size_t i = 0; i < counter; ++i) {
      wire::store_u8(block, i, static_cast<std::uint8_t>(count >> (8 * (counter - 1 - i))));
    }
    const CmacTag tag = aes_cmac(key, block);
    const std::size_t taken = std::min(out.size(), tag.size());
    std::ranges::copy(std::span(tag).first(taken), out.begin());
    out = out.subspan(taken);
    ++count;
  }
}

}  // namespace weft::security
