#include "wire/lldp.h"

#include <optional>

#include "base/assert.h"
#include "wire/byte_order.h"

namespace weft::wire {
namespace {

enum LldpField : std::uint8_t { kLldpEnd = 0, kLldpChassis = 1, kLldpPort = 2, kLldpTtl = 3, kLldpSystemName = 5 };

/// Of chassis and port alike: locally assigned.
constexpr std::byte kLldpLocal{7};
constexpr std::size_t kLldpFieldHeader = 2;

struct LldpPart {
  std::uint8_t type = 0;
  std::span<const std::byte> value;
};

Result<LldpPart> take_lldp_part(std::span<const std::byte>& bytes) {
  if (bytes.size() < kLldpFieldHeader) {
    return fail("LLDP unit ends without its end field");
  }
  const std::uint16_t head = load_be16(bytes, 0);
  const std::size_t length = head & 0x1FFU;
  bytes = bytes.subspan(kLldpFieldHeader);
  if (length > bytes.size()) {
    return fail("LLDP field of type {} has {} bytes, and {} are left", head >> 9, length, bytes.size());
  }
  const LldpPart part{.type = static_cast<std::uint8_t>(head >> 9), .value = bytes.first(length)};
  bytes = bytes.subspan(length);
  return part;
}

std::string lldp_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A name behind its subtype.
Result<std::string> lldp_identity(const LldpPart& part, const char* what) {
  if (part.value.size() < 2 || part.value.size() > LldpUnit::kMaxName + 1) {
    return fail("LLDP {} has {} bytes, must have 2 to 256", what, part.value.size());
  }
  if (part.value.front() != kLldpLocal) {
    return fail("LLDP {} is of subtype {}, 7 (locally assigned) is used here", what,
                std::to_integer<int>(part.value.front()));
  }
  return lldp_text(part.value.subspan(1));
}

void put_lldp_part(std::vector<std::byte>& out, LldpField type, std::size_t length) {
  const std::size_t at = out.size();
  out.resize(at + kLldpFieldHeader);
  store_be16(out, at, static_cast<std::uint16_t>(shifted<9>(type) | static_cast<unsigned>(length)));
}

void put_lldp_text(std::vector<std::byte>& out, const std::string& text) {
  for (const char c : text) {
    out.push_back(static_cast<std::byte>(c));
  }
}

}  // namespace

Result<LldpUnit> LldpUnit::parse(std::span<const std::byte> bytes) {
  LldpUnit unit;
  constexpr std::uint8_t kMandatory[] = {kLldpChassis, kLldpPort, kLldpTtl};
  for (const std::uint8_t wanted : kMandatory) {
    const Result<LldpPart> part = take_lldp_part(bytes);
    if (!part) {
      return tl::unexpected<Error>(part.error());
    }
    if (part->type != wanted) {
      return fail("LLDP unit has a field of type {} where type {} must be", part->type, wanted);
    }
    if (wanted == kLldpTtl) {
      if (part->value.size() < 2) {
        return fail("LLDP time to live has {} bytes, must have 2", part->value.size());
      }
      unit.time_to_live = load_be16(part->value, 0);
      continue;
    }
    Result<std::string> name = lldp_identity(*part, wanted == kLldpChassis ? "chassis" : "port");
    if (!name) {
      return pass_on(name);
    }
    (wanted == kLldpChassis ? unit.chassis : unit.port) = std::move(*name);
  }
  for (;;) {
    const Result<LldpPart> part = take_lldp_part(bytes);
    if (!part) {
      return tl::unexpected<Error>(part.error());
    }
    if (part->type == kLldpEnd) {
      return unit;
    }
    if (part->type == kLldpSystemName) {
      if (part->value.size() > kMaxName) {
        return fail("LLDP system name has {} bytes, at most 255 are allowed", part->value.size());
      }
      unit.system_name = lldp_text(part->value);
    }
  }
}

void LldpUnit::emit(std::vector<std::byte>& out) const {
  WEFT_ASSERT(!chassis.empty() && chassis.size() <= kMaxName && !port.empty() && port.size() <= kMaxName &&
              system_name.size() <= kMaxName);
  put_lldp_part(out, kLldpChassis, chassis.size() + 1);
  out.push_back(kLldpLocal);
  put_lldp_text(out, chassis);
  put_lldp_part(out, kLldpPort, port.size() + 1);
  out.push_back(kLldpLocal);
  put_lldp_text(out, port);
  put_lldp_part(out, kLldpTtl, 2);
  out.resize(out.size() + 2);
  store_be16(out, out.size() - 2, time_to_live);
  if (!system_name.empty()) {
    put_lldp_part(out, kLldpSystemName, system_name.size());
    put_lldp_text(out, system_name);
  }
  put_lldp_part(out, kLldpEnd, 0);
}

}  // namespace weft::wire
