#include "fabric/ethernet/options.h"

#include <algorithm>

#include "wire/encapsulation.h"
#include "wire/pfc_frame.h"

namespace weft::fabric {

Bytes headroom_bytes(const HeadroomTerms& terms) {
  const Duration there_and_back = terms.propagation * 2 + terms.pipeline + terms.response;
  // bytes_in rounds down; a byte more covers the rest.
  const Bytes under_way = terms.rate.bytes_in(there_and_back) + Bytes(1);
  const Bytes pause = Bytes(wire::kEthernetMinFrame) + Bytes(wire::kEthernetGapBytes);
  const Bytes gap = Bytes(wire::kEthernetGapBytes);
  return under_way + terms.peer_frame + terms.local_frame + gap + pause + terms.replay;
}

Duration acknowledged_after(const LoopTerms& terms) {
  const Bytes waits = std::max(terms.spacing, terms.frame + Bytes(wire::kEthernetGapBytes));
  return terms.one_way * 2 + terms.rate.transmit_time(waits + Bytes(kOrderedSetBytes));
}

Bytes retry_buffer(const LoopTerms& terms) {
  return terms.rate.bytes_in(acknowledged_after(terms)) + Bytes(1) + terms.frame * 2;
}

// On the way there, in the pipeline, and back; a frame that keeps the update from the wire, and one at either end.
Bytes credit_loop(const LoopTerms& terms) {
  return terms.rate.bytes_in(terms.one_way * 2 + terms.pipeline) + Bytes(1 + kOrderedSetBytes) + terms.frame * 3 +
         Bytes(wire::kEthernetGapBytes);
}

Bytes credit_buffer(const LoopTerms& terms) {
  const std::int64_t covered = credit_loop(terms).count();
  return Bytes((covered * 16 + 14) / 15);
}

std::uint32_t credit_threshold(const CreditShares& shares) {
  const std::uint32_t spare = shares.buffer > shares.loop ? shares.buffer - shares.loop : 0;
  const std::uint32_t most = std::max(shares.buffer / 4, 1U);
  const std::uint32_t least = std::min(std::max(shares.buffer / 16, 1U), most);
  return std::min(std::clamp(spare, least, most), shares.buffer - shares.largest_frame + 1);
}

}  // namespace weft::fabric
