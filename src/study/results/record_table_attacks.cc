// The table of attacks.
#include <algorithm>
#include <iterator>

#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr Forms packets(std::string_view json) { return {.unit = "packets", .json = json}; }

/// Who, and what became of the packets.
std::vector<Field> packet_fields() {
  return {{"name", member<&AttackRow::name>, "As the scenario calls it.", {.json = "name"}},
          {"kind", member<&AttackRow::kind>, "What the attacker does.", {.json = "kind"}},
          {"attacker", member<&AttackRow::from>, "The port that sends.", {.json = "from"}},
          {"victim", member<&AttackRow::victim>, "The port that is attacked.", {.json = "victim"}},
          {"not_possible",
           member<&AttackRow::not_possible>,
           "Why networks of the family cannot suffer it; nothing is sent then. Empty: they can.",
           {.json = "not_possible", .json_empty = WhenEmpty::kLeftOut}},
          {"sent", member<&AttackRow::sent>, "Forged, by the attacker's port.", packets("sent")},
          {"arrived", member<&AttackRow::arrived>,
           "At the victim's NIC; of PFC, ARP, BGP and management: taken by the switch or manager that they are for.",
           packets("arrived")},
          {"accepted", member<&AttackRow::accepted>, "That did what they were forged for.", packets("accepted")},
          {"refused_switch_p_key", member<&AttackRow::switch_partition>,
           "By the attacker's switch: its port is not in the partition.", packets("refused_switch_p_key")},
          {"refused_switch_address", member<&AttackRow::switch_address>,
           "By the attacker's switch: a source address that is not its port's.", packets("refused_switch_address")},
          {"refused_switch_key", member<&AttackRow::switch_key>,
           "By the victim's switch: no M_Key; no password of BGP, or a TTL that tells of hops.",
           packets("refused_switch_key")},
          {"refused_sm_key", member<&AttackRow::sm_key>,
           "By subnet administration, without an answer: an SM_Key that is neither 0 nor its own.",
           packets("refused_sm_key")},
          {"refused_untrusted", member<&AttackRow::untrusted>,
           "Answered by subnet administration, but without the M_Key: no SM_Key.", packets("refused_untrusted")},
          {"refused_authentication", member<&AttackRow::authentication>, "By the victim's NIC: TSS.",
           packets("refused_authentication")},
          {"refused_queue_pair", member<&AttackRow::queue_pair>,
           "No such queue pair or context, or one that has failed.", packets("refused_queue_pair")},
          {"refused_p_key", member<&AttackRow::partition>, "By the victim's NIC: another partition.",
           packets("refused_p_key")},
          {"refused_q_key", member<&AttackRow::queue_key>, "Another Q_Key.", packets("refused_q_key")},
          {"refused_psn_ahead", member<&AttackRow::ahead>,
           "A PSN or message that is not the next one, but later; of BGP: another sequence number.",
           packets("refused_psn_ahead")},
          {"refused_psn_behind", member<&AttackRow::behind>, "A PSN or message that has come already.",
           packets("refused_psn_behind")},
          {"refused_r_key", member<&AttackRow::remote_key>,
           "No memory with that R_Key, or not there, or not for writing.", packets("refused_r_key")},
          {"refused_limit", member<&AttackRow::limit>, "More CNPs than the NIC takes.", packets("refused_limit")},
          {"refused_no_receive", member<&AttackRow::no_receive>, "Datagrams that found no receive request.",
           packets("refused_no_receive")},
          {"refused_other", member<&AttackRow::other>, "For another reason: damaged; of BGP: no session was left.",
           packets("refused_other")},
          {"lost", member<&AttackRow::lost>,
           "Dropped on the way, not obeyed (PFC), or under way when the run ended: sent = accepted + refused + lost.",
           packets("lost")}};
}

/// What they have done.
std::vector<Field> effect_fields() {
  return {{"bytes_written",
           member<&AttackRow::bytes_written>,
           "Of the victim's memory, by the attacker.",
           {.json = "bytes_written"}},
          {"queue_pairs_broken",
           member<&AttackRow::queue_pairs_broken>,
           "Of the victim, that a forged packet brought to the error state.",
           {.unit = "queue pairs", .json = "queue_pairs_broken"}},
          {"throttled_ps",
           member<&AttackRow::throttled>,
           "How long connections of the victim were held back, from one forged notification to the next, all together.",
           {.json = "throttled_s"}},
          {"paused_ps",
           member<&AttackRow::paused>,
           "How long the attacker's switch port was paused.",
           {.json = "paused_s"}},
          {"diverted", member<&AttackRow::diverted>,
           "Genuine packets for the victim that went to the attacker, or nowhere.", packets("diverted")},
          {"diverted_bytes", member<&AttackRow::diverted_bytes>, "Of their payload.", {.json = "diverted_bytes"}},
          {"sessions_broken",
           member<&AttackRow::sessions_broken>,
           "Of BGP, that a forged reset ended.",
           {.unit = "sessions", .json = "sessions_broken"}}};
}

std::vector<Field> attack_fields() {
  std::vector<Field> fields = packet_fields();
  std::ranges::copy(effect_fields(), std::back_inserter(fields));
  return fields;
}

}  // namespace

const RecordTable& attack_table() {
  static const RecordTable kTable{.name = "attack",
                                  .one_per = "attack of the scenario",
                                  .places = {{"number", "Order in the scenario."}},
                                  .own_keys = 0,
                                  .fields = attack_fields(),
                                  .rows = rows_of<&RunResults::attacks>()};
  return kTable;
}

}  // namespace weft::study::results
