// What Set of PortInfo does to a port: fields that are copied, and those with rules of their own.
#pragma once

#include "subnet/agent/subnet_agent.h"

namespace weft::subnet {

/// Copies the fields of the table that a manager may write.
template <class Record>
void copy_writable(const Record& wanted, Record& held) {
  for (const wire::AttributeField<Record>& field : Record::fields()) {
    if (field.access == wire::FieldAccess::kWritable) {
      field.set(held, field.get(wanted));
    }
  }
}

struct PortInfoSet {
  std::optional<LinkCommand> command{};
};

/// Of that port of the node. Errors, which leave the port as it was: LIDs that are none of a port, a manager's LID that
/// is none, an LMC at a switch whose port 0 is a base port, an MTU, a width, a speed or lanes that the port does not
/// have, a state that does not follow its own, a LinkDownDefaultState that is none. A LID of 0 stands for none.
//= ibta-1.7 14.2.5.6
[[nodiscard]] Result<PortInfoSet> set_port_info(ServedNode& node, PortNumber number, const SmpData& data);

}  // namespace weft::subnet
