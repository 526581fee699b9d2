// Programs that send anything to a served subnet: control messages, packets, MADs with wild routes and attributes,
// while cables are pulled. Nothing crashes or goes on without end, and what comes out are messages of the protocol.
//
// The first byte of each operation chooses it; the bytes behind it fill it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "fuzz/fuzz_input.h"
#include "subnet/agent/managed_state.h"
#include "subnet/topology_file.h"
#include "subnet/umad/umad_service.h"
#include "wire/byte_order.h"

namespace {

using namespace weft;
using namespace weft::subnet;

constexpr std::string_view kNetwork =
    "Hca 2 \"H1\"\n[1] \"S1\"[1]\n\nHca 1 \"H2\"\n[1] \"S2\"[1]\n\nHca 1 \"H3\"\n\n"
    "Switch 4 \"S1\"\n[2] \"S2\"[2]\n[3] \"S2\"[3]\n\nSwitch 4 \"S2\"\n\n";
constexpr std::array<const char*, 6> kNodes = {"", "H1", "H2", "S1", "S2", "nobody"};
constexpr int kMostOperations = 400;
constexpr std::uint8_t kClassPing = 0x32;  // of ibping

class Server {
 public:
  explicit Server(FuzzInput& input) : input_(input) {}

  void run() {
    for (int i = 0; i < kMostOperations && !input_.empty(); ++i) {
      operate();
      drain();
    }
    const Result<ManagedState> state = managed_state(subnet_, served_);
    WEFT_ASSERT(state || !state.error().message.empty());
  }

 private:
  void operate() {
    switch (input_.below(8)) {
      case 0:
        return connect();
      case 1:
        return control();
      case 2:
        return raw();
      case 3:
        return cable();
      case 4:
        now_ += Duration::milliseconds(input_.u16());
        service_.on_timeout(now_);
        WEFT_ASSERT(service_.next_timeout() > now_);
        return served_.on_timeout(now_);
      default:
        return packet();
    }
  }

  void connect() {
    UmadControl control{.type = UmadControlType::kConnect};
    UmadConnect{.id = input_.u8(), .node = kNodes[input_.below(kNodes.size())]}.emit(control);
    take_control(control.emit());
  }

  void control() {
    UmadControl control{.client = input_.below(4), .type = static_cast<UmadControlType>(input_.below(12))};
    control.data[0] = std::byte{input_.u8()};
    take_control(control.emit());
  }

  void take_control(std::span<const std::byte> bytes) {
    const auto outcome = service_.on_control(bytes);
    WEFT_ASSERT(outcome || !outcome.error().message.empty());
    if (outcome) {
      WEFT_ASSERT((outcome->reply.type == UmadControlType::kError) == !outcome->problem.empty());
    }
    WEFT_ASSERT(service_.clients().size() <= UmadService::kMostClients);
  }

  void raw() {
    std::array<std::byte, 300> bytes{};
    const std::size_t size = input_.below(301);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = std::byte{input_.u8()};
    }
    take_control(std::span(bytes).first(size));
    take_packet(std::span(bytes).first(size));
  }

  void take_packet(std::span<const std::byte> bytes) {
    const auto taken = service_.on_packet(input_.below(4), bytes, now_);
    WEFT_ASSERT(taken || !taken.error().message.empty());
  }

  void cable() {
    const PortPlace at{.node = NodeIndex(input_.below(7)), .port = static_cast<PortNumber>(input_.below(6))};
    const auto cable = input_.one_in(2) ? ServedSubnet::Cable::kPlugged : ServedSubnet::Cable::kUnplugged;
    const auto set = served_.set_cable(at, cable, now_);
    WEFT_ASSERT(set || !set.error().message.empty());
  }

  /// A MAD that agents understand, most of the time.
  void packet() {
    UmadPacket made{.packet = {.source = input_.u8(), .destination = input_.u8()}};
    const bool directed = input_.one_in(2);
    if (directed) {
      made.packet.source = made.packet.destination = kPermissiveLid;
    }
    made.packet.destination_qp = made.packet.source_qp = input_.below(2);
    constexpr std::array<std::uint8_t, 4> kClasses = {wire::kClassSubnetLidRouted, wire::kClassSubnetAdministration,
                                                      wire::kClassPerformance, kClassPing};
    const std::uint8_t any_class = input_.u8();
    const std::uint8_t by_lid = any_class < 0xC0 ? kClasses[any_class % kClasses.size()] : any_class;
    wire::MadHeader header{.management_class = directed ? wire::kClassSubnetDirectedRoute : by_lid,
                           .class_version = input_.one_in(8) ? input_.u8() : std::uint8_t{1},
                           .method = input_.u8(),
                           .transaction_id = input_.u8(),
                           .attribute_id = input_.u8(),
                           .attribute_modifier = input_.u32()};
    if (directed) {
      header.class_specific = input_.one_in(8) ? input_.u16() : static_cast<std::uint16_t>(input_.below(6));
      header.status = input_.one_in(8) ? input_.u16() : std::uint16_t{0};
    }
    header.emit(made.packet.mad);
    const std::uint16_t outside = input_.one_in(8) ? input_.u16() : kPermissiveLid;
    wire::store_be16(made.packet.mad, mad_offset::kDirectedSource, outside);
    wire::store_be16(made.packet.mad, mad_offset::kDirectedDestination, input_.one_in(16) ? 0 : kPermissiveLid);
    for (std::size_t i = 0; i < 6; ++i) {
      wire::store_u8(made.packet.mad, mad_offset::kInitialPath + i, input_.u8() & 7U);
      wire::store_u8(made.packet.mad, mad_offset::kReturnPath + i, input_.u8() & 7U);
    }
    for (std::size_t i = input_.below(65); i > 0; --i) {
      wire::store_u8(made.packet.mad, mad_offset::kSmpData + input_.below(64), input_.u8());
    }
    take_packet(made.emit());
  }

  void drain() {
    std::size_t outputs = 0;
    while (const auto output = service_.poll_output()) {
      WEFT_ASSERT(service_.clients().contains(output->to));
      const auto packet = UmadPacket::parse(output->bytes);
      WEFT_ASSERT(packet.has_value());
      const wire::MadHeader header = *wire::MadHeader::parse(packet->packet.mad);
      if (packet->status == UmadPacket::kTimedOut) {
        WEFT_ASSERT(!is_response(header.method) && header.method != wire::kMethodTrapRepress);
        WEFT_ASSERT(service_.clients().at(output->to).has_asked);
      } else {
        suits(service_.clients().at(output->to), header);
      }
      WEFT_ASSERT(++outputs < 10'000);
    }
  }

  /// A request comes to a program only if it takes the class, an answer only if it has asked.
  static void suits(const UmadService::Client& taker, const wire::MadHeader& header) {
    const bool is_managers = header.management_class == wire::kClassSubnetLidRouted ||
                             header.management_class == wire::kClassSubnetDirectedRoute ||
                             header.management_class == wire::kClassSubnetAdministration;
    const bool is_ping = header.management_class == kClassPing;
    if (is_response(header.method) || header.method == wire::kMethodTrapRepress) {
      WEFT_ASSERT(taker.has_asked);
      return;
    }
    WEFT_ASSERT(taker.is_sm ? is_managers : is_ping && !taker.has_asked);
  }

  FuzzInput& input_;
  Subnet subnet_ = *parse_topology({.text = kNetwork, .name = "network"});
  ServedSubnet served_{subnet_};
  UmadService service_{{.subnet = subnet_, .anywhere = {.node = NodeIndex(0), .port = 1}}, served_};
  Time now_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  Server(input).run();
  return 0;
}
