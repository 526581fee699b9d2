// The table of what protection of the data path did.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr RowSource kSecurity = {
    .row_type = &kRowType<SecurityRow>,
    .each =
        [](const RunResults& results, const RowVisitor& visit) {
          if (results.security) {
            visit({}, &*results.security);
          }
        },
    .add = [](RunResults& results, const Place&) -> void* { return &results.security.emplace(); }};

}  // namespace

const RecordTable& security_table() {
  static const RecordTable kTable{
      .name = "security",
      .one_per = "run with encryption or firewalls (`[security]`)",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"encryption", member<&SecurityRow::encryption>, "Entry of the catalogue; `none`.", {.json = "encryption"}},
           {"firewall", member<&SecurityRow::firewall>, "Entry of the catalogue; `none`.", {.json = "firewall"}},
           {"packets", member<&SecurityRow::packets>, "That NIC ports sent.", {.unit = "packets", .json = "packets"}},
           {"added",
            member<&SecurityRow::added>,
            "Bytes of encryption in them, on the wire of their NIC; those of MACsec come again on each further cable.",
            {.json = "added_bytes"}},
           {"encryption_busy_ps",
            member<&SecurityRow::encryption_busy>,
            "Of the engines of all ports, both directions; zero where they keep up with any rate.",
            {.json = "encryption_busy_s"}},
           {"firewall_busy_ps",
            member<&SecurityRow::firewall_busy>,
            "Of the firewalls of all ports, both directions; zero where they keep up with any rate.",
            {.json = "firewall_busy_s"}},
           {"busiest",
            member<&SecurityRow::busiest>,
            "Port whose firewall and encryption were busy longest; empty: none was.",
            {.json = "busiest", .json_empty = WhenEmpty::kLeftOut}},
           {"busiest_ps", member<&SecurityRow::busiest_time>, "That they were.", {.json = "busiest_s"}},
           {"dropped",
            member<&SecurityRow::dropped>,
            "That came in and found the buffer full (`security.buffer`).",
            {.unit = "packets", .json = "dropped_packets"}},
           {"pauses",
            member<&SecurityRow::pauses>,
            "Times that a port paused its switch because its buffer was half full.",
            {.unit = "times", .json = "pauses"}},
           {"peak",
            member<&SecurityRow::peak>,
            "Most that ever waited in the buffer of one port.",
            {.json = "peak_bytes"}}},
      .rows = kSecurity};
  return kTable;
}

}  // namespace weft::study::results
