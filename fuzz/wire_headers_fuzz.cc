// Every header parser: nothing is read past the input, and whatever is accepted is emitted as the same bytes.
//
// The first byte chooses the header.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "wire/bth.h"
#include "wire/cm.h"
#include "wire/cnp.h"
#include "wire/datagram_extensions.h"
#include "wire/ethernet.h"
#include "wire/flow_control_packet.h"
#include "wire/grh.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/lrh.h"
#include "wire/mad.h"
#include "wire/pfc_frame.h"
#include "wire/request_extensions.h"
#include "wire/response_extensions.h"
#include "wire/tcp.h"
#include "wire/udp.h"

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

/// Options have more than one form: what is accepted must come back the same from the bytes that are emitted for it.
void check_tcp_options(Input bytes) {
  const auto fields = TcpOptionFields::parse(bytes);
  if (!fields) {
    WEFT_ASSERT(!fields.error().message.empty());
    return;
  }
  std::vector<std::byte> again(fields->size());
  fields->emit(again);
  const auto read = TcpOptionFields::parse(again);
  WEFT_ASSERT(read.has_value() && *read == *fields);
}

constexpr std::array kChecks{
    check<EthernetHeader>,   check<Ipv4Header>,         check<Ipv6Header>, check<UdpHeader>,
    check<LrhHeader>,        check<GrhHeader>,          check<BthHeader>,  check<DethHeader>,
    check<RdethHeader>,      check<XrcethHeader>,       check<RethHeader>, check<FethHeader>,
    check<AtomicEthHeader>,  check<ImmDtHeader>,        check<IethHeader>, check<AethHeader>,
    check<SackEthHeader>,    check<AtomicAckEthHeader>, check<CnpHeader>,  check<MadHeader>,
    check<DirectedRouteSmp>, check<CmDatagram>,         check<PfcFrame>,   check<FlowControlPacket>,
    check<TcpSegmentHeader>, check_tcp_options};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    kChecks[data[0] % kChecks.size()](std::as_bytes(std::span(data, size)).subspan(1));
  }
  return 0;
}
