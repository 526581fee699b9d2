#include "wire/capture_check.h"

#include <algorithm>
#include <array>

#include "wire/captured_frame.h"
#include "wire/uet/control_ordered_set.h"

namespace weft::wire {
namespace {

void check_crcs(const RdmaFrame& frame, PacketCheck& check) {
  const std::size_t faults_before = check.faults.size();
  if (!icrc_ok(frame)) {
    check.faults.push_back(fmt::format("ICRC is {:#010x}, should be {:#010x}", frame.icrc, compute_icrc(frame)));
  }
  if (!vcrc_ok(frame)) {
    check.faults.push_back(fmt::format("VCRC is {:#06x}, should be {:#06x}", *frame.vcrc, compute_vcrc(frame)));
  }
  check.verified = check.faults.size() == faults_before;
}

void check_crcs(const uet::UetFrame& frame, PacketCheck& check) {
  if (frame.tss) {
    return;  // the ICV cannot be computed without the key
  }
  check.verified = uet::crc_ok(frame);
  if (!check.verified) {
    check.faults.push_back(fmt::format("UET CRC is {:#010x}, should be {:#010x}", frame.crc, uet::compute_crc(frame)));
  }
}

template <class Frame>
void check_emission(const Frame& frame, std::span<const std::byte> captured, PacketCheck& check) {
  std::vector<std::byte> emitted(emitted_size(frame));
  emit_frame(frame, emitted);
  const auto [ours, theirs] = std::ranges::mismatch(emitted, captured);
  if (ours == emitted.end() && theirs == captured.end()) {
    check.reemitted = true;
    return;
  }
  const auto offset = ours - emitted.begin();
  if (ours == emitted.end() || theirs == captured.end()) {
    check.faults.push_back(fmt::format("re-emitted with {} bytes, captured with {}", emitted.size(), captured.size()));
    return;
  }
  check.faults.push_back(fmt::format("re-emitted byte {} is {:#04x}, captured as {:#04x}", offset,
                                     std::to_integer<unsigned>(*ours), std::to_integer<unsigned>(*theirs)));
}

std::string fault_text(const FrameError& error, const CapturedPacket& packet) {
  // What a parser finds missing at the end is the capture's doing, not the sender's.
  if (packet.bytes.size() < packet.original_length) {
    return fmt::format("cut to {} of {} bytes by the capture's snap length: nothing can be verified",
                       packet.bytes.size(), packet.original_length);
  }
  return error.error.message;
}

/// A control ordered set has no check of its own: it is counted, and re-emitted.
bool check_ordered_set(CaptureLink link, std::span<const std::byte> bytes, PacketCheck& check) {
  if (link != CaptureLink::kEthernet || bytes.size() != uet::LlrMessage::kSize) {
    return false;
  }
  std::array<std::byte, uet::LlrMessage::kSize> again;
  if (const Result<uet::CfUpdate> update = uet::CfUpdate::parse(bytes)) {
    update->emit(again);
  } else if (const Result<uet::LlrMessage> message = uet::LlrMessage::parse(bytes)) {
    message->emit(again);
  } else {
    return false;
  }
  check.rdma = true;
  check.reemitted = std::ranges::equal(again, bytes);
  if (!check.reemitted) {
    check.faults.emplace_back("the control ordered set is re-emitted with other bytes");
  }
  return true;
}

/// `check` stays as it is if the packet is not UET either.
void check_uet(CaptureLink link, const CapturedPacket& packet, PacketCheck& check) {
  const CapturedUetFrame captured = parse_captured_uet(link, packet.bytes);
  if (captured.frame) {
    check.rdma = true;
    check_crcs(*captured.frame, check);
    check_emission(*captured.frame, captured.covered, check);
  } else if (captured.frame.error().fault != FrameFault::kNotRdma) {
    check.rdma = true;
    check.faults.push_back(fault_text(captured.frame.error(), packet));
  }
}

void count(const PacketCheck& check, CaptureCounts& counts) {
  ++counts.packets;
  counts.unknown += check.rdma ? 0U : 1U;
  counts.verified += check.verified ? 1U : 0U;
  counts.reemitted += check.reemitted ? 1U : 0U;
  counts.faults += check.faults.size();
}

void add(const IwarpCounts& more, IwarpCounts& counts) {
  counts.packets += more.packets;
  counts.connections += more.connections;
  counts.start_frames += more.start_frames;
  counts.fpdus += more.fpdus;
  counts.verified += more.verified;
  counts.reemitted += more.reemitted;
}

}  // namespace

PacketCheck check_packet(CaptureLink link, const CapturedPacket& packet, FurtherRocePorts ports) {
  PacketCheck check;
  if (check_ordered_set(link, packet.bytes, check)) {
    return check;
  }
  const CapturedFrame captured = parse_captured(link, packet.bytes, ports);
  if (captured.frame) {
    check.rdma = true;
    check_crcs(*captured.frame, check);
    check_emission(*captured.frame, captured.covered, check);
    return check;
  }
  switch (captured.frame.error().fault) {
    case FrameFault::kNotRdma:
      check_uet(link, packet, check);
      break;
    case FrameFault::kUnknownOpcode:
    case FrameFault::kMalformed:
      check.rdma = true;
      check.faults.push_back(fault_text(captured.frame.error(), packet));
      break;
  }
  return check;
}

Result<void> check_capture(PcapReader& reader, CaptureCounts& counts, const FaultSink& on_fault,
                           FurtherRocePorts ports) {
  IwarpCheck iwarp;
  std::uint64_t number = 0;
  const IwarpCheck::Sink on_iwarp_fault = [&](std::string_view what) {
    ++counts.faults;
    on_fault(number, what);
  };
  const auto finish = [&] {
    iwarp.finish(on_iwarp_fault);
    add(iwarp.counts(), counts.iwarp);
  };
  while (true) {
    Result<std::optional<CapturedPacket>> packet = reader.next();
    if (!packet) {
      finish();
      return pass_on(packet);
    }
    if (!packet->has_value()) {
      finish();
      return {};
    }
    number = (*packet)->number;
    const PacketCheck check = check_packet(reader.link(), **packet, ports);
    count(check, counts);
    for (const std::string& what : check.faults) {
      on_fault(number, what);
    }
    if (!check.rdma && iwarp.add(reader.link(), **packet, on_iwarp_fault)) {
      --counts.unknown;
    }
  }
}

std::string summary(const CaptureCounts& counts) {
  std::string text = fmt::format("{} packets: {} verified, {} re-emitted identically, {} unknown, {} faults",
                                 counts.packets, counts.verified, counts.reemitted, counts.unknown, counts.faults);
  if (const IwarpCounts& iwarp = counts.iwarp; iwarp.connections != 0) {
    text += fmt::format(
        "; iWARP: {} packets, {} connections, {} start frames, {} FPDUs, {} frames re-emitted identically, {} FPDUs "
        "with "
        "a right CRC",
        iwarp.packets, iwarp.connections, iwarp.start_frames, iwarp.fpdus, iwarp.reemitted, iwarp.verified);
  }
  return text;
}

}  // namespace weft::wire
