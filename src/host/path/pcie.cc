#include "host/path/pcie.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::host {
namespace {

Rate effective(const PcieOptions& options) {
  if (options.lane_rate == Rate::max()) {
    return Rate::max();
  }
  WEFT_ASSERT(options.lanes > 0 && options.max_payload > Bytes::zero() && options.overhead >= Bytes::zero());
  const auto raw = static_cast<Uint128>(raw_rate(options).bits_per_second());
  const auto payload = static_cast<std::uint64_t>(options.max_payload.count());
  const auto tlp = payload + static_cast<std::uint64_t>(options.overhead.count());
  const Uint128 of_tlps = raw * options.link_overhead.complement().raw() >> 63;
  return Rate::bits_per_second(std::max<std::int64_t>(static_cast<std::int64_t>(of_tlps * payload / tlp), 1));
}

}  // namespace

Rate raw_rate(const PcieOptions& options) {
  return options.lane_rate == Rate::max() ? Rate::max() : options.lane_rate * options.lanes;
}

Rate write_rate(const PcieOptions& options) { return effective(options); }

Rate read_rate(const PcieOptions& options) {
  const Rate answers = effective(options);
  if (options.outstanding_reads == Bytes::max() || options.read_round_trip <= Duration::zero()) {
    return answers;
  }
  return std::min(answers, average_rate(options.outstanding_reads, options.read_round_trip));
}

}  // namespace weft::host
