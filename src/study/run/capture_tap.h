// Captures of ports: every frame that leaves or reaches them, written to pcapng files as real bytes.
//
// A frame sent stands at the instant its transmission starts, a frame received at the instant the device has it in
// hand: after its last bit and the device's pipeline, with cut-through after the bytes that decide. Payload is zeros.
// MAC, IP, GID and LID are f(seed, name) and the same on every hop. PFC frames are there; InfiniBand's flow control
// packets, and frames damaged on the wire, are not. A packet of Ultra Ethernet that was trimmed stands there with all
// of its headers and a CRC of its own; with TSS, zeros stand for what is encrypted and for the check value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/world/world.h"
#include "wire/packet_codec.h"
#include "wire/pcapng_writer.h"

namespace weft::study::run {

/// The port of that name: "leaf1/port3" or "leaf1/3", "host3/nic0" for an endpoint's only one. Errors name the nearest.
[[nodiscard]] Result<fabric::PortIndex> find_port(const world::World& world, std::string_view name);

struct CaptureRequest {
  std::string port;
  std::string file;
};

class CaptureTap final : public fabric::Tap {
 public:
  /// Creates the files and taps the ports, before the run; the world must outlive the tap.
  [[nodiscard]] static Result<std::unique_ptr<CaptureTap>> open(world::World& world, std::uint64_t seed,
                                                                const std::vector<CaptureRequest>& requests);

  void on_frame(fabric::PortIndex port, Direction direction, const wire::Packet& packet, Time at) override;

  /// Ends all captures; errors of writing are told here.
  [[nodiscard]] Result<void> close();

 private:
  struct Capture {
    fabric::PortIndex port = 0;
    wire::MacAddress mac;       // source of the pause frames that it sends
    wire::MacAddress peer_mac;  // and of those that it receives
    wire::PcapngWriter writer;
    wire::CaptureInterface where;
    std::vector<std::byte> held{};  // the frame sent last, which may begin later than others that come meanwhile
    Time held_at = Time::never();
  };
  explicit CaptureTap(world::World& world) : world_(world) {}
  void fill_pause(const Capture& capture, Direction direction, const wire::Packet& packet);
  void fill_notification(const Capture& capture, Direction direction, const wire::Packet& packet);
  void fill_packet(const wire::Packet& packet);
  void fill_uet(const wire::Packet& packet, const wire::ColdPacket& cold, const wire::Addresses& ends);
  static void write_held(Capture& capture);

  world::World& world_;
  std::vector<wire::EndAddresses> addresses_;
  std::vector<Capture> captures_;
  std::vector<std::byte> bytes_;  // of the frame being written; kept to reuse its memory
};

}  // namespace weft::study::run
