#include "tests/golden/rc_conversation.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/test_paths.h"
#include "transport/operations.h"
#include "wire/captured_frame.h"
#include "wire/packet_codec.h"
#include "wire/pcap_reader.h"

namespace weft::testing {
namespace {

RcConversation& conversation_of(std::vector<RcConversation>& all, const RcConversation& wanted) {
  const auto found = std::ranges::find_if(
      all, [&wanted](const RcConversation& one) { return one.qpn == wanted.qpn && one.requester == wanted.requester; });
  return found != all.end() ? *found : all.emplace_back(wanted);
}

void add(std::vector<RcConversation>& all, const std::string& capture, const wire::CapturedPacket& captured,
         const wire::RdmaFrame& frame) {
  if (wire::service_of(frame.bth.opcode) != wire::Service::kRc || !frame.ipv4.has_value()) {
    return;
  }
  CapturedRcPacket packet{.number = captured.number,
                          .packet = {},
                          .cold = {},
                          .payload = {frame.payload.begin(), frame.payload.end()},
                          .request = !transport::is_response(wire::operation_of(frame.bth.opcode))};
  ASSERT_TRUE(wire::from_frame(frame, packet.packet, packet.cold));
  const std::uint32_t requester = (packet.request ? frame.ipv4->source : frame.ipv4->destination).value;
  conversation_of(all, {.capture = capture, .qpn = frame.bth.destination_qp, .requester = requester, .packets = {}})
      .packets.push_back(std::move(packet));
}

}  // namespace

// Only a first packet shows the path MTU; without one every message fits in one packet of the smallest that holds it.
verbs::PathMtu RcConversation::path_mtu() const {
  for (const CapturedRcPacket& one : packets) {
    if (one.info().payload && one.info().first && !one.info().last) {
      return verbs::path_mtu_from(Bytes(one.packet.common.payload_bytes)).value();
    }
  }
  return verbs::PathMtu::k1024;
}

std::vector<RcConversation> rc_conversations(const std::string& capture) {
  std::vector<RcConversation> all;
  auto reader = wire::PcapReader::open(std::string(test_data_dir()) + "/captures/" + capture);
  if (!reader.has_value()) {
    ADD_FAILURE() << reader.error().message;
    return all;
  }
  while (true) {
    const auto next = reader->next();
    if (!next.has_value() || !next->has_value()) {
      break;
    }
    const auto parsed = wire::parse_captured(reader->link(), (*next)->bytes);
    if (parsed.frame.has_value()) {
      add(all, capture, **next, *parsed.frame);
    }
  }
  return all;
}

std::string answer_text(const wire::Packet& packet) {
  std::string text = fmt::format("{} psn {} payload {}", wire::opcode_name(packet.ib.opcode), packet.ib.psn.value(),
                                 packet.common.payload_bytes);
  if (wire::describe(packet.ib.opcode).aeth) {
    text += fmt::format(" syndrome {:#x} msn {}", packet.ib.aeth.syndrome, packet.ib.aeth.msn.value());
  }
  if (wire::describe(packet.ib.opcode).atomic_ack) {
    text += fmt::format(" was {}", packet.ib.aeth.original_data);
  }
  return text;
}

std::string request_text(const wire::Packet& packet, const wire::ColdPacket& cold) {
  const wire::OpcodeInfo& info = wire::describe(packet.ib.opcode);
  std::string text = fmt::format("{} psn {} payload {}", wire::opcode_name(packet.ib.opcode), packet.ib.psn.value(),
                                 packet.common.payload_bytes);
  if (info.reth || info.atomic) {
    text += fmt::format(" va {:#x} key {:#x}", packet.ib.reth.virtual_address, packet.ib.reth.remote_key);
  }
  if (info.reth) {
    text += fmt::format(" length {}", packet.ib.reth.dma_length);
  }
  if (info.atomic) {
    text += fmt::format(" operands {} {}", cold.atomic.swap_or_add, cold.atomic.compare);
  }
  if (info.immediate || info.invalidate) {
    text += fmt::format(" immediate {:#x}", packet.ib.immediate);
  }
  return text;
}

}  // namespace weft::testing
