#include "wire/uet/pds.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

template <class Header>
Result<PdsHeader> parse_as(std::span<const std::byte> bytes) {
  Result<Header> header = Header::parse(bytes);
  if (!header) {
    return pass_on(header);
  }
  return PdsHeader(*header);
}

}  // namespace

Result<PdsHeader> parse_pds(std::span<const std::byte> bytes) {
  if (bytes.size() < 2) {
    return too_short("PDS prologue", {.needed = 2, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  switch (static_cast<PdsType>(prologue.type)) {
    case PdsType::kSecurity:
      return fail("PDS type is 1 (TSS) where a PDS header is due");
    case PdsType::kRudRequest:
    case PdsType::kRodRequest:
    case PdsType::kRudCcRequest:
    case PdsType::kRodCcRequest:
      return parse_as<PdsRequest>(bytes);
    case PdsType::kRudiRequest:
    case PdsType::kRudiResponse:
      return parse_as<PdsRudi>(bytes);
    case PdsType::kUudRequest:
      return parse_as<PdsUud>(bytes);
    case PdsType::kAck:
    case PdsType::kAckCc:
    case PdsType::kAckCcx:
      return parse_as<PdsAck>(bytes);
    case PdsType::kNack:
    case PdsType::kNackCcx:
      return parse_as<PdsNack>(bytes);
    case PdsType::kControl:
      return parse_as<PdsControl>(bytes);
  }
  return fail("PDS type is {}, must be 2 to 14", prologue.type);
}

std::size_t size_of(const PdsHeader& header) {
  return std::visit([](const auto& one) -> std::size_t { return one.size(); }, header);
}

void emit(const PdsHeader& header, std::span<std::byte> out) {
  std::visit([out](const auto& one) { one.emit(out); }, header);
}

NextHeader next_header_of(const PdsHeader& header) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.next_header; }) {
          return one.next_header;
        } else {
          return NextHeader::kNone;
        }
      },
      header);
}

}  // namespace weft::wire::uet
