// The kinds of actor that a fabric has; hosts number theirs from kFirstHostActor.
#pragma once

#include "sim/actor.h"

namespace weft::fabric {

inline constexpr sim::ActorKind kArrival = 0;         // index: the port at which packets arrive
inline constexpr sim::ActorKind kControlArrival = 1;  // index: the port; link-level frames, which no pipeline delays
inline constexpr sim::ActorKind kTransmit = 2;        // index: the port that sends
inline constexpr sim::ActorKind kPortTimer = 3;       // index: the port; refresh of pauses, repetition of credits
inline constexpr sim::ActorKind kSwitchTimer = 4;     // index: the switch; watchdogs
inline constexpr sim::ActorKind kFabricTimer = 5;     // index 0: link events, checks for deadlock

inline constexpr sim::ActorKind kScaleUpArrival = 6;   // index: the wire at whose end units arrive
inline constexpr sim::ActorKind kScaleUpTransmit = 7;  // index: the endpoint, or behind them the switch's wire

inline constexpr sim::ActorKind kFirstHostActor = 8;

// Behind those of hosts.
inline constexpr sim::ActorKind kControlPlane = 13;  // index: the switch; its distributed control (control/)

}  // namespace weft::fabric
