#include "live/message_pattern.h"

#include <algorithm>

namespace weft::live {
namespace {

constexpr std::size_t kStampBytes = 8;

std::size_t body_size(std::size_t message) { return message - std::min(message, kStampBytes); }

std::byte body_byte(std::size_t offset) {
  // The high byte of the offset takes part, so that a packet in another's place shows.
  return static_cast<std::byte>((offset * 7 + (offset >> 8) * 13 + 1) & 0xFFU);
}

std::byte stamp_byte(std::uint64_t number, std::size_t index) {
  return static_cast<std::byte>(((number + 1) >> (8 * index)) & 0xFFU);
}

}  // namespace

void fill_body(std::span<std::byte> message) {
  for (std::size_t i = 0; i < body_size(message.size()); ++i)
    message[i] = body_byte(i);
}

void stamp(std::span<std::byte> message, std::uint64_t number) {
  const std::size_t begin = body_size(message.size());
  for (std::size_t i = begin; i < message.size(); ++i)
    message[i] = stamp_byte(number, i - begin);
}

void clear_stamp(std::span<std::byte> message) {
  std::ranges::fill(message.subspan(body_size(message.size())), std::byte{0});
}

bool has_stamp(std::span<const std::byte> message, std::uint64_t number) {
  const std::size_t begin = body_size(message.size());
  for (std::size_t i = message.size(); i > begin; --i) {
    if (message[i - 1] != stamp_byte(number, i - 1 - begin))
      return false;
  }
  return true;
}

bool has_body(std::span<const std::byte> message) {
  for (std::size_t i = 0; i < body_size(message.size()); ++i) {
    if (message[i] != body_byte(i))
      return false;
  }
  return true;
}

}  // namespace weft::live
