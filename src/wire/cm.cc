#include "wire/cm.h"

#include <utility>

#include "base/assert.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

/// Adds the message to a datagram whose header is known.
template <class Message>
Result<CmDatagram> with_message(const MadHeader& header, std::span<const std::byte> bytes) {
  auto message = Message::parse(bytes);
  if (!message) {
    return pass_on(message);
  }
  return CmDatagram{.header = header, .message = *message};
}

Result<void> check_header(const MadHeader& header) {
  if (header.management_class != kClassConnection || header.class_version != CmDatagram::kClassVersion) {
    return fail("management class is 0x{:02X} version {}, connection management has 0x{:02X} version {}",
                header.management_class, header.class_version, kClassConnection, CmDatagram::kClassVersion);
  }
  if (header.method != kMethodSend) {
    return fail("method of connection management is 0x{:02X}, must be 0x{:02X} (Send)", header.method, kMethodSend);
  }
  return {};
}

}  // namespace

CmDatagram CmDatagram::of(CmMessage message) {
  CmDatagram datagram{.message = std::move(message)};
  datagram.header.attribute_id = std::visit([](const auto& m) { return m.kAttribute; }, datagram.message);
  return datagram;
}

Result<CmDatagram> CmDatagram::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CM datagram", {.needed = kSize, .found = bytes.size()});
  }
  auto header = MadHeader::parse(bytes);
  if (!header) {
    return pass_on(header);
  }
  if (auto checked = check_header(*header); !checked) {
    return pass_on(checked);
  }
  const auto body = bytes.subspan(MadHeader::kSize);
  switch (header->attribute_id) {
    case CmReq::kAttribute:
      return with_message<CmReq>(*header, body);
    case CmMra::kAttribute:
      return with_message<CmMra>(*header, body);
    case CmRej::kAttribute:
      return with_message<CmRej>(*header, body);
    case CmRep::kAttribute:
      return with_message<CmRep>(*header, body);
    case CmRtu::kAttribute:
      return with_message<CmRtu>(*header, body);
    case CmDreq::kAttribute:
      return with_message<CmDreq>(*header, body);
    case CmDrep::kAttribute:
      return with_message<CmDrep>(*header, body);
    default:
      return fail("connection management attribute is 0x{:04X}, known are 0x0010 (REQ) to 0x0016 (DREP)",
                  header->attribute_id);
  }
}

void CmDatagram::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  header.emit(out);
  std::visit([&out](const auto& m) { m.emit(out.subspan(MadHeader::kSize)); }, message);
}

}  // namespace weft::wire
