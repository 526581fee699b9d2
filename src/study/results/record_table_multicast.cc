// The tables of multicast groups and their members.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {

const RecordTable& multicast_table() {
  using Row = MulticastRow;
  static const RecordTable kTable{
      .name = "multicast",
      .one_per = "multicast group",
      .places = {{"number", "Order in the scenario."}},
      .own_keys = 0,
      .fields = {{"name", member<&Row::name>, "Of the traffic.", {.json = "name"}},
                 {"lid", member<&Row::lid>, "Of the group.", {.unit = "number", .json = "lid"}},
                 {"senders", member<&Row::senders>, "Ranks that send.", {.unit = "ranks", .json = "senders"}},
                 {"sent", member<&Row::sent>, "By all of them.", {.unit = "datagrams", .json = "sent"}},
                 {"expected",
                  member<&Row::expected>,
                  "Members that each datagram is for, its sender left out.",
                  {.unit = "copies", .json = "expected"}},
                 {"delivered",
                  member<&Row::delivered>,
                  "That members' programs have seen; the others are lost, or under way when the run ended.",
                  {.unit = "copies", .json = "delivered"}},
                 {"incomplete",
                  member<&Row::incomplete>,
                  "That some member did not get.",
                  {.unit = "datagrams", .json = "incomplete"}},
                 {"first_mean_ps",
                  member<&Row::first_mean>,
                  "From `post_send` until the first member has a datagram, mean of all.",
                  {.json = "first_mean_s"}},
                 {"first_most_ps", member<&Row::first_most>, "The largest of these.", {.json = "first_most_s"}},
                 {"last_mean_ps",
                  member<&Row::last_mean>,
                  "Until the last member has it, mean of those that all have got.",
                  {.json = "last_mean_s"}},
                 {"last_most_ps", member<&Row::last_most>, "The largest of these.", {.json = "last_most_s"}}},
      .rows = rows_of<&RunResults::multicast>()};
  return kTable;
}

const RecordTable& multicast_member_table() {
  using Row = MulticastMemberRow;
  static const RecordTable kTable{
      .name = "multicast_member",
      .one_per = "member of a multicast group",
      .places = {{"multicast", "Number of the group."}, {"member", "Order in the scenario."}},
      .own_keys = 0,
      .fields =
          {{"name", member<&Row::name>, "Host and NIC, or the rank's number.", {.json = "name"}},
           {"expected", member<&Row::expected>, "That others have sent.", {.unit = "datagrams", .json = "expected"}},
           {"delivered", member<&Row::delivered>, "Of these.", {.unit = "datagrams", .json = "delivered"}},
           {"latency_mean_ps",
            member<&Row::latency_mean>,
            "From `post_send` to the completion that the member sees, mean.",
            {.json = "latency_mean_s"}},
           {"latency_most_ps", member<&Row::latency_most>, "The largest.", {.json = "latency_most_s"}}},
      .rows = rows_within<&RunResults::multicast, &MulticastRow::members>()};
  return kTable;
}

}  // namespace weft::study::results
