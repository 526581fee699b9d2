#include "host/path/gpu_path.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace weft::host {

Time pass_chunks(std::span<ByteServer* const> servers, const Chunks& chunks, Server::Deferred when) {
  std::array<Time, 4> left_stage;
  WEFT_ASSERT(chunks.chunk > Bytes::zero() && servers.size() <= left_stage.size());
  left_stage.fill(when.start);
  Time end = when.start;
  for (Bytes left = chunks.size; left > Bytes::zero(); left -= std::min(left, chunks.chunk)) {
    end = when.start;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      // In order even where others have used what was idle before the first chunk.
      const Time start = later(end, left_stage[i]);
      end = left_stage[i] = servers[i]->pass({.now = when.now, .start = start}, std::min(left, chunks.chunk));
    }
  }
  return end;
}

Duration bounce_time(const BounceShape& shape) {
  WEFT_ASSERT(shape.chunks.chunk > Bytes::zero());
  const std::array rates = {shape.to_host, shape.network, shape.to_gpu};
  const std::int64_t chunks = std::max<std::int64_t>(shape.chunks.size.packets_of(shape.chunks.chunk).count(), 1);
  const Bytes rest = shape.chunks.size - shape.chunks.chunk * (chunks - 1);
  Duration first;  // when the first full chunk leaves the stage
  Duration last;   // when the rest does
  Duration slowest;
  for (const Rate rate : rates) {
    const Duration full = rate.transmit_time(shape.chunks.chunk);
    first += full;
    slowest = std::max(slowest, full);
    // The last full chunk comes behind all the others at the pace of the slowest stage so far.
    const Duration before = chunks > 1 ? first + slowest * (chunks - 2) : Duration::zero();
    last = std::max(before, last) + rate.transmit_time(rest);
  }
  return shape.launch * 2 + last;
}

Rate bounce_rate(const BounceShape& shape) { return std::min({shape.to_host, shape.network, shape.to_gpu}); }

}  // namespace weft::host
