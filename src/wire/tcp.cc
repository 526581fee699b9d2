#include "wire/tcp.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

//= rfc9293 3.2
constexpr std::uint8_t kEndOfList = 0;
constexpr std::uint8_t kNoOperation = 1;
constexpr std::uint8_t kMss = 2;
//= rfc7323 2.2
constexpr std::uint8_t kWindowScale = 3;
//= rfc2018 2
constexpr std::uint8_t kSackPermitted = 4;
//= rfc2018 3
constexpr std::uint8_t kSack = 5;
//= rfc7323 3.2
constexpr std::uint8_t kTimestamps = 8;

constexpr std::size_t kMssLength = 4;
constexpr std::size_t kWindowScaleLength = 3;
constexpr std::size_t kSackPermittedLength = 2;
constexpr std::size_t kTimestampsLength = 10;
constexpr std::size_t kSackBlockLength = 8;

tl::unexpected<Error> wrong_length(std::uint8_t kind, std::size_t length) {
  return fail("TCP option {} has a length of {}", kind, length);
}

Result<void> read_sack(TcpOptionFields& fields, std::span<const std::byte> option) {
  const std::size_t blocks = (option.size() - 2) / kSackBlockLength;
  if (blocks == 0 || blocks > kMaxTcpSackBlocks || option.size() != 2 + blocks * kSackBlockLength) {
    return wrong_length(kSack, option.size());
  }
  fields.sack_blocks = static_cast<std::uint8_t>(blocks);
  fields.sack = {};
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t at = 2 + i * kSackBlockLength;
    fields.sack[i] = {.begin = load_be32(option, at), .end = load_be32(option, at + 4)};
  }
  return {};
}

/// `option` is the option with its kind and length, exactly; at least these two bytes.
Result<void> read_option(TcpOptionFields& fields, std::span<const std::byte> option) {
  const std::uint8_t kind = load_u8(option, 0);
  const auto expect = [&](std::size_t length) -> Result<void> {
    return option.size() == length ? Result<void>{} : wrong_length(kind, option.size());
  };
  Result<void> right;
  switch (kind) {
    case kMss:
      if (right = expect(kMssLength); right) {
        fields.mss = load_be16(option, 2);
      }
      return right;
    case kWindowScale:
      if (right = expect(kWindowScaleLength); right) {
        //= rfc7323 2.3
        fields.window_scale = std::min(load_u8(option, 2), TcpOptionFields::kMaxWindowScale);
      }
      return right;
    case kSackPermitted:
      if (right = expect(kSackPermittedLength); right) {
        fields.sack_permitted = true;
      }
      return right;
    case kSack:
      return read_sack(fields, option);
    case kTimestamps:
      if (right = expect(kTimestampsLength); right) {
        fields.timestamps = TcpTimestamps{.value = load_be32(option, 2), .echo = load_be32(option, 6)};
      }
      return right;
    default:
      return {};
  }
}

/// Writes options one behind the other.
class OptionWriter {
 public:
  explicit OptionWriter(std::span<std::byte> out) : out_(out) {}
  void u8(std::uint8_t value) { store_u8(out_, at_++, value); }
  void u16(std::uint16_t value) {
    store_be16(out_, at_, value);
    at_ += 2;
  }
  void u32(std::uint32_t value) {
    store_be32(out_, at_, value);
    at_ += 4;
  }
  void begin(std::uint8_t kind, std::size_t length) {
    u8(kind);
    u8(static_cast<std::uint8_t>(length));
  }
  void pad(int count) {
    for (int i = 0; i < count; ++i) {
      u8(kNoOperation);
    }
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

}  // namespace

Result<TcpSegmentHeader> TcpSegmentHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("TCP header", {.needed = kSize, .found = bytes.size()});
  }
  const std::size_t header_size = (load_u8(bytes, 12) >> 4) * 4U;
  if (header_size < kSize) {
    return fail("TCP header length is {} bytes, must be 20 to 60", header_size);
  }
  if (bytes.size() < header_size) {
    return too_short("TCP header with options", {.needed = header_size, .found = bytes.size()});
  }
  TcpSegmentHeader header;
  header.source_port = load_be16(bytes, 0);
  header.destination_port = load_be16(bytes, 2);
  header.sequence = load_be32(bytes, 4);
  header.acknowledgement = load_be32(bytes, 8);
  header.reserved = load_u8(bytes, 12) & 0x0FU;
  header.flags = load_u8(bytes, 13);
  header.window = load_be16(bytes, 14);
  header.checksum = load_be16(bytes, 16);
  header.urgent_pointer = load_be16(bytes, 18);
  header.options_size = static_cast<std::uint8_t>(header_size - kSize);
  std::ranges::copy(bytes.subspan(kSize, header.options_size), header.options.begin());
  return header;
}

void TcpSegmentHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(options_size <= kMaxOptions && options_size % 4 == 0 && out.size() >= size());
  store_be16(out, 0, source_port);
  store_be16(out, 2, destination_port);
  store_be32(out, 4, sequence);
  store_be32(out, 8, acknowledgement);
  store_u8(out, 12, static_cast<std::uint8_t>(((size() / 4) << 4) | (reserved & 0x0FU)));
  store_u8(out, 13, flags);
  store_be16(out, 14, window);
  store_be16(out, 16, checksum);
  store_be16(out, 18, urgent_pointer);
  std::ranges::copy(option_bytes(), out.begin() + kSize);
}

//= rfc9293 3.2
Result<TcpOptionFields> TcpOptionFields::parse(std::span<const std::byte> bytes) {
  TcpOptionFields fields;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::uint8_t kind = load_u8(bytes, at);
    if (kind == kEndOfList) {
      break;
    }
    if (kind == kNoOperation) {
      ++at;
      continue;
    }
    const std::size_t left = bytes.size() - at;
    const std::size_t length = left > 1 ? load_u8(bytes, at + 1) : 0;
    if (length < 2 || length > left) {
      return fail("TCP option {} has a length of {}, {} bytes are left", kind, length, left);
    }
    if (auto read = read_option(fields, bytes.subspan(at, length)); !read) {
      return pass_on(read);
    }
    at += length;
  }
  return fields;
}

std::size_t TcpOptionFields::size() const {
  const std::size_t times = timestamps ? 12 : sack_permitted ? 4 : 0;
  const std::size_t sacks = sack_blocks == 0 ? 0 : 4 + kSackBlockLength * sack_blocks;
  return (mss ? 4U : 0U) + times + (window_scale ? 4U : 0U) + sacks;
}

void TcpOptionFields::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(sack_blocks <= kMaxTcpSackBlocks && out.size() >= size());
  OptionWriter write(out);
  if (mss) {
    write.begin(kMss, kMssLength);
    write.u16(*mss);
  }
  if (timestamps || sack_permitted) {
    if (!sack_permitted || !timestamps) {
      write.pad(2);
    }
    if (sack_permitted) {
      write.begin(kSackPermitted, kSackPermittedLength);
    }
  }
  if (timestamps) {
    write.begin(kTimestamps, kTimestampsLength);
    write.u32(timestamps->value);
    write.u32(timestamps->echo);
  }
  if (window_scale) {
    write.pad(1);
    write.begin(kWindowScale, kWindowScaleLength);
    write.u8(*window_scale);
  }
  if (sack_blocks > 0) {
    write.pad(2);
    write.begin(kSack, 2 + kSackBlockLength * sack_blocks);
    for (const TcpSackBlock& block : std::span(sack).first(sack_blocks)) {
      write.u32(block.begin);
      write.u32(block.end);
    }
  }
}

}  // namespace weft::wire
