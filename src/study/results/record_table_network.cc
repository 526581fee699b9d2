// Tables of ports: their traffic, lanes, choices among paths and samples; and of what the fabric dropped.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

using fabric::FabricDrops;
using fabric::GradeCounters;
using fabric::PortChoices;

constexpr RowSource kDropped = {
    .row_type = &kRowType<FabricDrops>,
    .each = [](const RunResults& results, const RowVisitor& visit) { visit({}, &results.drops); },
    .add = [](RunResults& results, const Place&) -> void* { return &results.drops; }};

// Ports that no choice looked at have no row.
constexpr RowSource kChoices = {.row_type = &kRowType<PortRow>,
                                .each =
                                    [](const RunResults& results, const RowVisitor& visit) {
                                      for (std::uint32_t i = 0; i < results.ports.size(); ++i) {
                                        if (results.ports[i].choices != PortChoices{}) {
                                          visit({i, 0}, &results.ports[i]);
                                        }
                                      }
                                    },
                                .add = [](RunResults& results, const Place& place) -> void* {
                                  return place[0] < results.ports.size() ? &results.ports[place[0]] : nullptr;
                                }};

std::string_view sampled_port(const RunResults& results, const void* row) {
  return results.ports.at(static_cast<const SampleRow*>(row)->port).name;
}

/// What only some disciplines and options count.
std::vector<Field> fields_of_mechanisms() {
  return {{"replays",
           member<&PortRow::replays>,
           "That LLR began on the wire from this port.",
           {.unit = "replays", .total = {.json = "replays", .label = "LLR replays", .order = 102}}},
          {"replayed",
           member<&PortRow::replayed>,
           "Frames that were sent again for that.",
           {.unit = "frames", .total = {.json = "replayed", .order = 103}}},
          {"voq_peak",
           member<&PortRow::voq_peak>,
           "Longest virtual output queue for this port (scheduled fabric).",
           {.unit = "bytes"}},
          {"voq_wait_ps",
           member<&PortRow::voq_wait>,
           "In those queues, all packets for this port together: for credit, and for uplinks.",
           {}},
          {"incomplete",
           member<&PortRow::incomplete>,
           "Packets for this port that were discarded because cells of them were lost (scheduled fabric).",
           {.unit = "packets", .total = {.json = "incomplete", .label = "incomplete", .order = 104}}},
          {"reordered",
           member<&PortRow::reordered>,
           "That waited in the switch for their order before they left by this port.",
           {.unit = "packets", .total = {.json = "reordered", .label = "reordered by leaves", .order = 105}}},
          {"reorder_queues",
           member<&PortRow::reorder_queues>,
           "Queues for that in use, most at a time.",
           {.unit = "queues"}},
          {"reorder_peak", member<&PortRow::reorder_peak>, "And what they held.", {.unit = "bytes"}},
          {"reorder_overflows",
           member<&PortRow::reorder_overflows>,
           "That found no queue or no room there, and passed out of order.",
           {.unit = "packets", .total = {.json = "reorder_overflows", .label = "not reordered", .order = 106}}},
          {"reorder_timeouts",
           member<&PortRow::reorder_timeouts>,
           "Waits that ended with packets missing.",
           {.unit = "waits", .total = {.json = "reorder_timeouts", .label = "waits ended", .order = 107}}}};
}

