// Topologies as text, read: the `.net` files of ibsim and the output of `ibnetdiscover`, which share a grammar.
//
//   Switch 36 "S-0002c90000000010"    # "leaf 1" enhanced port 0 lid 4 lmc 0
//   [1] "H-0002c90000000001"[1](2c90000000002)   # "host 1 HCA-1" lid 1 4xQDR
//
// A record is a node with its number of ports and its id, then a line for each port with a cable: the port, the id of
// the peer and the peer's port. It ends with an empty line. "switchguid=", "caguid=" and "rtguid=" set the GUID of the
// next node of the kind, "sysimgguid=" its system's. Without them nodes get the GUIDs that ibsim gives them: adapters
// from 0x100000 with one more for each port, switches from 0x200000. A cable may stand at one of its ports or at both.
// LIDs and LMCs that a file gives are kept.
#pragma once

#include <string_view>

#include "base/result.h"
#include "subnet/subnet.h"

namespace weft::subnet {

struct TopologyText {
  std::string_view text;
  std::string_view name;  // of the file, for errors: "name:line: ..."
};

/// Errors, with the line and what would be right: a line that is none of the above (ibsim's "include", "module", "do"
/// and aliases are not read); a node twice; a peer that does not exist; ports beyond those of a node; a port with two
/// cables; two nodes with one GUID; no node at all.
[[nodiscard]] Result<Subnet> parse_topology(const TopologyText& source);

}  // namespace weft::subnet
