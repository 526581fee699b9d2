#include "wire/cm_disconnect.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::size_t kDreqPrivateData = kCmMessageSize - CmDreq::kPrivateDataSize;
constexpr std::size_t kDrepPrivateData = kCmMessageSize - CmDrep::kPrivateDataSize;

}  // namespace

Result<CmDreq> CmDreq::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM DREQ", {.needed = kSize, .found = bytes.size()});
  }
  CmDreq dreq{.local_communication_id = load_be32(bytes, 0),
              .remote_communication_id = load_be32(bytes, 4),
              .remote_qp = load_be24(bytes, 8),
              .reserved = load_u8(bytes, 11)};
  std::ranges::copy(bytes.subspan(kDreqPrivateData, kPrivateDataSize), dreq.private_data.begin());
  return dreq;
}

void CmDreq::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  store_be24(out, 8, remote_qp);
  store_u8(out, 11, reserved);
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kDreqPrivateData));
}

Result<CmDrep> CmDrep::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM DREP", {.needed = kSize, .found = bytes.size()});
  }
  CmDrep drep{.local_communication_id = load_be32(bytes, 0), .remote_communication_id = load_be32(bytes, 4)};
  std::ranges::copy(bytes.subspan(kDrepPrivateData, kPrivateDataSize), drep.private_data.begin());
  return drep;
}

void CmDrep::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, local_communication_id);
  store_be32(out, 4, remote_communication_id);
  std::ranges::copy(private_data, out.begin() + static_cast<std::ptrdiff_t>(kDrepPrivateData));
}

}  // namespace weft::wire
