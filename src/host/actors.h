// The kinds of actor that hosts have.
#pragma once

#include "fabric/actors.h"

namespace weft::host {

inline constexpr sim::ActorKind kNicTimer = fabric::kFirstHostActor;  // index: the NIC; retransmission timeouts
inline constexpr sim::ActorKind kNicPipeline = kNicTimer + 1;         // index: the NIC; posted requests on their way
inline constexpr sim::ActorKind kProgram = kNicTimer + 2;  // index: the machine; events and completions for its program
inline constexpr sim::ActorKind kReduction = kNicTimer + 3;  // index: a reducer, or groups of a rail
inline constexpr sim::ActorKind kPortNews = kNicTimer + 4;   // index: a NIC's group of ports
// kNicTimer + 5 is fabric::kControlPlane.
inline constexpr sim::ActorKind kBumpInTheWire = kNicTimer + 6;  // index: the endpoint; packets that wait there
inline constexpr sim::ActorKind kAttack = kNicTimer + 7;         // index: the attack (host/attack/)

}  // namespace weft::host
