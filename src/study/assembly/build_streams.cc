#include "study/assembly/build_streams.h"

#include <algorithm>
#include <memory>

#include "study/scenario/encapsulation_of.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"

namespace weft::study::assembly {
namespace {

transport::TcpEcn ecn_of(const scenario::TcpSettings& tcp) {
  switch (tcp_ecn(tcp)) {
    case scenario::TcpEcnUse::kOff:
      return transport::TcpEcn::kOff;
    case scenario::TcpEcnUse::kClassic:
      return transport::TcpEcn::kClassic;
    case scenario::TcpEcnUse::kPerPacket:
      break;
  }
  return transport::TcpEcn::kPerPacket;
}

}  // namespace

host::MakeTcpControl tcp_control(scenario::TcpAlgorithm algorithm) {
  switch (algorithm) {
    case scenario::TcpAlgorithm::kCubic:
      return [] { return std::make_unique<transport::Cubic>(); };
    case scenario::TcpAlgorithm::kNewReno:
      return [] { return std::make_unique<transport::NewReno>(); };
    case scenario::TcpAlgorithm::kDctcp:
      break;
  }
  return [] { return std::make_unique<transport::Dctcp>(); };
}

transport::StreamOptions stream_options(const scenario::Scenario& scenario, Duration minimum_rto) {
  const scenario::TcpSettings& from = scenario.tcp;
  transport::StreamOptions to;
  to.start = from.setup == scenario::StreamSetup::kEstablished ? transport::StreamStart::kEstablished
                                                               : transport::StreamStart::kOnTheWire;
  to.send_buffer = from.send_buffer;
  to.tcp.encapsulation = scenario::tcp_encapsulation_of(scenario);
  to.tcp.seed = static_cast<std::uint64_t>(scenario.seed);
  to.tcp.mss = static_cast<std::uint16_t>(from.mss.value_or(scenario.fabric.mtu));
  to.tcp.receive_buffer = from.receive_buffer;
  to.tcp.timestamps = from.timestamps;
  to.tcp.selective_acks = from.selective_acks;
  to.tcp.loss_detection = from.loss_detection == scenario::TcpDetection::kRack
                              ? transport::TcpLossDetection::kRack
                              : transport::TcpLossDetection::kDuplicateAcks;
  to.tcp.ecn = ecn_of(from);
  to.tcp.nagle = from.nagle ? transport::TcpNagle::kOn : transport::TcpNagle::kOff;
  to.tcp.pacing =
      from.pacing == scenario::TcpSpacing::kWindow ? transport::TcpPacing::kWindow : transport::TcpPacing::kOff;
  to.tcp.delayed_ack.every = static_cast<std::uint8_t>(from.ack_every);
  to.tcp.delayed_ack.longest = from.delayed_ack;
  to.tcp.minimum_rto = minimum_rto;
  to.tcp.initial_rto = std::max(from.initial_rto, minimum_rto);
  to.tcp.initial_segments = static_cast<std::uint8_t>(from.initial_window);
  return to;
}

}  // namespace weft::study::assembly
