#include "fabric/ethernet/options.h"

#include "wire/encapsulation.h"
#include "wire/pfc_frame.h"

namespace weft::fabric {

Bytes headroom_bytes(const HeadroomTerms& terms) {
  const Duration there_and_back = terms.propagation * 2 + terms.pipeline + terms.response;
  // bytes_in rounds down; a byte more covers the rest.
  const Bytes under_way = terms.rate.bytes_in(there_and_back) + Bytes(1);
  const Bytes pause = Bytes(wire::kEthernetMinFrame) + Bytes(wire::kEthernetGapBytes);
  const Bytes gap = Bytes(wire::kEthernetGapBytes);
  return under_way + terms.peer_frame + terms.local_frame + gap + pause;
}

}  // namespace weft::fabric
