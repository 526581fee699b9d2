#include "security/tss_cipher.h"

#include <gtest/gtest.h>

#include <vector>

#include "security/aes_cmac.h"
#include "wire/test_bytes.h"

namespace weft::security {
namespace {

using wire::bytes_of;
using wire::ByteVector;
using wire::Ipv4Address;
using wire::Ipv6Address;
using wire::uet::TssHeader;
using wire::uet::TssIcv;

TssDomain domain_in(TssMode mode) {
  TssDomain domain{.mode = mode};
  for (std::size_t i = 0; i < domain.key.size(); ++i) {
    domain.key[i] = static_cast<std::byte>(i);
  }
  return domain;
}

constexpr TssHeader kHeader{.domain = 0x123456, .epoch = 0x0102, .counter = 0x30405060708};
constexpr Ipv4Address kSource{0x0A000001};

ByteVector derived(const TssDomain& domain, std::string_view label, std::string_view context) {
  ByteVector out(44);
  const ByteVector bytes = bytes_of(context);
  derive_key(domain.key, {.label = label, .context = bytes}, out);
  return out;
}

ByteVector joined(const TssSenderKey& key) {
  ByteVector bytes(key.key.begin(), key.key.end());
  bytes.insert(bytes.end(), key.mask.begin(), key.mask.end());
  return bytes;
}

//= uet-1.0 3.7
TEST(TssCipher, DirectModeUsesTheDomainsKeyWithoutAMask) {
  const TssDomain domain = domain_in(TssMode::kDirect);
  const TssSenderKey key = sender_key(domain, kHeader, kSource);
  EXPECT_EQ(key, (TssSenderKey{.key = domain.key}));
  const GcmNonce nonce = packet_nonce(key, kHeader, kSource);
  EXPECT_EQ(ByteVector(nonce.begin(), nonce.end()), bytes_of("0A000001 0102 030405060708"));
}

//= uet-1.0 3.7
TEST(TssCipher, ClusterModeDerivesAKeyPerSenderAndEpoch) {
  const TssDomain domain = domain_in(TssMode::kCluster);
  EXPECT_EQ(joined(sender_key(domain, kHeader, kSource)), derived(domain, "U1", "0102 00000000 0A000001"));
  TssHeader named = kHeader;
  named.has_source = true;
  named.source = 0xDEADBEEF;
  EXPECT_EQ(joined(sender_key(domain, named, kSource)), derived(domain, "U1", "0102 00000000 DEADBEEF"));
  const Ipv6Address ipv6{{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}};
  EXPECT_EQ(joined(sender_key(domain, kHeader, ipv6)),
            derived(domain, "U1", "00000000 0102 00000000 FD000000000000000000000000000009"));
}

//= uet-1.0 3.7
TEST(TssCipher, RekeyingFollowsTheCounter) {
  TssDomain domain = domain_in(TssMode::kCluster);
  domain.rekey_mask = 0xFF00;
  domain.rekey_shift = 8;
  EXPECT_EQ(joined(sender_key(domain, kHeader, kSource)), derived(domain, "U1", "0102 00000007 0A000001"));
}

//= uet-1.0 3.7
TEST(TssCipher, AServerDerivesWhatItsClientWasGiven) {
  const TssDomain server = domain_in(TssMode::kServer);
  EXPECT_EQ(joined(sender_key(server, kHeader, kSource)), derived(server, "U2", "0102 00000000 0A000001"));
}

//= uet-1.0 3.7
TEST(TssCipher, IpV6WithoutASourceIdentifierHasTheDomainInItsVector) {
  const TssSenderKey none{};
  const GcmNonce nonce = packet_nonce(none, kHeader, Ipv6Address{});
  EXPECT_EQ(ByteVector(nonce.begin(), nonce.end()), bytes_of("00123456 0102 030405060708"));
}

TEST(TssCipher, WhatOneSealsAnotherOpens) {
  RandomStream random(8, "tss");
  for (const TssMode mode : {TssMode::kDirect, TssMode::kCluster, TssMode::kServer}) {
    for (const std::size_t size : {0, 1, 16, 4096}) {
      const ByteVector plain = wire::random_bytes(random, size);
      ByteVector data = plain;
      const ByteVector associated = wire::random_bytes(random, 24);
      const TssPacket packet{.header = kHeader, .source = kSource, .associated = associated, .data = data};
      const TssIcv icv = seal(domain_in(mode), packet);
      EXPECT_TRUE(size < 16 || data != plain);
      EXPECT_EQ(open(domain_in(mode), packet, icv), GcmVerdict::kGenuine);
      EXPECT_EQ(data, plain);
    }
  }
}

/// A changed bit of the associated data, the ciphertext or the ICV, another sender, another counter, another key.
TEST(TssCipher, NothingThatWasChangedIsTaken) {
  const TssDomain domain = domain_in(TssMode::kCluster);
  ByteVector sealed = bytes_of("00112233445566778899");
  const ByteVector associated = bytes_of("0A0000010A00000212340000");
  const TssPacket packet{.header = kHeader, .source = kSource, .associated = associated, .data = sealed};
  const TssIcv icv = seal(domain, packet);
  const auto opened = [&](TssPacket changed, const TssIcv& with) {
    ByteVector copy(changed.data.begin(), changed.data.end());
    changed.data = copy;
    return open(domain, changed, with);
  };
  ASSERT_EQ(opened(packet, icv), GcmVerdict::kGenuine);
  for (std::size_t bit = 0; bit < 8 * 16; ++bit) {
    const std::byte flip = static_cast<std::byte>(1U << (bit % 8));
    ByteVector other_data = sealed;
    other_data[bit / 8 % other_data.size()] ^= flip;
    TssPacket changed = packet;
    changed.data = other_data;
    EXPECT_EQ(opened(changed, icv), GcmVerdict::kForged) << bit;
    ByteVector other_associated = associated;
    other_associated[bit / 8 % associated.size()] ^= flip;
    changed = packet;
    changed.associated = other_associated;
    EXPECT_EQ(opened(changed, icv), GcmVerdict::kForged) << bit;
    TssIcv other_icv = icv;
    other_icv[bit / 8] ^= flip;
    EXPECT_EQ(opened(packet, other_icv), GcmVerdict::kForged) << bit;
  }
  TssPacket other = packet;
  other.source = Ipv4Address{0x0A000003};
  EXPECT_EQ(opened(other, icv), GcmVerdict::kForged);
  other = packet;
  other.header.counter += 1;
  EXPECT_EQ(opened(other, icv), GcmVerdict::kForged);
}

}  // namespace
}  // namespace weft::security
