#include "study/scenario/scenario_attacks.h"

namespace weft::study::scenario {
namespace {

using host::AttackKind;

std::string_view impossible_on_infiniband(AttackKind kind) {
  switch (kind) {
    case AttackKind::kPauseFlood:
      return "InfiniBand has no pause frames: senders wait for credits, and what waits longer than the head-of-queue "
             "lifetime is discarded";
    case AttackKind::kGidSpoof:
      return "the subnet manager gives addresses and paths; no host announces its own";
    case AttackKind::kBgpSpoof:
      return "a subnet has no routing protocol: the subnet manager writes forwarding tables";
    case AttackKind::kForgedRKey:
    case AttackKind::kForgedPKey:
    case AttackKind::kForgedQKey:
    case AttackKind::kPsnGuess:
    case AttackKind::kCnpFlood:
    case AttackKind::kRogueSm:
    case AttackKind::kRogueCc:
    case AttackKind::kForgedSmKey:
      break;
  }
  return {};
}

std::string_view impossible_on_ultra_ethernet(AttackKind kind) {
  if (kind == AttackKind::kCnpFlood) {
    return "Ultra Ethernet has no notification packets: marks come back in the acknowledgements of a context";
  }
  return kind == AttackKind::kForgedPKey
             ? "Ultra Ethernet has no P_Keys; who may reach a queue pair follows from its peer's address and TSS"
             : std::string_view{};
}

bool needs_rdma(AttackKind kind) {
  return kind == AttackKind::kForgedRKey || kind == AttackKind::kForgedPKey || kind == AttackKind::kForgedQKey ||
         kind == AttackKind::kPsnGuess || kind == AttackKind::kCnpFlood;
}

std::vector<KnownField> usually_known(AttackKind kind) {
  switch (kind) {
    case AttackKind::kForgedRKey:
      return {KnownField::kQpn, KnownField::kPsn, KnownField::kPKey};
    case AttackKind::kForgedPKey:
      return {KnownField::kQpn, KnownField::kPsn, KnownField::kRKey};
    case AttackKind::kPsnGuess:
      return {KnownField::kQpn, KnownField::kRKey, KnownField::kPKey};
    case AttackKind::kForgedQKey:
      return {KnownField::kQpn};
    case AttackKind::kCnpFlood:
      return {KnownField::kQpn, KnownField::kPKey};
    case AttackKind::kBgpSpoof:
      return {KnownField::kPsn};
    case AttackKind::kPauseFlood:
    case AttackKind::kRogueSm:
    case AttackKind::kGidSpoof:
    case AttackKind::kRogueCc:
    case AttackKind::kForgedSmKey:
      break;
  }
  return {};
}

}  // namespace

host::Knowledge knowledge_of(const AttackSettings& attack) {
  host::Knowledge known;
  for (const KnownField field : attack.knows.value_or(usually_known(attack.kind))) {
    switch (field) {
      case KnownField::kQpn:
        known.qpn = true;
        break;
      case KnownField::kPsn:
        known.psn = true;
        break;
      case KnownField::kRKey:
        known.r_key = true;
        break;
      case KnownField::kPKey:
        known.p_key = true;
        break;
      case KnownField::kQKey:
        known.q_key = true;
        break;
      case KnownField::kSmKey:
        known.sm_key = true;
        break;
    }
  }
  return known;
}

std::string_view impossible_attack(AttackKind kind, Family family) {
  if (is_infiniband(family)) {
    return impossible_on_infiniband(kind);
  }
  if (kind == AttackKind::kRogueSm) {
    return "Ethernet has no subnet manager: switches take forwarding tables from no packet of a host";
  }
  if (kind == AttackKind::kForgedSmKey) {
    return "Ethernet has no subnet administration that could be asked for keys of switches";
  }
  if (kind == AttackKind::kRogueCc) {
    return "congestion control is set on each host and switch itself: no packet of another host changes it";
  }
  if (is_over_tcp(family) && needs_rdma(kind)) {
    return "its queue pairs stand on streams of TCP, which are not forged: no packets of the InfiniBand transport";
  }
  if (kind == AttackKind::kBgpSpoof && traits_of(family).reach == FamilyReach::kLayer2) {
    return "one layer-2 domain has no routers";
  }
  return family == Family::kUet ? impossible_on_ultra_ethernet(kind) : std::string_view{};
}

}  // namespace weft::study::scenario
