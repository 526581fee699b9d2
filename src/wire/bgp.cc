#include "wire/bgp.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "wire/byte_order.h"

namespace weft::wire {
namespace {

enum BgpType : std::uint8_t { kBgpOpenType = 1, kBgpUpdateType = 2, kBgpNotificationType = 3, kBgpKeepaliveType = 4 };

enum BgpAttributeType : std::uint8_t { kOriginType = 1, kAsPathType = 2, kNextHopType = 3, kCommunitiesType = 8 };

constexpr std::uint8_t kBgpVersion = 4;
constexpr std::uint8_t kAttributeOptional = 0x80;
constexpr std::uint8_t kAttributeTransitive = 0x40;
constexpr std::uint8_t kAttributeExtended = 0x10;
constexpr std::uint8_t kAsSequence = 2;
constexpr std::size_t kMostOfSegment = 255;
constexpr std::uint8_t kCapabilitiesParameter = 2;
constexpr std::uint8_t kMultiprotocolCapability = 1;
constexpr std::uint8_t kFourOctetCapability = 65;
constexpr std::size_t kMinBgpOpen = 29;
constexpr std::size_t kMinBgpNotification = 21;

// Subcodes: RFC 4271 6.1 to 6.3.
constexpr std::uint8_t kNotSynchronised = 1;
constexpr std::uint8_t kBadLength = 2;
constexpr std::uint8_t kBadType = 3;
constexpr std::uint8_t kBadVersion = 1;
constexpr std::uint8_t kBadAs = 2;
constexpr std::uint8_t kBadIdentifier = 3;
constexpr std::uint8_t kBadHoldTime = 6;
constexpr std::uint8_t kBadCapability = 7;
constexpr std::uint8_t kMalformedList = 1;
constexpr std::uint8_t kUnknownWellKnown = 2;
constexpr std::uint8_t kMissingWellKnown = 3;
constexpr std::uint8_t kBadFlags = 4;
constexpr std::uint8_t kBadAttributeLength = 5;
constexpr std::uint8_t kBadOrigin = 6;
constexpr std::uint8_t kBadNextHop = 8;
constexpr std::uint8_t kOptionalAttribute = 9;
constexpr std::uint8_t kBadPrefix = 10;
constexpr std::uint8_t kBadPath = 11;

template <class... Args>
tl::unexpected<BgpFault> bgp_fault(BgpErrorCode code, std::uint8_t subcode, fmt::format_string<Args...> format,
                                   Args&&... args) {
  return tl::unexpected<BgpFault>(
      BgpFault{.code = code, .subcode = subcode, .message = fmt::format(format, std::forward<Args>(args)...)});
}
template <class... Args>
tl::unexpected<BgpFault> update_fault(std::uint8_t subcode, fmt::format_string<Args...> format, Args&&... args) {
  return bgp_fault(BgpErrorCode::kUpdate, subcode, format, std::forward<Args>(args)...);
}

BgpResult<std::vector<BgpPrefix>> parse_prefixes(std::span<const std::byte> bytes, std::uint8_t subcode) {
  std::vector<BgpPrefix> prefixes;
  while (!bytes.empty()) {
    BgpPrefix prefix{.length = load_u8(bytes, 0)};
    const std::size_t size = bgp_prefix_size(prefix);
    if (prefix.length > 32 || size > bytes.size()) {
      return update_fault(subcode, "prefix of {} bits, with {} bytes left", prefix.length, bytes.size() - 1);
    }
    for (std::size_t i = 1; i < size; ++i) {
      prefix.address |= std::uint32_t{load_u8(bytes, i)} << (32 - 8 * i);
    }
    if (prefix.length < 32) {  // what stands behind the length means nothing
      prefix.address &= prefix.length == 0 ? 0U : ~0U << (32U - prefix.length);
    }
    prefixes.push_back(prefix);
    bytes = bytes.subspan(size);
  }
  return prefixes;
}

void put_prefixes(const std::vector<BgpPrefix>& prefixes, std::vector<std::byte>& out) {
  for (const BgpPrefix& prefix : prefixes) {
    out.push_back(static_cast<std::byte>(prefix.length));
    for (std::size_t i = 1; i < bgp_prefix_size(prefix); ++i) {
      out.push_back(static_cast<std::byte>(prefix.address >> (32 - 8 * i) & 0xFFU));
    }
  }
}

void put_be16(std::vector<std::byte>& out, std::uint16_t value) {
  out.resize(out.size() + 2);
  store_be16(out, out.size() - 2, value);
}
void put_be32(std::vector<std::byte>& out, std::uint32_t value) {
  out.resize(out.size() + 4);
  store_be32(out, out.size() - 4, value);
}
void put_u8(std::vector<std::byte>& out, std::uint8_t value) { out.push_back(static_cast<std::byte>(value)); }

BgpResult<std::vector<std::uint32_t>> parse_as_path(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> path;
  while (!bytes.empty()) {
    if (bytes.size() < 2) {
      return update_fault(kBadPath, "AS path ends within the head of a segment");
    }
    const std::size_t count = load_u8(bytes, 1);
    if (load_u8(bytes, 0) != kAsSequence) {
      return update_fault(kBadPath, "segment of type {} in an AS path, 2 (a sequence) is used here", load_u8(bytes, 0));
    }
    if (count == 0 || 2 + 4 * count > bytes.size()) {
      return update_fault(kBadPath, "segment of {} AS numbers, with {} bytes left", count, bytes.size() - 2);
    }
    for (std::size_t i = 0; i < count; ++i) {
      path.push_back(load_be32(bytes, 2 + 4 * i));
    }
    bytes = bytes.subspan(2 + 4 * count);
  }
  return path;
}

/// Which of the mandatory ones have been seen: a bit by type.
using SeenAttributes = std::uint32_t;

struct RawAttribute {
  std::uint8_t flags = 0;
  std::uint8_t type = 0;
  std::span<const std::byte> value;
};

BgpResult<RawAttribute> take_attribute(std::span<const std::byte>& bytes) {
  const std::size_t head = bytes.size() >= 1 && (load_u8(bytes, 0) & kAttributeExtended) != 0 ? 4 : 3;
  if (bytes.size() < head) {
    return update_fault(kMalformedList, "attributes end within the head of one");
  }
  const std::size_t length = head == 4 ? load_be16(bytes, 2) : load_u8(bytes, 2);
  if (head + length > bytes.size()) {
    return update_fault(kBadAttributeLength, "attribute {} has {} bytes, and {} are left", load_u8(bytes, 1), length,
                        bytes.size() - head);
  }
  const RawAttribute attribute{
      .flags = load_u8(bytes, 0), .type = load_u8(bytes, 1), .value = bytes.subspan(head, length)};
  bytes = bytes.subspan(head + length);
  return attribute;
}

//= rfc4271 6.3
std::optional<BgpFault> check_flags(const RawAttribute& attribute) {
  const bool optional = (attribute.flags & kAttributeOptional) != 0;
  const bool transitive = (attribute.flags & kAttributeTransitive) != 0;
  const bool well_known =
      attribute.type == kOriginType || attribute.type == kAsPathType || attribute.type == kNextHopType;
  if (well_known ? optional || !transitive : attribute.type == kCommunitiesType && (!optional || !transitive)) {
    return update_fault(kBadFlags, "attribute {} has flags 0x{:02X}", attribute.type, attribute.flags).value();
  }
  if (!well_known && !optional) {
    return update_fault(kUnknownWellKnown, "well-known attribute {} is not known", attribute.type).value();
  }
  return std::nullopt;
}

std::optional<BgpFault> apply_attribute(const RawAttribute& attribute, BgpAttributes& to) {
  switch (attribute.type) {
    case kOriginType:
      if (attribute.value.size() != 1) {
        return update_fault(kBadAttributeLength, "ORIGIN has {} bytes, must have 1", attribute.value.size()).value();
      }
      if (load_u8(attribute.value, 0) > 2) {
        return update_fault(kBadOrigin, "ORIGIN is {}, must be 0 to 2", load_u8(attribute.value, 0)).value();
      }
      to.origin = static_cast<BgpOrigin>(load_u8(attribute.value, 0));
      break;
    case kAsPathType: {
      BgpResult<std::vector<std::uint32_t>> path = parse_as_path(attribute.value);
      if (!path) {
        return path.error();
      }
      to.as_path = std::move(*path);
      break;
    }
    case kNextHopType:
      if (attribute.value.size() != 4) {
        return update_fault(kBadAttributeLength, "NEXT_HOP has {} bytes, must have 4", attribute.value.size()).value();
      }
      to.next_hop = load_be32(attribute.value, 0);
      if (to.next_hop == 0 || to.next_hop >> 28 >= 0xE) {
        return update_fault(kBadNextHop, "NEXT_HOP is 0x{:08X}, must be the address of a host", to.next_hop).value();
      }
      break;
    case kCommunitiesType:
      if (attribute.value.size() % 4 != 0 || attribute.value.empty()) {
        return update_fault(kOptionalAttribute, "COMMUNITIES has {} bytes, must have 4 each", attribute.value.size())
            .value();
      }
      for (std::size_t i = 0; i < attribute.value.size(); i += 4) {
        to.communities.push_back(load_be32(attribute.value, i));
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

BgpResult<BgpAttributes> parse_attributes(std::span<const std::byte> bytes, bool has_prefixes) {
  BgpAttributes attributes;
  SeenAttributes seen = 0;
  while (!bytes.empty()) {
    const BgpResult<RawAttribute> attribute = take_attribute(bytes);
    if (!attribute) {
      return tl::unexpected<BgpFault>(attribute.error());
    }
    if (std::optional<BgpFault> fault = check_flags(*attribute)) {
      return tl::unexpected<BgpFault>(std::move(*fault));
    }
    if (attribute->type < 32) {
      if ((seen >> attribute->type & 1U) != 0) {
        return update_fault(kMalformedList, "attribute {} appears twice", attribute->type);
      }
      seen |= 1U << attribute->type;
    }
    if (std::optional<BgpFault> fault = apply_attribute(*attribute, attributes)) {
      return tl::unexpected<BgpFault>(std::move(*fault));
    }
  }
  for (const std::uint8_t type : {kOriginType, kAsPathType, kNextHopType}) {
    if (has_prefixes && (seen >> type & 1U) == 0) {
      return update_fault(kMissingWellKnown, "prefixes without attribute {}", type);
    }
  }
  return attributes;
}

//= rfc4271 6.2
BgpResult<BgpOpen> parse_open(std::span<const std::byte> body) {
  const auto open_fault = [](std::uint8_t subcode, std::string text) {
    return tl::unexpected<BgpFault>(
        BgpFault{.code = BgpErrorCode::kOpen, .subcode = subcode, .message = std::move(text)});
  };
  if (const int version = load_u8(body, 0); version != kBgpVersion) {
    return open_fault(kBadVersion, fmt::format("BGP version is {}, must be 4", version));
  }
  BgpOpen open{.as_number = 0, .hold_time = load_be16(body, 3), .identifier = load_be32(body, 5)};
  if (open.hold_time == 1 || open.hold_time == 2) {
    return open_fault(kBadHoldTime, fmt::format("hold time is {} s, must be 0 or at least 3", open.hold_time));
  }
  if (open.identifier == 0) {
    return open_fault(kBadIdentifier, "BGP identifier is 0, must not be");
  }
  std::span<const std::byte> parameters = body.subspan(10);
  if (parameters.size() != load_u8(body, 9)) {
    return open_fault(
        0, fmt::format("OPEN says {} bytes of parameters, and {} came", load_u8(body, 9), parameters.size()));
  }
  bool has_four_octets = false;
  while (!parameters.empty()) {
    if (parameters.size() < 2 || 2U + load_u8(parameters, 1) > parameters.size()) {
      return open_fault(0, "OPEN parameters end within one");
    }
    std::span<const std::byte> own = parameters.subspan(2, load_u8(parameters, 1));
    const bool are_capabilities = load_u8(parameters, 0) == kCapabilitiesParameter;
    parameters = parameters.subspan(2 + own.size());
    while (are_capabilities && !own.empty()) {
      if (own.size() < 2 || 2U + load_u8(own, 1) > own.size()) {
        return open_fault(0, "capabilities of an OPEN end within one");
      }
      if (load_u8(own, 0) == kFourOctetCapability && load_u8(own, 1) == 4) {
        open.as_number = load_be32(own, 2);
        has_four_octets = true;
      }
      own = own.subspan(2U + load_u8(own, 1));
    }
  }
  if (!has_four_octets) {
    return open_fault(kBadCapability, "OPEN without AS numbers of four octets, which are used throughout here");
  }
  if (open.as_number == 0) {
    return open_fault(kBadAs, "AS number is 0, must not be");
  }
  return open;
}

BgpResult<BgpUpdate> parse_update(std::span<const std::byte> body) {
  const std::size_t withdrawn = load_be16(body, 0);
  if (4 + withdrawn > body.size()) {
    return update_fault(kMalformedList, "{} bytes of withdrawn prefixes in an UPDATE of {}", withdrawn, body.size());
  }
  const std::size_t attributes = load_be16(body, 2 + withdrawn);
  if (4 + withdrawn + attributes > body.size()) {
    return update_fault(kMalformedList, "{} bytes of attributes in an UPDATE of {}", attributes, body.size());
  }
  BgpUpdate update;
  BgpResult<std::vector<BgpPrefix>> gone = parse_prefixes(body.subspan(2, withdrawn), kMalformedList);
  if (!gone) {
    return tl::unexpected<BgpFault>(gone.error());
  }
  BgpResult<std::vector<BgpPrefix>> here = parse_prefixes(body.subspan(4 + withdrawn + attributes), kBadPrefix);
  if (!here) {
    return tl::unexpected<BgpFault>(here.error());
  }
  BgpResult<BgpAttributes> read = parse_attributes(body.subspan(4 + withdrawn, attributes), !here->empty());
  if (!read) {
    return tl::unexpected<BgpFault>(read.error());
  }
  return BgpUpdate{.withdrawn = std::move(*gone),
                   .attributes = here->empty() ? BgpAttributes{} : std::move(*read),
                   .reachable = std::move(*here)};
}

void put_open(const BgpOpen& open, std::vector<std::byte>& out) {
  put_u8(out, kBgpVersion);
  put_be16(out, open.as_number > 0xFFFF ? kAsTrans : static_cast<std::uint16_t>(open.as_number));
  put_be16(out, open.hold_time);
  put_be32(out, open.identifier);
  // One parameter with two capabilities: IPv4 unicast, and AS numbers of four octets.
  constexpr std::uint8_t kCapabilities = 6 + 6;
  put_u8(out, 2 + kCapabilities);
  put_u8(out, kCapabilitiesParameter);
  put_u8(out, kCapabilities);
  put_u8(out, kMultiprotocolCapability);
  put_u8(out, 4);
  put_be16(out, 1);
  put_be16(out, 1);
  put_u8(out, kFourOctetCapability);
  put_u8(out, 4);
  put_be32(out, open.as_number);
}

std::size_t as_path_size(const std::vector<std::uint32_t>& path) {
  return 4 * path.size() + 2 * ((path.size() + kMostOfSegment - 1) / kMostOfSegment);
}

/// The head of an attribute whose value has that many bytes.
void put_attribute_head(std::vector<std::byte>& out, std::uint8_t flags, BgpAttributeType type, std::size_t length) {
  const bool extended = length > 0xFF;
  put_u8(out, static_cast<std::uint8_t>(flags | (extended ? kAttributeExtended : 0)));
  put_u8(out, type);
  if (extended) {
    put_be16(out, static_cast<std::uint16_t>(length));
  } else {
    put_u8(out, static_cast<std::uint8_t>(length));
  }
}

std::size_t attribute_size(std::size_t length) { return length + (length > 0xFF ? 4 : 3); }

void put_attributes(const BgpAttributes& attributes, std::vector<std::byte>& out) {
  put_attribute_head(out, kAttributeTransitive, kOriginType, 1);
  put_u8(out, static_cast<std::uint8_t>(attributes.origin));
  put_attribute_head(out, kAttributeTransitive, kAsPathType, as_path_size(attributes.as_path));
  for (std::size_t at = 0; at < attributes.as_path.size(); at += kMostOfSegment) {
    const std::size_t count = std::min(kMostOfSegment, attributes.as_path.size() - at);
    put_u8(out, kAsSequence);
    put_u8(out, static_cast<std::uint8_t>(count));
    for (std::size_t i = at; i < at + count; ++i) {
      put_be32(out, attributes.as_path[i]);
    }
  }
  put_attribute_head(out, kAttributeTransitive, kNextHopType, 4);
  put_be32(out, attributes.next_hop);
  if (!attributes.communities.empty()) {
    put_attribute_head(out, kAttributeOptional | kAttributeTransitive, kCommunitiesType,
                       4 * attributes.communities.size());
    for (const std::uint32_t community : attributes.communities) {
      put_be32(out, community);
    }
  }
}

void put_update(const BgpUpdate& update, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  put_be16(out, 0);
  put_prefixes(update.withdrawn, out);
  store_be16(out, at, static_cast<std::uint16_t>(out.size() - at - 2));
  const std::size_t attributes_at = out.size();
  put_be16(out, 0);
  if (!update.reachable.empty()) {
    put_attributes(update.attributes, out);
  }
  store_be16(out, attributes_at, static_cast<std::uint16_t>(out.size() - attributes_at - 2));
  put_prefixes(update.reachable, out);
}

std::uint8_t type_of(const BgpMessage& message) {
  constexpr std::uint8_t kTypes[] = {kBgpOpenType, kBgpUpdateType, kBgpNotificationType, kBgpKeepaliveType};
  return kTypes[message.index()];
}

}  // namespace

std::size_t bgp_attributes_size(const BgpAttributes& attributes) {
  return attribute_size(1) + attribute_size(as_path_size(attributes.as_path)) + attribute_size(4) +
         (attributes.communities.empty() ? 0 : attribute_size(4 * attributes.communities.size()));
}

//= rfc4271 6.1
BgpResult<std::size_t> bgp_message_length(std::span<const std::byte> bytes) {
  WEFT_ASSERT(bytes.size() >= kBgpHeaderSize);
  if (std::ranges::any_of(bytes.first(16), [](std::byte b) { return b != std::byte{0xFF}; })) {
    return bgp_fault(BgpErrorCode::kHeader, kNotSynchronised, "the marker of a BGP message is not all ones");
  }
  const std::size_t length = load_be16(bytes, 16);
  if (length < kBgpHeaderSize || length > kBgpMaxMessage) {
    return bgp_fault(BgpErrorCode::kHeader, kBadLength, "BGP message of {} bytes, must have 19 to 4096", length);
  }
  return length;
}

BgpResult<BgpMessage> parse_bgp(std::span<const std::byte> bytes) {
  if (bytes.size() < kBgpHeaderSize) {
    return bgp_fault(BgpErrorCode::kHeader, kBadLength, "BGP message needs 19 bytes, found {}", bytes.size());
  }
  const BgpResult<std::size_t> length = bgp_message_length(bytes);
  if (!length) {
    return tl::unexpected<BgpFault>(length.error());
  }
  const std::uint8_t type = load_u8(bytes, 18);
  const std::size_t least = type == kBgpOpenType           ? kMinBgpOpen
                            : type == kBgpUpdateType       ? kBgpUpdateFixed
                            : type == kBgpNotificationType ? kMinBgpNotification
                                                           : kBgpHeaderSize;
  if (*length != bytes.size() || *length < least || (type == kBgpKeepaliveType && *length != kBgpHeaderSize)) {
    return bgp_fault(BgpErrorCode::kHeader, kBadLength, "BGP message of type {} says {} bytes, and {} came", type,
                     *length, bytes.size());
  }
  const std::span<const std::byte> body = bytes.subspan(kBgpHeaderSize);
  switch (type) {
    case kBgpOpenType:
      return parse_open(body).map([](const BgpOpen& open) { return BgpMessage(open); });
    case kBgpUpdateType:
      return parse_update(body).map([](const BgpUpdate& update) { return BgpMessage(update); });
    case kBgpNotificationType:
      return BgpMessage(
          BgpNotification{.code = static_cast<BgpErrorCode>(load_u8(body, 0)), .subcode = load_u8(body, 1)});
    case kBgpKeepaliveType:
      return BgpMessage(BgpKeepalive{});
    default:
      return bgp_fault(BgpErrorCode::kHeader, kBadType, "BGP message of type {}, must be 1 to 4", type);
  }
}

void emit_bgp(const BgpMessage& message, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  out.insert(out.end(), 16, std::byte{0xFF});
  put_be16(out, 0);
  put_u8(out, type_of(message));
  if (const auto* const open = std::get_if<BgpOpen>(&message)) {
    put_open(*open, out);
  } else if (const auto* const update = std::get_if<BgpUpdate>(&message)) {
    put_update(*update, out);
  } else if (const auto* const notification = std::get_if<BgpNotification>(&message)) {
    put_u8(out, static_cast<std::uint8_t>(notification->code));
    put_u8(out, notification->subcode);
  }
  WEFT_ASSERT(out.size() - at <= kBgpMaxMessage);
  store_be16(out, at + 16, static_cast<std::uint16_t>(out.size() - at));
}

}  // namespace weft::wire
