#include "wire/cm_reply.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::size_t kMraPrivateData = kCmMessageSize - CmMra::kPrivateDataSize;
constexpr std::size_t kRejAdditional = 12;
constexpr std::size_t kRejPrivateData = kCmMessageSize - CmRej::kPrivateDataSize;
static_assert(kRejAdditional + CmRej::kAdditionalSize == kRejPrivateData);
constexpr std::size_t kRepPrivateData = kCmMessageSize - CmRep::kPrivateDataSize;
constexpr std::size_t kRtuPrivateData = kCmMessageSize - CmRtu::kPrivateDataSize;

}  // namespace

Result<CmMra> CmMra::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM MRA", {.needed = kSize, .found = bytes.size()});
  }
  CmMra mra{.local_communication_id = load_be32(bytes, 0),
            .remote_communication_id = load_be32(bytes, 4),
            .message = static_cast<std::uint8_t>(load_u8(bytes, 8) >> 6),
            .reserved_message = static_cast<std::uint8_t>(load_u8(bytes, 8) & 0x3FU),
            .service_timeout = static_cast<std::uint8_t>(load_u8(bytes, 9) >> 3),
            .reserved_timeout = static_cast<std::uint8_t>(load_u8(bytes, 9) & 7U)};
  std::ranges::copy(bytes.subspan(kMraPrivateData, kPrivateDataSize), mra.private_data.begin());
  return mra;
}

void CmMra::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  store_u8(out, 8, static_cast<std::uint8_t>(shifted<6>(message) | (reserved_message & 0x3FU)));
  store_u8(out, 9, static_cast<std::uint8_t>(shifted<3>(service_timeout) | (reserved_timeout & 7U)));
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kMraPrivateData));
}

Result<CmRej> CmRej::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM REJ", {.needed = kSize, .found = bytes.size()});
  }
  CmRej rej{.local_communication_id = load_be32(bytes, 0),
            .remote_communication_id = load_be32(bytes, 4),
            .message = static_cast<std::uint8_t>(load_u8(bytes, 8) >> 6),
            .reserved_message = static_cast<std::uint8_t>(load_u8(bytes, 8) & 0x3FU),
            .additional_length = static_cast<std::uint8_t>(load_u8(bytes, 9) >> 1),
            .reserved_length = (load_u8(bytes, 9) & 1U) != 0,
            .reason = load_be16(bytes, 10)};
  if (rej.additional_length > kAdditionalSize) {
    return fail("CM REJ has {} bytes of additional information, at most {}", rej.additional_length, kAdditionalSize);
  }
  std::ranges::copy(bytes.subspan(kRejAdditional, kAdditionalSize), rej.additional.begin());
  std::ranges::copy(bytes.subspan(kRejPrivateData, kPrivateDataSize), rej.private_data.begin());
  return rej;
}

void CmRej::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  store_u8(out, 8, static_cast<std::uint8_t>(shifted<6>(message) | (reserved_message & 0x3FU)));
  store_u8(out, 9, static_cast<std::uint8_t>(shifted<1>(additional_length) | (reserved_length ? 1U : 0U)));
  store_be16(out, 10, reason);
  std::ranges::copy(additional, out.begin() + static_cast<std::ptrdiff_t>(kRejAdditional));
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kRejPrivateData));
}

Result<CmRep> CmRep::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM REP", {.needed = kSize, .found = bytes.size()});
  }
  const auto delay = load_u8(bytes, 26);
  const auto retry = load_u8(bytes, 27);
  CmRep rep{.local_communication_id = load_be32(bytes, 0),
            .remote_communication_id = load_be32(bytes, 4),
            .local_queue_key = load_be32(bytes, 8),
            .local_qp = load_be24(bytes, 12),
            .reserved_qp = load_u8(bytes, 15),
            .local_ee_context = load_be24(bytes, 16),
            .reserved_ee_context = load_u8(bytes, 19),
            .starting_psn = Psn(load_be24(bytes, 20)),
            .reserved_psn = load_u8(bytes, 23),
            .responder_resources = load_u8(bytes, 24),
            .initiator_depth = load_u8(bytes, 25),
            .target_ack_delay = static_cast<std::uint8_t>(delay >> 3),
            .failover = static_cast<std::uint8_t>((delay >> 1) & 3U),
            .flow_control = (delay & 1U) != 0,
            .rnr_retry_count = static_cast<std::uint8_t>(retry >> 5),
            .shared_receive_queue = (retry & 0x10U) != 0,
            .reserved_retry = static_cast<std::uint8_t>(retry & 0x0FU),
            .local_ca_guid = load_be64(bytes, 28)};
  std::ranges::copy(bytes.subspan(kRepPrivateData, kPrivateDataSize), rep.private_data.begin());
  return rep;
}

void CmRep::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  store_be32(out, 8, local_queue_key);
  store_be24(out, 12, local_qp);
  store_u8(out, 15, reserved_qp);
  store_be24(out, 16, local_ee_context);
  store_u8(out, 19, reserved_ee_context);
  store_be24(out, 20, starting_psn.value());
  store_u8(out, 23, reserved_psn);
  store_u8(out, 24, responder_resources);
  store_u8(out, 25, initiator_depth);
  store_u8(out, 26,
           static_cast<std::uint8_t>(shifted<3>(target_ack_delay) | ((failover & 3U) << 1) | (flow_control ? 1U : 0U)));
  store_u8(out, 27,
           static_cast<std::uint8_t>(shifted<5>(rnr_retry_count) | (shared_receive_queue ? 0x10U : 0U) |
                                     (reserved_retry & 0x0FU)));
  store_be64(out, 28, local_ca_guid);
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kRepPrivateData));
}

Result<CmRtu> CmRtu::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM RTU", {.needed = kSize, .found = bytes.size()});
  }
  CmRtu rtu{.local_communication_id = load_be32(bytes, 0), .remote_communication_id = load_be32(bytes, 4)};
  std::ranges::copy(bytes.subspan(kRtuPrivateData, kPrivateDataSize), rtu.private_data.begin());
  return rtu;
}

void CmRtu::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kRtuPrivateData));
}

}  // namespace weft::wire
