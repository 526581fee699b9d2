// The tables of distributed control.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr RowSource kControlRows = {
    .row_type = &kRowType<ControlRow>,
    .each =
        [](const RunResults& results, const RowVisitor& visit) {
          if (results.control) {
            visit({}, &*results.control);
          }
        },
    .add = [](RunResults& results, const Place&) -> void* { return &results.control.emplace(); }};

std::vector<Field> control_fields() {
  return {
      {"sessions", member<&ControlRow::sessions>, "Cables between switches.", {.unit = "sessions", .json = "sessions"}},
      {"established",
       member<&ControlRow::established>,
       "Ends of them with a session when the run ended; twice as many where all have one.",
       {.unit = "ends", .json = "established_ends"}},
      {"quiet", member<&ControlRow::quiet>, "Nothing of it was under way then.", {.json = "quiet"}},
      {"messages", member<&ControlRow::messages>, "Of BGP, sent.", {.unit = "messages", .json = "messages"}},
      {"message_bytes", member<&ControlRow::message_bytes>, "Of them.", {.json = "message_bytes"}},
      {"updates", member<&ControlRow::updates>, "UPDATEs among them.", {.unit = "messages", .json = "updates"}},
      {"bfd_packets", member<&ControlRow::bfd_packets>, "Sent.", {.unit = "packets", .json = "bfd_packets"}},
      {"lldp_units", member<&ControlRow::lldp_units>, "Sent.", {.unit = "units", .json = "lldp_units"}},
      {"frame_bytes", member<&ControlRow::frame_bytes>, "Of all frames of the control plane.", {.json = "frame_bytes"}},
      {"frames_lost",
       member<&ControlRow::frames_lost>,
       "Of the control plane, on dead cables, in full queues, or damaged.",
       {.unit = "frames", .json = "frames_lost"}},
      {"retransmissions",
       member<&ControlRow::retransmissions>,
       "Timeouts of the connections under sessions.",
       {.unit = "timeouts", .json = "retransmissions"}},
      {"bad_messages",
       member<&ControlRow::bad_messages>,
       "That no parser took.",
       {.unit = "messages", .json = "bad_messages"}},
      {"processed",
       member<&ControlRow::processed>,
       "Of UPDATEs, that the CPUs of switches have worked on.",
       {.unit = "prefixes", .json = "prefixes_processed"}},
      {"cpu_ps", member<&ControlRow::cpu_time>, "Of all switches.", {.json = "cpu_time_s"}},
      {"busiest_cpu_ps",
       member<&ControlRow::busiest_cpu_time>,
       "Of the switch with the most.",
       {.json = "busiest_cpu_time_s"}},
      {"busiest_switch", member<&ControlRow::busiest_switch>, "Which that is.", {.json = "busiest_switch"}},
      {"fib_writes",
       member<&ControlRow::fib_writes>,
       "To forwarding tables; local repair is none.",
       {.unit = "writes", .json = "fib_writes"}},
      {"ended_by_signal",
       member<&ControlRow::ended_by_signal>,
       "Ends of sessions, established before, by loss of signal.",
       {.unit = "ends", .json = "ended_by_signal"}},
      {"ended_by_bfd", member<&ControlRow::ended_by_bfd>, "By BFD.", {.unit = "ends", .json = "ended_by_bfd"}},
      {"ended_by_hold_timer",
       member<&ControlRow::ended_by_hold_timer>,
       "By the hold timer.",
       {.unit = "ends", .json = "ended_by_hold_timer"}},
      {"ended_otherwise",
       member<&ControlRow::ended_otherwise>,
       "Because the other end ended it, or a message was wrong.",
       {.unit = "ends", .json = "ended_otherwise"}},
      {"black_holed",
       member<&ControlRow::black_holed>,
       "Packets of hosts that came to a switch without an entry, or whose entry had a dead cable.",
       {.unit = "packets", .json = "black_holed"}},
      {"lost_on_cables",
       member<&ControlRow::lost_on_cables>,
       "Packets of hosts on a cable, or in the queue in front of it, when it failed.",
       {.unit = "packets", .json = "lost_on_cables"}},
      {"hop_limit",
       member<&ControlRow::hop_limit>,
       "Packets of hosts that went round until they had no hops left.",
       {.unit = "packets", .json = "hop_limit"}},
      {"looped",
       member<&ControlRow::looped>,
       "Packets of hosts that came to one of the last seven switches again, whatever became of them.",
       {.unit = "packets", .json = "looped"}}};
}

}  // namespace

