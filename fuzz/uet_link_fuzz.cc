// Control ordered sets and CBFC messages of Ultra Ethernet: nothing is read past the input, and whatever is accepted is
// emitted as the same bytes.
//
// The first byte chooses the message.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "wire/uet/control_ordered_set.h"
#include "wire/uet/uet_text.h"

namespace {

using Input = std::span<const std::byte>;

template <class Message>
void check(Input bytes) {
  const auto message = Message::parse(bytes);
  if (!message) {
    WEFT_ASSERT(!message.error().message.empty());
    return;
  }
  std::array<std::byte, Message::kSize> again;
  message->emit(again);
  WEFT_ASSERT(std::ranges::equal(again, bytes.first(again.size())));
}

void check_text(Input bytes) {
  const auto text = weft::wire::uet::ctlos_text(bytes);
  WEFT_ASSERT(!(text ? *text : text.error().message).empty());
}

constexpr std::array kChecks{check<weft::wire::uet::LlrMessage>, check<weft::wire::uet::CfUpdate>,
                             check<weft::wire::uet::CcUpdate>, check_text};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    kChecks[data[0] % kChecks.size()](std::as_bytes(std::span(data, size)).subspan(1));
  }
  return 0;
}
