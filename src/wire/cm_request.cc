#include "wire/cm_request.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"
#include "wire/version6_word.h"

namespace weft::wire {

namespace {

constexpr std::size_t kPrimaryPath = 52;
constexpr std::size_t kAlternatePath = kPrimaryPath + CmPath::kSize;
constexpr std::size_t kPrivateData = kAlternatePath + CmPath::kSize;
static_assert(kPrivateData + CmReq::kPrivateDataSize == kCmMessageSize);

/// The words and bytes between the identifiers and the paths that hold several fields each.
void load_packed_fields(CmReq& req, std::span<const std::byte> bytes) {
  const auto remote = load_u8(bytes, 43);
  req.remote_response_timeout = static_cast<std::uint8_t>(remote >> 3);
  req.transport_service = static_cast<std::uint8_t>((remote >> 1) & 3U);
  req.flow_control = (remote & 1U) != 0;
  const auto local = load_u8(bytes, 47);
  req.local_response_timeout = static_cast<std::uint8_t>(local >> 3);
  req.retry_count = local & 7U;
  const auto mtu = load_u8(bytes, 50);
  req.path_mtu = static_cast<std::uint8_t>(mtu >> 4);
  req.rdc_exists = (mtu & 8U) != 0;
  req.rnr_retry_count = mtu & 7U;
  const auto retries = load_u8(bytes, 51);
  req.max_cm_retries = static_cast<std::uint8_t>(retries >> 4);
  req.shared_receive_queue = (retries & 8U) != 0;
  req.extended_transport = retries & 7U;
}

void store_packed_fields(const CmReq& req, std::span<std::byte> out) {
  store_u8(out, 43,
           static_cast<std::uint8_t>(shifted<3>(req.remote_response_timeout) | ((req.transport_service & 3U) << 1) |
                                     (req.flow_control ? 1U : 0U)));
  store_u8(out, 47, static_cast<std::uint8_t>(shifted<3>(req.local_response_timeout) | (req.retry_count & 7U)));
  store_u8(
      out, 50,
      static_cast<std::uint8_t>(shifted<4>(req.path_mtu) | (req.rdc_exists ? 8U : 0U) | (req.rnr_retry_count & 7U)));
  store_u8(out, 51,
           static_cast<std::uint8_t>(shifted<4>(req.max_cm_retries) | (req.shared_receive_queue ? 8U : 0U) |
                                     (req.extended_transport & 7U)));
}

}  // namespace

Result<CmPath> CmPath::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM path", {.needed = kSize, .found = bytes.size()});
  }
  const auto flow = load_be32(bytes, 36);
  const auto level = load_u8(bytes, 42);
  const auto timeout = load_u8(bytes, 43);
  return CmPath{.local_lid = load_be16(bytes, 0),
                .remote_lid = load_be16(bytes, 2),
                .local_gid = load_address(bytes, 4),
                .remote_gid = load_address(bytes, 20),
                .flow_label = flow >> 12,
                .reserved_rate = static_cast<std::uint8_t>((flow >> 6) & 0x3FU),
                .packet_rate = static_cast<std::uint8_t>(flow & 0x3FU),
                .traffic_class = load_u8(bytes, 40),
                .hop_limit = load_u8(bytes, 41),
                .service_level = static_cast<std::uint8_t>(level >> 4),
                .subnet_local = (level & 8U) != 0,
                .reserved_level = static_cast<std::uint8_t>(level & 7U),
                .local_ack_timeout = static_cast<std::uint8_t>(timeout >> 3),
                .reserved_timeout = static_cast<std::uint8_t>(timeout & 7U)};
}

void CmPath::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0, local_lid);
  store_be16(out, 2, remote_lid);
  store_address(out, 4, local_gid);
  store_address(out, 20, remote_gid);
  store_be32(out, 36, shifted<12>(flow_label) | ((reserved_rate & 0x3FU) << 6) | (packet_rate & 0x3FU));
  store_u8(out, 40, traffic_class);
  store_u8(out, 41, hop_limit);
  store_u8(out, 42,
           static_cast<std::uint8_t>(shifted<4>(service_level) | (subnet_local ? 8U : 0U) | (reserved_level & 7U)));
  store_u8(out, 43, static_cast<std::uint8_t>(shifted<3>(local_ack_timeout) | (reserved_timeout & 7U)));
}

Result<CmReq> CmReq::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM REQ", {.needed = kSize, .found = bytes.size()});
  }
  CmReq req;
  req.local_communication_id = load_be32(bytes, 0);
  req.reserved_id = load_be32(bytes, 4);
  req.service_id = load_be64(bytes, 8);
  req.local_ca_guid = load_be64(bytes, 16);
  req.reserved_guid = load_be32(bytes, 24);
  req.local_queue_key = load_be32(bytes, 28);
  req.local_qp = load_be24(bytes, 32);
  req.responder_resources = load_u8(bytes, 35);
  req.local_ee_context = load_be24(bytes, 36);
  req.initiator_depth = load_u8(bytes, 39);
  req.remote_ee_context = load_be24(bytes, 40);
  req.starting_psn = Psn(load_be24(bytes, 44));
  req.partition_key = load_be16(bytes, 48);
  load_packed_fields(req, bytes);
  req.primary = *CmPath::parse(bytes.subspan(kPrimaryPath));
  req.alternate = *CmPath::parse(bytes.subspan(kAlternatePath));
  std::ranges::copy(bytes.subspan(kPrivateData, kPrivateDataSize), req.private_data.begin());
  return req;
}

void CmReq::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, reserved_id);
  store_be64(out, 8, service_id);
  store_be64(out, 16, local_ca_guid);
  store_be32(out, 24, reserved_guid);
  store_be32(out, 28, local_queue_key);
  store_be24(out, 32, local_qp);
  store_u8(out, 35, responder_resources);
  store_be24(out, 36, local_ee_context);
  store_u8(out, 39, initiator_depth);
  store_be24(out, 40, remote_ee_context);
  store_be24(out, 44, starting_psn.value());
  store_be16(out, 48, partition_key);
  store_packed_fields(*this, out);
  primary.emit(out.subspan(kPrimaryPath));
  alternate.emit(out.subspan(kAlternatePath));
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kPrivateData));
}

}  // namespace weft::wire
