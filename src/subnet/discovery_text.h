// A subnet as the text that `ibnetdiscover` prints, which ibsim and topology_file.h read.
#pragma once

#include <string>

#include "subnet/subnet.h"

namespace weft::subnet {

/// Nodes in their order. Ids that are not made of a GUID, as of an ibsim file, become "S-" or "H-" and the GUID; the
/// description stays what it is.
[[nodiscard]] std::string write_ibnetdiscover(const Subnet& subnet);

}  // namespace weft::subnet
