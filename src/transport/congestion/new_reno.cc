#include "transport/congestion/new_reno.h"

namespace weft::transport {

void NewReno::on_tcp_ack(const TcpAckSample& sample, Time) {
  if (!sample.may_grow) {
    return;
  }
  //= rfc5681 3.1
  const Bytes rest = slow_start(sample.acknowledged);
  if (rest > Bytes::zero()) {
    additive_increase(rest);
  }
}

//= rfc5681 3.1
Bytes NewReno::reduced(Bytes flight, Cause, Time) { return flight / 2; }

}  // namespace weft::transport
