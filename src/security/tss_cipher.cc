#include "security/tss_cipher.h"

#include <algorithm>
#include <vector>

#include "base/assert.h"
#include "security/aes_cmac.h"
#include "wire/byte_order.h"

namespace weft::security {

namespace {

using wire::uet::TssHeader;

std::uint32_t rekeying(const TssDomain& domain, const TssHeader& header) {
  if (domain.mode != TssMode::kCluster || domain.rekey_mask == 0) {
    return 0;
  }
  return static_cast<std::uint32_t>((header.counter & domain.rekey_mask) >> domain.rekey_shift);
}

/// Epoch, rekeying and who sends: 10 bytes, with an IPv6 address 26, of which the first four are 0.
std::vector<std::byte> derivation_context(const TssDomain& domain, const TssHeader& header, const TssSource& source) {
  constexpr std::size_t kNumbers = 6;
  const auto* const ipv6 = std::get_if<wire::Ipv6Address>(&source);
  const std::size_t lead = ipv6 != nullptr ? 4 : 0;
  std::vector<std::byte> context(lead + kNumbers + (ipv6 != nullptr ? ipv6->octets.size() : 4));
  wire::store_be16(context, lead, header.epoch);
  wire::store_be32(context, lead + 2, rekeying(domain, header));
  if (ipv6 != nullptr) {
    std::ranges::copy(std::as_bytes(std::span(ipv6->octets)), std::span(context).subspan(lead + kNumbers).begin());
  } else {
    wire::store_be32(context, kNumbers, header.has_source ? header.source : std::get<wire::Ipv4Address>(source).value);
  }
  return context;
}

}  // namespace

TssSenderKey sender_key(const TssDomain& domain, const TssHeader& header, const TssSource& source) {
  TssSenderKey sender{.key = domain.key};
  if (domain.mode == TssMode::kDirect) {
    return sender;
  }
  std::array<std::byte, sizeof(AesKey) + sizeof(GcmNonce)> derived{};
  const std::vector<std::byte> context = derivation_context(domain, header, source);
  derive_key(domain.key, {.label = domain.mode == TssMode::kCluster ? "U1" : "U2", .context = context}, derived);
  std::ranges::copy(std::span(derived).first(sender.key.size()), sender.key.begin());
  std::ranges::copy(std::span(derived).last(sender.mask.size()), sender.mask.begin());
  return sender;
}

GcmNonce packet_nonce(const TssSenderKey& key, const TssHeader& header, const TssSource& source) {
  GcmNonce nonce{};
  const auto* const ipv4 = std::get_if<wire::Ipv4Address>(&source);
  wire::store_be32(nonce, 0, header.has_source ? header.source : ipv4 != nullptr ? ipv4->value : header.domain);
  wire::store_be64(nonce, 4, header.epoch_and_counter());
  std::ranges::transform(nonce, key.mask, nonce.begin(), [](std::byte a, std::byte b) { return a ^ b; });
  return nonce;
}

wire::uet::TssIcv seal(const TssDomain& domain, const TssPacket& packet) {
  const TssSenderKey key = sender_key(domain, packet.header, packet.source);
  return gcm_seal(
      key.key,
      {.nonce = packet_nonce(key, packet.header, packet.source), .associated = packet.associated, .data = packet.data});
}

GcmVerdict open(const TssDomain& domain, const TssPacket& packet, const wire::uet::TssIcv& icv) {
  const TssSenderKey key = sender_key(domain, packet.header, packet.source);
  return gcm_open(
      key.key,
      {.nonce = packet_nonce(key, packet.header, packet.source), .associated = packet.associated, .data = packet.data},
      icv);
}

}  // namespace weft::security
