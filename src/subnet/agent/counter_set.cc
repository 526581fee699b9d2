#include "subnet/agent/counter_set.h"

namespace weft::subnet {
namespace {

using wire::AttributeField;
using wire::PortCounters;
using wire::PortCountersExtended;

constexpr std::uint8_t kSelectXmitWait = 1;  // of CounterSelect2

/// What is counted, in the form of the extended attribute.
PortCountersExtended extended(const PortCounters& counted, const CounterSet::Multicast& multicast) {
  return {.xmit_data = counted.xmit_data,
          .receive_data = counted.receive_data,
          .xmit_packets = counted.xmit_packets,
          .receive_packets = counted.receive_packets,
          .unicast_xmit_packets = counted.xmit_packets - multicast.xmit_packets,
          .unicast_receive_packets = counted.receive_packets - multicast.receive_packets,
          .multicast_xmit_packets = multicast.xmit_packets,
          .multicast_receive_packets = multicast.receive_packets};
}

/// Every field that CounterSelect can select, with its bit.
template <class Record, class Function>
void for_each_counter(Function&& function) {
  unsigned bit = 0;
  for (const AttributeField<Record>& field : Record::fields()) {
    if (field.access == wire::FieldAccess::kWritable) {
      function(field, bit++);
    }
  }
}

template <class Record>
Record difference(const Record& counted, const Record& base) {
  Record shown;
  for_each_counter<Record>([&](const AttributeField<Record>& field, unsigned /*bit*/) {
    field.set(shown, field.get(counted) - field.get(base));
  });
  return shown;
}

template <class Record>
void write_selected(Record& base, const Record& counted, const Record& written) {
  for_each_counter<Record>([&](const AttributeField<Record>& field, unsigned bit) {
    if ((written.counter_select >> bit & 1U) != 0) {
      field.set(base, field.get(counted) - field.get(written));
    }
  });
}

template <class Record>
void add(Record& sum, const Record& more) {
  for_each_counter<Record>(
      [&](const AttributeField<Record>& field, unsigned /*bit*/) { field.set(sum, field.get(sum) + field.get(more)); });
}

}  // namespace

PortCounters CounterSet::shown() const {
  PortCounters shown = difference(counted_, base_);
  shown.xmit_wait = counted_.xmit_wait - base_.xmit_wait;
  return shown;
}

PortCountersExtended CounterSet::shown_extended() const {
  return difference(extended(counted_, multicast_), extended_base_);
}

void CounterSet::write(const PortCounters& written) {
  write_selected(base_, counted_, written);
  if ((written.counter_select2 & kSelectXmitWait) != 0) {
    base_.xmit_wait = counted_.xmit_wait - written.xmit_wait;
  }
}

void CounterSet::write(const PortCountersExtended& written) {
  write_selected(extended_base_, extended(counted_, multicast_), written);
}

void add_counters(PortCounters& sum, const PortCounters& more) {
  add(sum, more);
  sum.xmit_wait += more.xmit_wait;
}

void add_counters(PortCountersExtended& sum, const PortCountersExtended& more) { add(sum, more); }

}  // namespace weft::subnet