const RecordTable& control_table() {
  static const RecordTable kTable{.name = "control",
                                  .one_per = "run whose switches decide on routes themselves",
                                  .places = {},
                                  .own_keys = 0,
                                  .fields = control_fields(),
                                  .rows = kControlRows};
  return kTable;
}

const RecordTable& control_event_table() {
  static const RecordTable kTable{
      .name = "control_event",
      .one_per = "instant with link events, and a cold start",
      .places = {{"number", "Order of the instants."}},
      .own_keys = 0,
      .fields =
          {{"at_ps", member<&ControlEventRow::at>, "When.", {.json = "at_s"}},
           {"kind", member<&ControlEventRow::kind>, "start, fail, restore, or both.", {.json = "kind"}},
           {"links", member<&ControlEventRow::links>, "That failed or came back.", {.unit = "links", .json = "links"}},
           {"link", member<&ControlEventRow::link>, "The first of them, by its ports.", {.json = "link"}},
           {"noticed_ps",
            member<&ControlEventRow::noticed>,
            "When the first session ended or was established after it; NULL: none was before the next instant.",
            {.json = "noticed_s"}},
           {"last_entry_ps",
            member<&ControlEventRow::last_entry>,
            "When the last forwarding entry changed before the next instant; NULL: none did.",
            {.json = "last_entry_s"}}},
      .rows = rows_of<&RunResults::control_events>()};
  return kTable;
}

const RecordTable& control_destination_table() {
  static const RecordTable kTable{
      .name = "control_destination",
      .one_per = "leaf as a destination, of runs whose switches decide on routes themselves",
      .places = {{"number", "Order of the leaves."}},
      .own_keys = 0,
      .fields =
          {{"leaf", member<&ControlDestinationRow::leaf>, "Name of the switch.", {.json = "leaf"}},
           {"black_hole_ps",
            member<&ControlDestinationRow::black_hole>,
            "How long some path from some leaf that cables join to it ended at a switch without an entry or at a "
            "dead cable.",
            {.json = "black_hole_s"}},
           {"loop_ps", member<&ControlDestinationRow::loop>, "How long some path went round.", {.json = "loop_s"}},
           {"cut_off_ps",
            member<&ControlDestinationRow::cut_off>,
            "How long no cables that were up joined some leaf to it: whatever switches decide, its traffic is lost.",
            {.json = "cut_off_s"}},
           {"lost_ps",
            member<&ControlDestinationRow::lost_time>,
            "The mean over these leaves of the share of traffic that is lost, if it splits evenly over next hops, "
            "added up over time.",
            {.json = "lost_time_s"}},
           {"black_holed",
            member<&ControlDestinationRow::black_holed>,
            "Packets to its hosts: no entry, or a dead cable.",
            {.unit = "packets", .json = "black_holed"}},
           {"lost_on_cables",
            member<&ControlDestinationRow::lost_on_cables>,
            "Packets to its hosts that were on a cable when it failed.",
            {.unit = "packets", .json = "lost_on_cables"}},
           {"hop_limit",
            member<&ControlDestinationRow::hop_limit>,
            "Packets to its hosts without hops left.",
            {.unit = "packets", .json = "hop_limit"}},
           {"looped",
            member<&ControlDestinationRow::looped>,
            "Packets to its hosts that came to a switch again.",
            {.unit = "packets", .json = "looped"}}},
      .rows = rows_of<&RunResults::control_destinations>()};
  return kTable;
}

const RecordTable& cabling_table() {
  static const RecordTable kTable{
      .name = "cabling",
      .one_per = "port whose cable is not where the plan has it, as LLDP found",
      .places = {{"number", "Order of the ports."}},
      .own_keys = 0,
      .fields = {{"port", member<&CablingRow::port>, "The port.", {.json = "port"}},
                 {"planned", member<&CablingRow::planned>, "What should be at the other end.", {.json = "planned"}},
                 {"found", member<&CablingRow::found>, "What is.", {.json = "found"}}},
      .rows = rows_of<&RunResults::cabling>()};
  return kTable;
}

}  // namespace weft::study::results