std::vector<Field> joined(std::vector<Field> first, const std::vector<Field>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

const RecordTable& port_table() {
  static const RecordTable kTable{
      .name = "port",
      .one_per = "port, in the fabric's order",
      .places = {{"port", "Number of the port."}},
      .own_keys = 0,
      .fields = joined({{"name", member<&PortRow::name>, "Name of the port.", {.csv = "port"}},
                        {"peer", member<&PortRow::peer>, "The port at the other end of its cable.", {.csv = "peer"}},
                        {"rate_bps", member<&PortRow::rate>, "Rate of the cable.", {.csv = "rate_bps"}},
                        {"of_switch", member<&PortRow::of_switch>, "Port of a switch, not of a NIC."},
                        {"tx_packets", member<&PortRow::tx_packets>, "Transmissions begun.", {.unit = "packets"}},
                        {"tx_bytes", member<&PortRow::tx_bytes>, "Their frames.", {.unit = "bytes"}},
                        {"rx_packets",
                         member<&PortRow::rx_packets>,
                         "Begun by the peer and not on the wire any more.",
                         {.unit = "packets", .csv = "port_rx_packets", .csv_order = Order::kLast}},
                        {"rx_bytes",
                         member<&PortRow::rx_bytes>,
                         "Their frames.",
                         {.unit = "bytes", .csv = "port_rx_bytes", .csv_order = Order::kLast}},
                        {"drops",
                         member<&PortRow::drops>,
                         "Ethernet: of what came in here; InfiniBand: of packets for this egress port.",
                         {.unit = "packets", .csv = "port_drops", .csv_order = Order::kLast}},
                        {"receive_errors",
                         member<&PortRow::receive_errors>,
                         "Damaged packets (InfiniBand).",
                         {.unit = "packets", .csv = "port_receive_errors", .csv_order = Order::kLast}},
                        {"credits_sent",
                         member<&PortRow::credits_sent>,
                         "Flow control packets (InfiniBand), credit updates (Ethernet), credits (scheduled fabric).",
                         {.unit = "packets"}},
                        {"trimmed",
                         member<&PortRow::trimmed>,
                         "Cut for want of room to leave by this port (Ethernet).",
                         {.unit = "packets",
                          .csv = "port_trimmed",
                          .csv_order = Order::kLast,
                          .total = {.json = "trimmed", .label = "trimmed"}}},
                        {"trimmed_bytes",
                         member<&PortRow::trimmed_bytes>,
                         "That they lost.",
                         {.unit = "bytes",
                          .csv = "port_trimmed_bytes",
                          .csv_order = Order::kLast,
                          .total = {.json = "trimmed_bytes", .order = 101}}}},
                       fields_of_mechanisms()),
      .rows = rows_of<&RunResults::ports>()};
  return kTable;
}

const RecordTable& lane_table() {
  static const RecordTable kTable{
      .name = "lane",
      .one_per = "priority or virtual lane of a port that has anything to say",
      .places = {{"port", "Number of the port."}},
      .own_keys = 1,
      .fields = {{"lane",
                  member<&LaneRow::lane>,
                  "Priority (Ethernet) or virtual lane (InfiniBand).",
                  {.unit = "number", .csv = "lane"}},
                 {"tx_packets",
                  member<&LaneRow::tx_packets>,
                  "Transmissions begun.",
                  {.unit = "packets", .csv = "tx_packets"}},
                 {"tx_bytes", member<&LaneRow::tx_bytes>, "Their frames.", {.unit = "bytes", .csv = "tx_bytes"}},
                 {"marked",
                  member<&LaneRow::marked>,
                  "Of them, marked CE or FECN here.",
                  {.unit = "packets", .csv = "marked"}},
                 {"queue_peak",
                  member<&LaneRow::queue_peak>,
                  "Most that ever waited to leave.",
                  {.unit = "bytes", .csv = "queue_peak_bytes"}},
                 {"ingress_peak",
                  member<&LaneRow::ingress_peak>,
                  "Most ever held of what came in here (Ethernet).",
                  {.unit = "bytes", .csv = "ingress_peak_bytes"}},
                 {"pauses_sent",
                  member<&LaneRow::pauses_sent>,
                  "XOFF frames, refreshes included.",
                  {.unit = "frames", .csv = "pauses_sent"}},
                 {"pauses_received",
                  member<&LaneRow::pauses_received>,
                  "Likewise.",
                  {.unit = "frames", .csv = "pauses_received"}},
                 {"storms", member<&LaneRow::storms>, "Times that the watchdog triggered.", {.unit = "times"}},
                 {"held_ps",
                  member<&LaneRow::held>,
                  "Paused, or without credits while something waited.",
                  {.csv = "held_ps"}}},
      .rows = rows_within<&RunResults::ports, &PortRow::lanes>()};
  return kTable;
}

const RecordTable& port_choice_table() {
  static const RecordTable kTable{
      .name = "port_choice",
      .one_per = "port among which a switch chose by more than a hash",
      .places = {{"port", "Number of the port."}},
      .own_keys = 0,
      .fields =
          {{"", member<&PortRow::name>, "Name of the port.", {.csv = "port", .json = "port"}},
           {"flowlets",
            member<&PortRow::choices, &PortChoices::flowlets>,
            "Flowlets that began there.",
            {.unit = "flowlets", .csv = "port_flowlets", .json = "flowlets", .csv_order = Order::kLast}},
           {"moved",
            member<&PortRow::choices, &PortChoices::moved>,
            "Of these, flowlets whose flow was at another port before.",
            {.unit = "flowlets", .csv = "port_flowlets_moved", .json = "moved", .csv_order = Order::kLast}},
           {"notifications_sent",
            member<&PortRow::choices, &PortChoices::notifications_sent>,
            "Congestion notifications out of it, to the switch behind it.",
            {.unit = "notifications",
             .csv = "port_notifications_sent",
             .json = "notifications_sent",
             .csv_order = Order::kLast}},
           {"notifications_received",
            member<&PortRow::choices, &PortChoices::notifications_received>,
            "Congestion notifications by it, about it.",
            {.unit = "notifications",
             .csv = "port_notifications_received",
             .json = "notifications_received",
             .csv_order = Order::kLast}},
           {"detours",
            member<&PortRow::choices, &PortChoices::detours>,
            "Packets, acknowledgements among them, that were bound for a third group of a dragonfly and began there by "
            "it, whether or not it was chosen by its load; each counts once.",
            {.unit = "packets", .csv = "port_detours", .json = "detours", .csv_order = Order::kLast}}},
      .rows = kChoices};
  return kTable;
}

const RecordTable& port_grade_table() {
  static const RecordTable kTable{.name = "port_grade",
                                  .one_per = "grade of depth of such a port",
                                  .places = {{"port", "Number of the port."}, {"grade", "0: the best.", "grade"}},
                                  .own_keys = 0,
                                  .fields = {{"chosen",
                                              member<&GradeCounters::chosen>,
                                              "Took the port while it was at that grade.",
                                              {.unit = "packets", .csv = "chosen_packets", .json = "chosen_packets"}},
                                             {"time_ps",
                                              member<&GradeCounters::time>,
                                              "How long choices saw it there.",
                                              {.csv = "time_ps", .json = "time_s"}}},
                                  .rows = rows_within<&RunResults::ports, &PortRow::choices, &PortChoices::grades>()};
  return kTable;
}

const RecordTable& dropped_table() {
  static const RecordTable kTable{.name = "dropped",
                                  .one_per = "cause of drops in the fabric",
                                  .places = {{"cause", "Name of the cause."}, {"packets", "Packets dropped for it."}},
                                  .own_keys = 0,
                                  .fields = {{"buffer_full",
                                              member<&FabricDrops::buffer_full>,
                                              "A lossy class, or headroom too small.",
                                              {.unit = "packets", .json = "buffer_full"}},
                                             {"damaged",
                                              member<&FabricDrops::damaged>,
                                              "CRC error seen by a switch that stores and forwards.",
                                              {.unit = "packets", .json = "damaged"}},
                                             {"hop_limit",
                                              member<&FabricDrops::hop_limit>,
                                              "Hop limit reached.",
                                              {.unit = "packets", .json = "hop_limit"}},
                                             {"unreachable",
                                              member<&FabricDrops::unreachable>,
                                              "No route.",
                                              {.unit = "packets", .json = "unreachable"}},
                                             {"link_down",
                                              member<&FabricDrops::link_down>,
                                              "Lost on or in front of a failed link.",
                                              {.unit = "packets", .json = "link_down"}},
                                             {"watchdog",
                                              member<&FabricDrops::watchdog>,
                                              "Discarded by a PFC watchdog.",
                                              {.unit = "packets", .json = "watchdog"}},
                                             {"lifetime",
                                              member<&FabricDrops::lifetime>,
                                              "Head-of-queue lifetime over (InfiniBand).",
                                              {.unit = "packets", .json = "lifetime"}},
                                             {"replays",
                                              member<&FabricDrops::replays>,
                                              "Lost on a link after the last replay (LLR).",
                                              {.unit = "packets", .json = "replays"}}},
                                  .rows = kDropped,
                                  .layout = Layout::kRowPerField};
  return kTable;
}

const RecordTable& sample_table() {
  static const RecordTable kTable{
      .name = "sample",
      .one_per = "port to which something happened, and sample instant",
      .places = {},
      .own_keys = 2,
      .fields =
          {{"at_ps", member<&SampleRow::at>, "The instant.", {.csv = "at_ps"}},
           {"port", member<&SampleRow::port>, "The port.", {.unit = "number", .csv = "port", .name_of = sampled_port}},
           {"queue_bytes",
            member<&SampleRow::queue_bytes>,
            "Waiting to leave, at the instant.",
            {.unit = "bytes", .csv = "queue_bytes"}},
           {"tx_bytes",
            member<&SampleRow::tx_bytes>,
            "Sent since the instant before.",
            {.unit = "bytes", .csv = "tx_bytes"}},
           {"utilisation_ppm",
            millionths<&SampleRow::utilisation>,
            "Of the wire since then (at its higher rate); packets count where they begin, so it may exceed the whole.",
            {.csv = "utilisation"}},
           {"held_ps",
            member<&SampleRow::held>,
            "Lanes paused or without credits since then, together.",
            {.csv = "held_ps"}}},
      .rows = rows_of<&RunResults::samples>()};
  return kTable;
}

const RecordTable& decision_table() {
  static const RecordTable kTable{
      .name = "decision",
      .one_per = "kind of decision of load balancing that was made, and sample instant",
      .places = {},
      .own_keys = 2,
      .fields = {{"at_ps",
                  member<&DecisionRow::at>,
                  "The instant; of `entries` the time at which the controller's plan took effect.",
                  {.csv = "at_ps", .json = "at_s"}},
                 {"decision",
                  worded<&DecisionRow::decision>,
                  "By switches: 0 `flowlet-kept` (a flowlet began where its flow was, or of a new flow), 1 "
                  "`flowlet-moved` (at another port), 2 `reroute` (ConWeave moved a flow), 3 `port-choice` (a packet "
                  "took a port by the depth of queues), 4 `detour` (a packet was bound for a third group). By senders: "
                  "5 `path-change`. By a controller: 6 `entries` (written into tables).",
                  {.unit = "number", .csv = "decision", .json = "decision"}},
                 {"count",
                  member<&DecisionRow::count>,
                  "Since the instant before, all devices together.",
                  {.unit = "times", .csv = "count", .json = "count"}}},
      .rows = rows_of<&RunResults::decisions>()};
  return kTable;
}

}  // namespace weft::study::results
