#include "wire/frame_text.h"

#include <fmt/format.h>

#include <iterator>

#include "wire/aeth_syndrome.h"
#include "wire/captured_frame.h"
#include "wire/pfc_frame.h"
#include "wire/uet/uet_text.h"

namespace weft::wire {
namespace {

constexpr std::uint16_t kDefaultPartition = 0xFFFF;

template <class... Args>
void add(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void add_vlan_tags(const EthernetHeader& ethernet, std::string& text) {
  for (std::size_t i = 0; i < ethernet.tag_count; ++i) {
    add(text, "vlan {} pcp {} ", ethernet.tags[i].vlan, ethernet.tags[i].priority);
  }
}

void add_ecn(Ecn ecn, std::string& text) {
  if (ecn == Ecn::kCe) {
    text += " CE";
  }
}

void add_addresses(const RdmaFrame& frame, std::string& text) {
  const unsigned port = frame.udp ? frame.udp->source_port : 0;
  const unsigned other_port = frame.udp && frame.udp->destination_port != kRoceV2Port ? frame.udp->destination_port : 0;
  if (frame.ipv4) {
    add(text, "RoCEv2 {}:{} > {}", to_string(frame.ipv4->source), port, to_string(frame.ipv4->destination));
    if (other_port != 0) {
      add(text, ":{}", other_port);
    }
    add_ecn(frame.ipv4->ecn, text);
  } else if (frame.ipv6) {
    const std::string destination = to_string(frame.ipv6->destination);
    add(text, "RoCEv2 [{}]:{} > {}", to_string(frame.ipv6->source), port,
        other_port == 0 ? destination : fmt::format("[{}]:{}", destination, other_port));
    add_ecn(frame.ipv6->ecn, text);
  } else if (frame.lrh) {
    add(text, "IB lid {} > {} vl {}", frame.lrh->source_lid, frame.lrh->destination_lid, frame.lrh->virtual_lane);
    if (frame.grh) {
      add(text, " gid {} > {}", to_string(frame.grh->source), to_string(frame.grh->destination));
    }
  } else if (frame.grh) {
    add(text, "RoCEv1 {} > {}", to_string(frame.grh->source), to_string(frame.grh->destination));
  }
}

void add_bth(const BthHeader& bth, std::string& text) {
  add(text, " {} qp {:#x} psn {}", opcode_name(bth.opcode), bth.destination_qp, bth.psn.value());
  if (bth.partition_key != kDefaultPartition) {
    add(text, " pkey {:#06x}", bth.partition_key);
  }
  text += bth.ack_request ? " ackreq" : "";
  text += bth.solicited ? " solicited" : "";
  text += bth.fecn ? " FECN" : "";
  text += bth.becn ? " BECN" : "";
}

void add_requests(const ExtensionHeaders& extensions, std::string& text) {
  if (extensions.reth) {
    const RethHeader& reth = *extensions.reth;
    add(text, " va {:#x} rkey {:#x} dma {}", reth.virtual_address, reth.remote_key, reth.dma_length);
  }
  if (extensions.atomic) {
    const AtomicEthHeader& atomic = *extensions.atomic;
    add(text, " va {:#x} rkey {:#x} swap/add {:#x} compare {:#x}", atomic.virtual_address, atomic.remote_key,
        atomic.swap_or_add, atomic.compare);
  }
  if (extensions.feth) {
    add(text, " flush type {:#x} selectivity {}", extensions.feth->placement_type, extensions.feth->selectivity);
  }
  if (extensions.immediate) {
    add(text, " imm {:#010x}", extensions.immediate->data);
  }
  if (extensions.invalidate) {
    add(text, " invalidate {:#x}", extensions.invalidate->remote_key);
  }
}

void add_responses(const ExtensionHeaders& extensions, std::string& text) {
  if (extensions.aeth) {
    add(text, " {} msn {}", syndrome_text(extensions.aeth->syndrome), extensions.aeth->msn.value());
  }
  if (extensions.atomic_ack) {
    add(text, " original {:#x}", extensions.atomic_ack->original_data);
  }
  if (extensions.sack) {
    const SackBitmap& bitmap = extensions.sack->bitmap;
    add(text, " from {} received {:#018x} {:#018x}{}{}", bitmap.base.value(), bitmap.words[0], bitmap.words[1],
        bitmap.duplicate ? " duplicate" : "", bitmap.marked ? " marked path" : "");
  }
}

void add_datagrams(const ExtensionHeaders& extensions, std::string& text) {
  if (extensions.rdeth) {
    add(text, " eecn {:#x}", extensions.rdeth->ee_context);
  }
  if (extensions.deth) {
    add(text, " qkey {:#x} srcqp {:#x}", extensions.deth->queue_key, extensions.deth->source_qp);
  }
  if (extensions.xrceth) {
    add(text, " srq {:#x}", extensions.xrceth->receive_queue);
  }
}

std::string pfc_text(const PfcFrame& pfc) {
  std::string text = fmt::format("PFC {}", to_string(pfc.source));
  for (std::size_t priority = 0; priority < PfcFrame::kPriorities; ++priority) {
    if (((pfc.enabled >> priority) & 1U) == 0) {
      continue;
    }
    if (pfc.quanta[priority] == 0) {
      add(text, " resume {}", priority);
    } else {
      add(text, " pause {} for {} quanta", priority, pfc.quanta[priority]);
    }
  }
  return text;
}

}  // namespace

std::string frame_text(const RdmaFrame& frame) {
  std::string text;
  if (frame.ethernet) {
    add_vlan_tags(*frame.ethernet, text);
  }
  add_addresses(frame, text);
  add_bth(frame.bth, text);
  add_datagrams(frame.extensions, text);
  add_requests(frame.extensions, text);
  add_responses(frame.extensions, text);
  add(text, " len {}", frame.payload.size());
  return text;
}

std::string packet_text(CaptureLink link, const CapturedPacket& packet, FurtherRocePorts ports) {
  const CapturedFrame captured = parse_captured(link, packet.bytes, ports);
  if (captured.frame) {
    return frame_text(*captured.frame);
  }
  if (link == CaptureLink::kEthernet) {
    if (const Result<PfcFrame> pfc = PfcFrame::parse(packet.bytes)) {
      return pfc_text(*pfc);
    }
    if (Result<std::string> ordered_set = uet::ctlos_text(packet.bytes)) {
      return *std::move(ordered_set);
    }
  }
  const FrameError* error = &captured.frame.error();
  const CapturedUetFrame uet = parse_captured_uet(link, packet.bytes);
  if (error->fault == FrameFault::kNotRdma) {
    if (uet.frame) {
      return uet::frame_text(*uet.frame);
    }
    if (uet.frame.error().fault != FrameFault::kNotRdma) {
      error = &uet.frame.error();  // UET, but malformed
    }
  }
  const std::size_t length = packet.bytes.size();
  switch (error->fault) {
    case FrameFault::kNotRdma:
      return fmt::format("not RDMA, {} bytes: {}", length, error->error.message);
    case FrameFault::kUnknownOpcode:
      return fmt::format("unknown opcode, {} bytes: {}", length, error->error.message);
    case FrameFault::kMalformed:
      return fmt::format("malformed, {} of {} bytes captured: {}", length, packet.original_length,
                         error->error.message);
  }
  return {};
}

}  // namespace weft::wire
