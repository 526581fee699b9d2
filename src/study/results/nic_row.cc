#include "study/results/nic_row.h"

#include "host/nic.h"
#include "study/results/record_access.h"

namespace weft::study::results {
namespace {

/// Where counters of a NIC stand.
struct Reading {
  const host::Nic& nic;
  host::Nic::Counters port;
  host::Nic::Connections queue_pairs;
};

/// A counter: its field, and what it is read from.
struct NicCounter {
  Field field;
  std::uint64_t NicRow::*member = nullptr;
  std::uint64_t (*from)(const Reading& of) = nullptr;
};

template <std::uint64_t NicRow::*own>
NicCounter counter(std::string_view column, std::uint64_t (*from)(const Reading& of), std::string_view about,
                   const Forms& forms) {
  return {{column, member<own>, about, forms}, own, from};
}

std::uint64_t data_sent(const Reading& of) { return of.port.data_sent; }
std::uint64_t answers_sent(const Reading& of) { return of.port.answers_sent; }
std::uint64_t received(const Reading& of) { return of.port.received; }
std::uint64_t damaged(const Reading& of) { return of.port.damaged; }
std::uint64_t moved(const Reading& of) { return of.port.moved; }
std::uint64_t path_changes(const Reading& of) { return of.nic.path_changes(); }
std::uint64_t host_drops(const Reading& of) { return of.nic.path() != nullptr ? of.nic.path()->counters().dropped : 0; }
std::uint64_t held_back(const Reading& of) {
  return of.nic.path() != nullptr ? of.nic.path()->counters().held_back : 0;
}
std::uint64_t held_back_ps(const Reading& of) {
  return of.nic.path() != nullptr ? static_cast<std::uint64_t>(of.nic.path()->counters().held_back_for.picoseconds())
                                  : 0;
}
std::uint64_t ordered(const Reading& of) { return of.nic.reordering() != nullptr ? of.nic.reordering()->packets() : 0; }

/// A sum over the queue pairs.
template <auto sum>
std::uint64_t pairs(const Reading& of) {
  return of.queue_pairs.*sum;
}
/// The same of the RC engines alone.
template <auto sum>
std::uint64_t rc(const Reading& of) {
  return of.queue_pairs.rc.*sum;
}
/// Of the contexts of Ultra Ethernet.
template <auto sum>
std::uint64_t uet(const Reading& of) {
  return of.queue_pairs.uet.*sum;
}

using Pairs = host::Nic::Connections;
using Rc = transport::RcCounters;
using Uet = transport::UetCounters;

const std::vector<NicCounter>& counters() {
  static const std::vector<NicCounter> kCounters{
      counter<&NicRow::data_sent>("data_sent", data_sent, "With payload, and requests.", {.unit = "packets"}),
      counter<&NicRow::answers_sent>("answers_sent", answers_sent, "Acknowledgements and notifications.",
                                     {.unit = "packets"}),
      counter<&NicRow::received>("received", received, "Everything that arrived.", {.unit = "packets"}),
      counter<&NicRow::damaged>("damaged", damaged, "Thrown away by the ICRC.",
                                {.unit = "packets", .total = {.json = "damaged_packets", .order = 5}}),
      counter<&NicRow::retransmitted>("retransmitted", pairs<&Pairs::retransmissions>,
                                      "Sent again; like the next seven, a sum over its reliable queue pairs, of RDMA, "
                                      "TCP and iWARP.",
                                      {.unit = "packets", .total = {.json = "retransmitted_packets", .order = 2}}),
      counter<&NicRow::timeouts>("timeouts", pairs<&Pairs::timeouts>, "Of the ACK timer.",
                                 {.unit = "times", .total = {.json = "timeouts", .order = 3}}),
      counter<&NicRow::sequence_naks>("sequence_naks", rc<&Rc::packet_seq_err>, "NAKs for a sequence error.",
                                      {.unit = "packets", .total = {.json = "sequence_naks", .order = 4}}),
      counter<&NicRow::rnr_naks>("rnr_naks", rc<&Rc::rnr_nak_retry_err>, "NAKs because no receive request was posted.",
                                 {.unit = "packets"}),
      counter<&NicRow::out_of_sequence>("out_of_sequence", pairs<&Pairs::out_of_order>, "Arrived out of order.",
                                        {.unit = "packets"}),
      counter<&NicRow::duplicates>("duplicates", pairs<&Pairs::duplicates>, "Arrived a second time.",
                                   {.unit = "packets"}),
      counter<&NicRow::cnps_sent>("cnps_sent", rc<&Rc::cnp_sent>, "Congestion notifications sent.",
                                  {.unit = "packets"}),
      counter<&NicRow::cnps_handled>("cnps_handled", rc<&Rc::cnp_handled>, "Congestion notifications received.",
                                     {.unit = "packets"}),
      counter<&NicRow::connections>("connections", pairs<&Pairs::count>, "That existed when the run ended.",
                                    {.unit = "queue pairs"}),
      counter<&NicRow::state_bytes>("state_bytes", pairs<&Pairs::state_bytes>, "State of their engines.",
                                    {.unit = "bytes"}),
      counter<&NicRow::host_drops>("host_drops", host_drops,
                                   "For which the receive ring or buffer of its host had no room.",
                                   {.unit = "packets", .total = {.json = "host_drops", .order = 1}}),
      counter<&NicRow::buffer_bytes>("buffer_bytes", pairs<&Pairs::buffer_bytes>,
                                     "Send and receive buffers that a stack over a stream holds besides.",
                                     {.unit = "bytes"}),
      counter<&NicRow::ordered>("ordered", ordered,
                                "Data packets whose order was measured: where switches spread packets.",
                                {.unit = "packets", .csv = "nic_data_packets"}),
      counter<&NicRow::untracked>(
          "untracked", rc<&Rc::out_of_tracking>,
          "Arrived further ahead than its queue pair can keep track of (`nic."
          "tracked_packets`) or has room for.",
          {.unit = "packets", .total = {.json = "untracked_packets", .label = "beyond tracking", .order = 6}}),
      counter<&NicRow::credit_grants>("credit_grants", uet<&Uet::credits>,
                                      "Control packets with credit of RCCC that it received.",
                                      {.unit = "packets", .total = {.json = "credit_grants", .order = 7}}),
      counter<&NicRow::credit_requests>(
          "credit_requests", uet<&Uet::credit_requests>, "That it sent after a timeout without credit.",
          {.unit = "packets", .total = {.json = "credit_requests", .label = "credit requests", .order = 8}}),
      counter<&NicRow::path_changes>(
          "path_changes", path_changes,
          "Times that its senders took another path than was due: PLB left its path, `bitmap` passed over one with "
          "penalties, `reps` took one at random, `mixed` had none to recycle.",
          {.unit = "times", .total = {.json = "path_changes", .label = "paths changed by senders", .order = 10}}),
      counter<&NicRow::moved>(
          "moved", moved,
          "That left through another port of the NIC, because its own link, or that of the "
          "receiver's port in its plane, was down (`routing.port_failover`).",
          {.unit = "packets", .total = {.json = "moved_packets", .label = "moved to another port", .order = 9}}),
      counter<&NicRow::held_back>(
          "held_back", held_back,
          "Times that its receive buffer, filled faster than the host takes bytes, held back the switch before it: by "
          "a "
          "PFC pause, or by credits that it did not give back.",
          {.unit = "times", .total = {.json = "nic_hold_backs", .label = "held back by NICs", .order = 11}}),
      counter<&NicRow::held_back_ps>("held_back_ps", held_back_ps, "For so long in all.",
                                     {.unit = "ps", .total = {.json = "nic_held_back_s", .order = 12}})};
  return kCounters;
}

std::vector<Field> fields() {
  std::vector<Field> all = {{"name", member<&NicRow::name>, "Name of the NIC port.", {.csv = "nic"}}};
  for (const NicCounter& own : counters()) {
    all.push_back(own.field);
  }
  return all;
}

}  // namespace

NicRow nic_row(const std::string& name, const host::Nic& nic) {
  const Reading reading{.nic = nic, .port = nic.counters(), .queue_pairs = nic.connections()};
  NicRow row;
  row.name = name;
  for (const NicCounter& own : counters()) {
    row.*own.member = own.from(reading);
  }
  if (nic.reordering() != nullptr) {
    row.late = nic.reordering()->late();
  }
  return row;
}

const RecordTable& nic_table() {
  static const RecordTable kTable{.name = "nic",
                                  .one_per = "NIC port",
                                  .places = {{"nic", "Number of the NIC port."}},
                                  .own_keys = 0,
                                  .fields = fields(),
                                  .rows = rows_of<&RunResults::nics>()};
  return kTable;
}

const RecordTable& late_table() {
  using Late = host::ReorderMeter::Late;
  static const RecordTable kTable{
      .name = "late",
      .one_per = "NIC port and distance of packets that came behind later ones",
      .places = {{"nic", "Number of the NIC port."}},
      .own_keys = 1,
      .fields = {{"distance",
                  member<&Late::distance>,
                  "How far behind; above 31 the largest of some neighbouring distances.",
                  {.unit = "packets", .csv = "distance"}},
                 {"packets", member<&Late::packets>, "That came so late.", {.unit = "packets", .csv = "late_packets"}}},
      .rows = rows_within<&RunResults::nics, &NicRow::late>()};
  return kTable;
}

}  // namespace weft::study::results
