#include "security/aes_gcm.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "base/assert.h"

namespace weft::security {

namespace {

struct CipherDeleter {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

/// One message in one direction, up to the tag.
class GcmRun {
 public:
  GcmRun(const AesKey& key, const GcmText& text, int encrypt) : context_(EVP_CIPHER_CTX_new()) {
    WEFT_ASSERT(context_ != nullptr);
    const auto* nonce = reinterpret_cast<const unsigned char*>(text.nonce.data());
    const auto* secret = reinterpret_cast<const unsigned char*>(key.data());
    // 96 bits are the nonce that the cipher has by default.
    WEFT_ASSERT(EVP_CipherInit_ex(context_.get(), EVP_aes_256_gcm(), nullptr, secret, nonce, encrypt) == 1);
    update(nullptr, text.associated);
    update(text.data.data(), text.data);
  }
  [[nodiscard]] EVP_CIPHER_CTX* context() const { return context_.get(); }
  /// Fails only while decrypting, when the tag is wrong.
  [[nodiscard]] bool finish() {
    unsigned char none[16];
    int written = 0;
    return EVP_CipherFinal_ex(context_.get(), none, &written) == 1;
  }

 private:
  void update(std::byte* out, std::span<const std::byte> in) {
    if (in.empty()) {
      return;
    }
    int written = 0;
    WEFT_ASSERT(EVP_CipherUpdate(context_.get(), reinterpret_cast<unsigned char*>(out), &written,
                                 reinterpret_cast<const unsigned char*>(in.data()), static_cast<int>(in.size())) == 1);
  }

  std::unique_ptr<EVP_CIPHER_CTX, CipherDeleter> context_;
};

}  // namespace

GcmTag gcm_seal(const AesKey& key, const GcmText& text) {
  GcmRun run(key, text, 1);
  GcmTag tag{};
  WEFT_ASSERT(run.finish() &&
              EVP_CIPHER_CTX_ctrl(run.context(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag.size()), tag.data()) == 1);
  return tag;
}

GcmVerdict gcm_open(const AesKey& key, const GcmText& text, const GcmTag& tag) {
  GcmRun run(key, text, 0);
  GcmTag expected = tag;
  WEFT_ASSERT(EVP_CIPHER_CTX_ctrl(run.context(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(expected.size()),
                                  expected.data()) == 1);
  if (run.finish()) {
    return GcmVerdict::kGenuine;
  }
  std::ranges::fill(text.data, std::byte{0});
  return GcmVerdict::kForged;
}

}  // namespace weft::security
