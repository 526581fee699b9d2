#include "subnet/agent/performance_agent.h"

#include "wire/performance_attributes.h"

namespace weft::subnet {
namespace {

using wire::PortCounters;
using wire::PortCountersExtended;

MadStatus class_port_info(std::span<std::byte> data, bool is_set) {
  if (is_set) {
    return MadStatus::kAttributeNotSupported;
  }
  const wire::ClassPortInfo info{.capability_mask = wire::kAllPortSelect | wire::kIsExtendedWidthSupported |
                                                    wire::kIsXmitWaitSupported};
  info.emit(data);
  return MadStatus::kOk;
}

PortCounters shown(const CounterSet& counters, const PortCounters& /*form*/) { return counters.shown(); }
PortCountersExtended shown(const CounterSet& counters, const PortCountersExtended& /*form*/) {
  return counters.shown_extended();
}

/// Both forms of counters.
template <class Record>
MadStatus counters(ServedNode& node, const SmpRequest& request, std::span<std::byte> data) {
  const Result<Record> asked = Record::parse(data);
  const bool all = asked && asked->port_select == wire::kAllPorts;
  const bool exists = asked && (all || asked->port_select < node.ports.size());
  const bool has_counters = exists && (all || node.is_switch() || asked->port_select == request.port);
  if (!has_counters) {
    return MadStatus::kInvalidField;
  }
  Record sum;
  for (std::size_t number = node.is_switch() ? 0 : 1; number < node.ports.size(); ++number) {
    if (!all && number != asked->port_select) {
      continue;
    }
    CounterSet& of_port = node.ports[number].counters;
    if (request.header.method == wire::kMethodSet) {
      of_port.write(*asked);
    }
    add_counters(sum, shown(of_port, sum));
  }
  sum.port_select = asked->port_select;
  sum.counter_select = asked->counter_select;
  sum.emit(data);
  return MadStatus::kOk;
}

}  // namespace

MadStatus answer_performance(ServedNode& node, const SmpRequest& request, std::span<std::byte> mad) {
  const std::span<std::byte> data = mad.subspan(wire::kPerformanceData);
  switch (request.header.attribute_id) {
    case wire::kAttributeClassPortInfo:
      return class_port_info(data, request.header.method == wire::kMethodSet);
    case wire::kAttributePortCounters:
      return counters<PortCounters>(node, request, data);
    case wire::kAttributePortCountersExtended:
      return counters<PortCountersExtended>(node, request, data);
    default:
      return MadStatus::kAttributeNotSupported;
  }
}

}  // namespace weft::subnet
