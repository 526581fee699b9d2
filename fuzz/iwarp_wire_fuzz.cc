// The parsers of MPA, DDP, RDMAP and of the message header of kernel TCP: nothing is read past the input, and whatever
// is accepted is emitted as the same bytes.
//
// The first byte chooses the parser, and for an FPDU the second and third its form and its place in the stream.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "transport/stream/stream_message.h"
#include "wire/ddp.h"
#include "wire/mpa.h"
#include "wire/rdmap.h"

namespace {

using namespace weft::wire;
using Input = std::span<const std::byte>;

template <class Header>
std::size_t size_of(const Header& header) {
  if constexpr (requires { header.size(); }) {
    return header.size();
  } else {
    return Header::kSize;
  }
}

template <class Header>
void check(Input bytes) {
  const auto header = Header::parse(bytes);
  if (!header) {
    WEFT_ASSERT(!header.error().message.empty());
    return;
  }
  const auto size = size_of(*header);
  WEFT_ASSERT(size <= bytes.size());
  std::vector<std::byte> again(size);
  header->emit(again);
  WEFT_ASSERT(std::ranges::equal(again, bytes.first(size)));
}

void check_fpdu(Input bytes) {
  if (bytes.size() < 2) {
    return;
  }
  const auto choice = std::to_integer<unsigned>(bytes[0]);
  const MpaForm form{.markers = (choice & 1U) != 0 ? MpaMarkers::kOn : MpaMarkers::kOff,
                     .crc = (choice & 2U) != 0 ? MpaCrc::kOn : MpaCrc::kOff};
  const std::uint64_t place = 4 * std::to_integer<std::uint64_t>(bytes[1]);
  bytes = bytes.subspan(2);
  const auto length = peek_ulpdu_length(bytes, place, form.markers);
  if (!length || bytes.size() < fpdu_extent(place, *length, form.markers)) {
    return;
  }
  const Input whole = bytes.first(fpdu_extent(place, *length, form.markers));
  const Fpdu fpdu = parse_fpdu(whole, place, form);
  WEFT_ASSERT(fpdu.ulpdu.size() == *length);
  std::vector<std::byte> again(whole.size());
  emit_fpdu({.ulpdu = fpdu.ulpdu, .pad = fpdu.pad}, place, form, again);
  // A marker has reserved bits, and a CRC that nobody checks may have any value.
  const bool exact = form.markers == MpaMarkers::kOff && fpdu.fault == FpduFault::kNone;
  const std::size_t compared = whole.size() - kMpaCrcSize;
  WEFT_ASSERT(!exact || std::ranges::equal(std::span(again).first(compared), whole.first(compared)));
}

constexpr std::array kChecks{check<MpaStartFrame>,
                             check<DdpHeader>,
                             check<ReadRequest>,
                             check<Terminate>,
                             check<weft::transport::StreamMessage>,
                             check_fpdu};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    kChecks[data[0] % kChecks.size()](std::as_bytes(std::span(data, size)).subspan(1));
  }
  return 0;
}
