// What the messages of a perf run hold, so that the receiver can tell whether each is the right one and intact.
//
// A message is a body, whose bytes follow from their offset, and a stamp: the low bytes of its number plus one in its
// last 8 bytes (fewer in shorter messages), least significant first. A message placed in order is complete when its
// stamp is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::live {

void fill_body(std::span<std::byte> message);
void stamp(std::span<std::byte> message, std::uint64_t number);
/// Makes the stamp that of no message whose number is to come next.
void clear_stamp(std::span<std::byte> message);

[[nodiscard]] bool has_stamp(std::span<const std::byte> message, std::uint64_t number);
[[nodiscard]] bool has_body(std::span<const std::byte> message);

}  // namespace weft::live
