// SES headers of Ultra Ethernet with their extensions: nothing is read past the input, and whatever is accepted is
// emitted as the same bytes.
//
// The first byte is the next header of the PDS header in front.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "wire/uet/ses.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::wire::uet;
  if (size == 0) {
    return 0;
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const auto ses = Ses::parse(static_cast<NextHeader>(data[0] % 16), bytes);
  if (!ses) {
    WEFT_ASSERT(!ses.error().message.empty());
    return 0;
  }
  WEFT_ASSERT(ses->size() <= bytes.size());
  std::vector<std::byte> again(ses->size());
  ses->emit(again);
  WEFT_ASSERT(std::ranges::equal(again, bytes.first(again.size())));
  return 0;
}
