// AES-CMAC and AES-GCM against NIST's examples, key derivation against OpenSSL's own.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "security/aes_cmac.h"
#include "security/aes_gcm.h"
#include "wire/test_bytes.h"

namespace weft::security {
namespace {

using wire::bytes_of;
using wire::ByteVector;

template <std::size_t kSize>
std::array<std::byte, kSize> fixed(std::string_view hex) {
  const ByteVector bytes = bytes_of(hex);
  EXPECT_EQ(bytes.size(), kSize);
  std::array<std::byte, kSize> result{};
  std::ranges::copy(bytes, result.begin());
  return result;
}

/// SP 800-38B, D.3: AES-256.
//= nist-sp800-38b 6.2
TEST(AesCmac, GivesTheTagsOfNist) {
  const ByteVector key = bytes_of("603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4");
  const ByteVector message = bytes_of(
      "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"
      "30C81C46A35CE411E5FBC1191A0A52EFF69F2445DF4F9B17AD2B417BE66C3710");
  const auto tag = [&](std::size_t size) { return aes_cmac(key, std::span(message).first(size)); };
  EXPECT_EQ(tag(0), fixed<16>("028962F61B7BF89EFC6B551F4667D983"));
  EXPECT_EQ(tag(16), fixed<16>("28A7023F452E8F82BD4BF28D8C37C35C"));
  EXPECT_EQ(tag(40), fixed<16>("AAF3D8F1DE5640C232F5B169B9C911E6"));
  EXPECT_EQ(tag(64), fixed<16>("E1992190549F6ED5696A2C056C315410"));
}

ByteVector derived_by_openssl(const ByteVector& key, std::string label, ByteVector context, std::size_t size) {
  EVP_KDF* const kdf = EVP_KDF_fetch(nullptr, "KBKDF", nullptr);
  EVP_KDF_CTX* const run = EVP_KDF_CTX_new(kdf);
  std::string mode = "counter";
  std::string mac = "CMAC";
  std::string cipher = "AES-256-CBC";
  ByteVector secret = key;
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_MODE, mode.data(), 0),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_MAC, mac.data(), 0),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_CIPHER, cipher.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, label.data(), label.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, context.data(), context.size()),
      OSSL_PARAM_construct_end()};
  ByteVector out(size);
  EXPECT_EQ(EVP_KDF_derive(run, reinterpret_cast<unsigned char*>(out.data()), out.size(), parameters), 1);
  EVP_KDF_CTX_free(run);
  EVP_KDF_free(kdf);
  return out;
}

/// OpenSSL counts in four bytes.
//= nist-sp800-108 4.1
TEST(KeyDerivation, AgreesWithAnotherImplementation) {
  RandomStream random(7, "kdf");
  for (const std::size_t size : {1, 15, 16, 17, 44, 100}) {
    const ByteVector key = wire::random_bytes(random, 32);
    const ByteVector context = wire::random_bytes(random, 1 + random.uniform(40));
    ByteVector ours(size);
    derive_key(key, {.label = "U1", .context = context, .counter_bytes = 4}, ours);
    EXPECT_EQ(ours, derived_by_openssl(key, "U1", context, size)) << size;
  }
}

//= nist-sp800-108 4.1
TEST(KeyDerivation, CountsFromOneInAsManyBytesAsAskedFor) {
  const ByteVector key(32);
  const ByteVector context = bytes_of("0102");
  ByteVector ours(20);
  derive_key(key, {.label = "U2", .context = context}, ours);
  const CmacTag first = aes_cmac(key, bytes_of("01 5532 00 0102 000000A0"));
  const CmacTag second = aes_cmac(key, bytes_of("02 5532 00 0102 000000A0"));
  EXPECT_TRUE(std::ranges::equal(std::span(ours).first(16), first));
  EXPECT_TRUE(std::ranges::equal(std::span(ours).last(4), std::span(second).first(4)));
}

struct GcmExample {
  std::string_view key;
  std::string_view nonce;
  std::string_view plain;
  std::string_view associated;
  std::string_view cipher;
  std::string_view tag;
};

/// Test cases 13, 14, 15 and 16 of the GCM specification, which NIST adopted.
constexpr std::string_view kZeroKey = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::string_view kKey = "FEFFE9928665731C6D6A8F9467308308FEFFE9928665731C6D6A8F9467308308";
constexpr GcmExample kExamples[] = {
    {kZeroKey, "000000000000000000000000", "", "", "", "530F8AFBC74536B9A963B4F1C4CB738B"},
    {kZeroKey, "000000000000000000000000", "00000000000000000000000000000000", "", "CEA7403D4D606B6E074EC5D3BAF39D18",
     "D0D1C8A799996BF0265B98B5D48AB919"},
    {kKey, "CAFEBABEFACEDBADDECAF888",
     "D9313225F88406E5A55909C5AFF5269A86A7A9531534F7DA2E4C303D8A318A72"
     "1C3C0C95956809532FCF0E2449A6B525B16AEDF5AA0DE657BA637B391AAFD255",
     "",
     "522DC1F099567D07F47F37A32A84427D643A8CDCBFE5C0C97598A2BD2555D1AA"
     "8CB08E48590DBB3DA7B08B1056828838C5F61E6393BA7A0ABCC9F662898015AD",
     "B094DAC5D93471BDEC1A502270E3CC6C"},
    {kKey, "CAFEBABEFACEDBADDECAF888",
     "D9313225F88406E5A55909C5AFF5269A86A7A9531534F7DA2E4C303D8A318A72"
     "1C3C0C95956809532FCF0E2449A6B525B16AEDF5AA0DE657BA637B39",
     "FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2",
     "522DC1F099567D07F47F37A32A84427D643A8CDCBFE5C0C97598A2BD2555D1AA"
     "8CB08E48590DBB3DA7B08B1056828838C5F61E6393BA7A0ABCC9F662",
     "76FC6ECE0F4E1768CDDF8853BB2D551B"}};

//= nist-sp800-38d 7.1
//= nist-sp800-38d 7.2
TEST(AesGcm, GivesTheTextsAndTagsOfNist) {
  for (const GcmExample& example : kExamples) {
    const auto key = fixed<32>(example.key);
    ByteVector data = bytes_of(example.plain);
    const ByteVector associated = bytes_of(example.associated);
    const GcmText text{.nonce = fixed<12>(example.nonce), .associated = associated, .data = data};
    const GcmTag tag = gcm_seal(key, text);
    EXPECT_EQ(data, bytes_of(example.cipher));
    EXPECT_EQ(tag, fixed<16>(example.tag));
    EXPECT_EQ(gcm_open(key, text, tag), GcmVerdict::kGenuine);
    EXPECT_EQ(data, bytes_of(example.plain));
  }
}

//= nist-sp800-38d 7.2
TEST(AesGcm, GivesNothingAwayOfWhatIsForged) {
  const AesKey key{};
  ByteVector data = bytes_of("0102030405");
  const GcmText text{.data = data};
  GcmTag tag = gcm_seal(key, text);
  tag[0] ^= std::byte{1};
  EXPECT_EQ(gcm_open(key, text, tag), GcmVerdict::kForged);
  EXPECT_EQ(data, ByteVector(5));
}

}  // namespace
}  // namespace weft::security
