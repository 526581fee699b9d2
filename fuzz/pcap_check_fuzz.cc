// A capture file of any bytes: read, checked and described without a crash, and what is counted adds up.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/assert.h"
#include "wire/capture_check.h"
#include "wire/frame_text.h"

namespace {

weft::Result<weft::wire::PcapReader> reader_of(std::vector<char>& bytes) {
  return weft::wire::PcapReader::take(fmemopen(bytes.data(), bytes.size(), "rb"), "fuzz");
}

void check(std::vector<char>& bytes) {
  auto reader = reader_of(bytes);
  if (!reader) {
    return;
  }
  weft::wire::CaptureCounts counts;
  std::uint64_t faults = 0;
  static_cast<void>(
      weft::wire::check_capture(*reader, counts, [&faults](std::uint64_t, std::string_view) { ++faults; }));
  WEFT_ASSERT(counts.faults == faults);
  WEFT_ASSERT(counts.verified <= counts.packets - counts.unknown);
  WEFT_ASSERT(counts.reemitted <= counts.packets - counts.unknown);
}

void list(std::vector<char>& bytes) {
  auto reader = reader_of(bytes);
  if (!reader) {
    return;
  }
  for (auto packet = reader->next(); packet && packet->has_value(); packet = reader->next()) {
    WEFT_ASSERT(!weft::wire::packet_text(reader->link(), **packet).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // No stream can be opened on no memory.
  if (size == 0) {
    return 0;
  }
  std::vector<char> bytes(data, data + size);
  check(bytes);
  list(bytes);
  return 0;
}
