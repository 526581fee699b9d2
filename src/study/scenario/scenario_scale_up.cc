#include "study/scenario/scenario_scale_up.h"

#include <algorithm>

namespace weft::study::scenario {
namespace {

std::uint32_t narrow(Bytes size) { return static_cast<std::uint32_t>(size.count()); }

}  // namespace

wire::MemoryFormat memory_format(const ScaleUpSettings& settings) {
  return {.unit = narrow(settings.unit),
          .packet_payload = narrow(settings.packet_payload),
          .flit = narrow(settings.flit),
          .data_header = narrow(settings.data_header),
          .request_header = narrow(settings.request_header),
          .answer = narrow(settings.answer),
          .link_efficiency = settings.link_efficiency};
}

Bytes largest_packet(const ScaleUpSettings& settings) {
  const wire::MemoryFormat format = memory_format(settings);
  return Bytes(std::max({wire::data_wire_bytes(format, format.unit), wire::request_wire_bytes(format, format.unit),
                         wire::ack_wire_bytes(format)}));
}

}  // namespace weft::study::scenario
