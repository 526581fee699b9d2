// Any bytes as a line of the side channel: never a crash, and what is accepted says the same when written and read
// again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "live/side_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::live;
  const auto parsed = parse_side_message({reinterpret_cast<const char*>(data), size});
  if (!parsed) {
    WEFT_ASSERT(!parsed.error().message.empty());
    return 0;
  }
  const std::string line = format_side_message(*parsed);
  WEFT_ASSERT(line.size() < kMaxSideLine);
  const auto again = parse_side_message(line);
  WEFT_ASSERT(again.has_value() && *again == *parsed);
  return 0;
}
