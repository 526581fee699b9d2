#include "transport/congestion/congestion_control.h"

#include "base/assert.h"

namespace weft::transport {

Duration CongestionControl::gap_after(Bytes size, Time now) {
  const Rate rate = pacing_rate(now);
  return rate > Rate::zero() ? rate.transmit_time(size) : Duration::zero();
}

Duration CongestionControl::transmit_slow(Bytes size, Time now) {
  if (now < steady_until_ && size < steady_bytes_) {
    steady_bytes_ -= size;
  } else {
    on_transmit(size, now);
  }
  gap_ = gap_after(size, now);
  WEFT_DCHECK(gap_ >= Duration::zero());
  gap_size_ = size;
  return gap_;
}

}  // namespace weft::transport
