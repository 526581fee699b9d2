// Hands the events of a world's kernel to the parts that they are for, and says which stage of prefetching comes next:
// what to prefetch is known to the fabric and to the NICs. For world_run.cc alone.
#pragma once

#include <functional>

#include "base/assert.h"
#include "study/world/world.h"

namespace weft::study::world {

/// For one discipline of the fabric, so that each kind of event is reached by a switch and no call through a pointer.
template <class Fabric>
struct World::Dispatch {
  World& world;
  Fabric& fabric;
  const host::NicPrefetch nics{world.nic_hints_};
  const bool prefetching = world.prefetches_;

  [[nodiscard]] bool prefetches() const { return prefetching; }
  [[gnu::always_inline]] void prefetch_first(sim::ActorId actor) const {
    fabric.prefetch_first(actor);
    nics.prefetch_first(actor);
  }
  [[gnu::always_inline]] void prefetch_second(sim::ActorId actor) const {
    fabric.prefetch_second(actor);
    nics.prefetch_second(actor);
  }
  [[gnu::always_inline]] void prefetch_third(sim::ActorId actor) const {
    fabric.prefetch_third(actor);
    nics.prefetch_third(actor, fabric);
  }

  void prefetch_partition(sim::PartitionIndex partition) const {
    if (!world.partition_ports_.is_busy(partition)) {
      return;
    }
    for (const fabric::PortIndex port : world.partition_ports_.of(partition)) {
      fabric.prefetch_port(port);
      nics.prefetch_port(port);
    }
  }
  void prefetch_contents(sim::PartitionIndex partition) const {
    if (!world.partition_ports_.is_busy(partition)) {
      return;
    }
    for (const fabric::PortIndex port : world.partition_ports_.of(partition)) {
      fabric.prefetch_port_contents(port);
      nics.prefetch_port_contents(port, fabric);
    }
  }
  void take(const sim::Crossing& crossing) { fabric.take(crossing); }
  void pack(const sim::Crossing& crossing, std::string& bytes) { fabric.pack(crossing, bytes); }
  void unpack(std::string_view bytes, sim::Crossing& crossing) { fabric.unpack(bytes, crossing); }
  [[nodiscard]] bool has_news(WorkerIndex worker) const {
    return world.own_[worker].error.has_value() || world.news_.exist(worker);
  }
  [[nodiscard]] bool take_news() const { return world.take_news(); }
  void ran_partition(sim::PartitionIndex partition, std::uint64_t events) const {
    world.partition_ports_.ran(partition, events);
  }

  [[nodiscard, gnu::always_inline]] bool on_event(sim::ActorId actor, Time now) {
    switch (actor.kind()) {
      case fabric::kArrival:
        fabric.on_arrival(actor.index(), now);
        break;
      case fabric::kTransmit:
        fabric.on_transmit(actor.index(), now);
        break;
      case fabric::kControlArrival:
        fabric.on_control(actor.index(), now);
        break;
      case fabric::kPortTimer:
        fabric.on_port_timer(actor.index(), now);
        break;
      case fabric::kSwitchTimer:
        fabric.on_switch_timer(actor.index(), now);
        break;
      case fabric::kFabricTimer:
        fabric.on_fabric_timer(now);
        break;
      case fabric::kControlPlane:
        if constexpr (requires { fabric.on_control_plane(actor.index(), now); }) {
          fabric.on_control_plane(actor.index(), now);
        }
        break;
      case fabric::kScaleUpArrival:
        world.scale_up_->on_arrival(actor.index(), now);
        break;
      case fabric::kScaleUpTransmit:
        world.scale_up_->on_transmit(actor.index(), now);
        break;
      case host::kNicTimer:
        world.nics_[actor.index()].on_timer(now);
        break;
      case host::kNicPipeline:
        world.nics_[actor.index()].on_pipeline(now);
        if (const auto& error = world.nics_[actor.index()].deferred_error(); error) [[unlikely]] {
          world.fail_at(now, *error);
        }
        break;
      case host::kProgram:
        // After an error no program is called, though events go on to the end of the window.
        if (now >= world.error_at_) [[unlikely]] {
          return false;
        }
        if (Result<void> ran = world.machines_[actor.index()]->on_wake(now); !ran) {
          world.fail_at(now, ran.error());
        }
        return !world.error_ && !world.stopping_;
      case host::kPortNews:
        world.port_groups_->on_news(actor.index(), now);
        break;
      case host::kBumpInTheWire:
        world.bumps_[actor.index()]->on_wake(now);
        break;
      case host::kAttack:
        world.attacks_->on_timer(actor.index(), now);
        break;
      case host::kReduction:
        world.wake_reduction(actor.index(), now);
        break;
      default:
        WEFT_ASSERT(false);
    }
    return true;
  }
};

/// The same, and tells of every event.
template <class Fabric>
struct World::ObservedDispatch : World::Dispatch<Fabric> {
  const std::function<void(sim::ActorId, Time)>& observe;

  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    observe(actor, now);
    return Dispatch<Fabric>::on_event(actor, now);
  }
};

}  // namespace weft::study::world
