// TSS: the header is read within the input and emitted as the same bytes; random packets are never taken for genuine;
// the replay window takes no counter twice, in any order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/assert.h"
#include "security/tss_cipher.h"
#include "wire/byte_order.h"
#include "wire/uet/tss_replay_window.h"

namespace {

using namespace weft;
using wire::uet::TssHeader;

void open_forged(const TssHeader& header, std::span<const std::byte> rest) {
  if (rest.size() < wire::uet::kTssIcvSize) {
    return;
  }
  wire::uet::TssIcv icv{};
  std::ranges::copy(rest.last(icv.size()), icv.begin());
  std::vector<std::byte> data(rest.begin(), rest.end() - static_cast<std::ptrdiff_t>(icv.size()));
  const security::TssPacket packet{.header = header, .source = wire::Ipv4Address{1}, .data = data};
  WEFT_ASSERT(security::open({}, packet, icv) == security::GcmVerdict::kForged);
  WEFT_ASSERT(std::ranges::all_of(data, [](std::byte byte) { return byte == std::byte{0}; }));
}

void check_header(std::span<const std::byte> bytes) {
  const auto header = TssHeader::parse(bytes);
  if (!header) {
    WEFT_ASSERT(!header.error().message.empty());
    return;
  }
  std::vector<std::byte> again(header->size());
  header->emit(again);
  WEFT_ASSERT(std::ranges::equal(again, bytes.first(again.size())));
  open_forged(*header, bytes.subspan(again.size()));
}

/// Pairs of bytes are signed steps of the counter.
void check_window(std::span<const std::byte> bytes) {
  wire::uet::TssReplayWindow window;
  std::set<std::uint64_t> taken;
  std::uint64_t counter = 40000;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    const std::int64_t step = static_cast<std::int16_t>(wire::load_be16(bytes, at));
    counter = static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(counter) + step));
    if (window.accept(counter)) {
      WEFT_ASSERT(taken.insert(counter).second);
    }
    WEFT_ASSERT(!window.is_new(counter));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  (data[0] % 2 == 0 ? check_header : check_window)(bytes);
  return 0;
}
