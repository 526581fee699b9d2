#include "study/tuning/tuning_warnings.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "host/path/pcie.h"
#include "study/assembly/build_paths.h"
#include "study/scenario/data_class.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::tuning {
namespace {

/// A climb by additive steps alone that outlasts any message.
constexpr Duration kLongClimb = Duration::milliseconds(50);

class Warnings {
 public:
  Warnings(const scenario::Scenario& scenario, const TuningReport& report) : scenario_(scenario), report_(report) {}

  std::vector<std::string> all() {
    for (const PortTuning& port : report_.ports) {
      of_pauses(port);
      of_credits(port);
      of_marks(port);
    }
    of_classes();
    for (const SenderTuning& sender : report_.senders) {
      of_sender(sender);
    }
    of_receive_buffers();
    return std::move(texts_);
  }

 private:
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    texts_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  static std::string title(const PortTuning& port) {
    return fmt::format("{} links of {}", scenario::word_of(port.tier), port.rate);
  }

  void of_pauses(const PortTuning& port) {
    if (port.pause && port.pause->headroom < port.pause->headroom_needed) {
      warn(
          "{}: headroom of {} is less than {}, the data in flight after XOFF over a cable of {}: the lossless class "
          "drops",
          title(port), port.pause->headroom, port.pause->headroom_needed, port.propagation);
    }
  }

  void of_credits(const PortTuning& port) {
    if (port.credits && *port.credits < *port.credits_needed) {
      warn("{}: credits of {} are less than {}, one round trip of the link: the link cannot run at line rate",
           title(port), *port.credits, *port.credits_needed);
    }
  }

  void of_marks(const PortTuning& port) {
    if (!port.mark || scenario_.congestion.algorithm != scenario::CongestionAlgorithm::kDcqcn) {
      return;
    }
    if (port.pause && port.mark->kmin >= port.pause->threshold) {
      warn("{}: Kmin of {} is not below the pause threshold of {}: the port pauses before it marks", title(port),
           port.mark->kmin, port.pause->threshold);
    } else if (port.pause && port.mark->kmax > port.pause->threshold) {
      warn("{}: Kmax of {} is above the pause threshold of {}: pauses come before marks reach their full rate",
           title(port), port.mark->kmax, port.pause->threshold);
    } else if (port.pause && port.mark->kmin >= port.pause->threshold_crowded) {
      warn(
          "{}: Kmin of {} is not below {}, where ports pause once all {} of a switch are congested: they pause before "
          "they mark",
          title(port), port.mark->kmin, port.pause->threshold_crowded, port.switch_ports);
    }
    if (port.mark->kmin * 2 < port.bdp) {
      warn(
          "{}: Kmin of {} is less than half of the bandwidth-delay product, {}: marking throttles flows before a queue "
          "builds up; the thresholds are for a lower rate",
          title(port), port.mark->kmin, port.bdp);
    }
    if (port.mark->kmin > port.bdp * 16) {
      warn("{}: Kmin of {} is more than 16 bandwidth-delay products, {} each: senders are notified of queues late",
           title(port), port.mark->kmin, port.bdp);
    }
  }

  void of_classes() {
    if (scenario::is_infiniband(report_.family) || !scenario::has_ib_transport(report_.family)) {
      return;
    }
    const scenario::PrioritySettings& data = scenario::data_class_of(scenario_);
    if (scenario_.congestion.algorithm == scenario::CongestionAlgorithm::kDcqcn && !data.ecn) {
      warn("DCQCN without ECN: data priority {} is never marked, so no sender reduces its rate",
           scenario::data_priority_of(scenario_.qos, report_.family));
    }
    if (!data.lossless && !data.credits && scenario_.transport.loss_recovery == scenario::LossRecoveryKind::kGoBackN) {
      warn("data priority {} is lossy, and go-back-N retransmits everything after a lost packet",
           scenario::data_priority_of(scenario_.qos, report_.family));
    }
    if (scenario_.congestion.algorithm == scenario::CongestionAlgorithm::kNone && !scenario_.congestion.window &&
        !data.lossless && !data.credits) {
      warn("nothing limits senders: no pauses, no congestion control, no window");
    }
  }

  void of_sender(const SenderTuning& sender) {
    if (sender.window && *sender.window < sender.bdp) {
      warn(
          "NICs of {}: a window of {} is less than the bandwidth-delay product, {}: a queue pair reaches {} % of the "
          "line",
          sender.line, *sender.window, sender.bdp,
          sender.window->count() * 100 / std::max<std::int64_t>(sender.bdp.count(), 1));
    }
    if (!sender.dcqcn) {
      return;
    }
    const DcqcnFormula& own = *sender.dcqcn;
    if (own.cnp_interval > own.increase_timer) {
      warn("NICs of {}: the CNP interval is {}, the increase timer {}: rates rise during congestion", sender.line,
           own.cnp_interval, own.increase_timer);
    }
    if (additive_climb(own) > kLongClimb) {
      warn("NICs of {}: additive steps of {} every {} need {} for half of the line: steps of a lower rate", sender.line,
           own.additive_increase, own.increase_timer, additive_climb(own));
    }
    for (const QueueAt& queue : sender.queues) {
      if (!queue.point.queue) {
        warn(
            "NICs of {}: {} senders to one need marks with a probability of {:.1f} %, beyond Kmax: the queue "
            "oscillates",
            sender.line, queue.senders, queue.point.probability * 100);
        break;
      }
    }
  }

  // A wire that is faster than the slot behind it fills them.
  void of_receive_buffers() {
    const scenario::HostSettings& host = scenario_.devices.host;
    if (host.model != scenario::HostModel::kStages ||
        scenario::engine_of(report_.family) == scenario::FamilyEngine::kTcp) {
      return;
    }
    const Bytes mtu(scenario_.fabric.mtu);
    const double payload =
        static_cast<double>(mtu.count()) / static_cast<double>(scenario::data_packet(scenario_, mtu).wire.count());
    const Rate slot = host::write_rate(assembly::host_options({scenario_, scenario_.devices}).nic_slot);
    for (const SenderTuning& sender : report_.senders) {
      const auto brought = Rate::bits_per_second(
          static_cast<std::int64_t>(static_cast<double>(sender.line.bits_per_second()) * payload));
      if (slot < brought) {
        warn("NICs of {}: PCI Express takes {:.0f} Gb/s of payload and the line brings {:.0f}: a NIC that gets more {}",
             sender.line, static_cast<double>(slot.bits_per_second()) / 1e9,
             static_cast<double>(brought.bits_per_second()) / 1e9, what_a_full_buffer_does());
      }
    }
    if (host.receive_headroom && report_.receive_headroom_needed &&
        *host.receive_headroom < *report_.receive_headroom_needed) {
      warn(
          "host.receive_headroom of {} is less than {}, the data in flight after a NIC's XOFF: the NIC drops what is "
          "lossless",
          *host.receive_headroom, *report_.receive_headroom_needed);
    }
  }
  [[nodiscard]] std::string_view what_a_full_buffer_does() const {
    if (scenario::is_infiniband(report_.family)) {
      return "holds back credits, and whoever shares its lane at the switch waits";
    }
    const scenario::PrioritySettings& data = scenario::data_class_of(scenario_);
    const bool scheduled = scenario_.routing.policy == scenario::RoutingPolicy::kScheduled;
    if (data.credits || (data.lossless && !scheduled)) {
      return data.credits ? "holds back credits, and whoever shares its class at the switch waits"
                          : "pauses its switch, and whoever shares its class there waits";
    }
    return "drops what its receive buffer has no room for";
  }

  const scenario::Scenario& scenario_;
  const TuningReport& report_;
  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> tuning_warnings(const scenario::Scenario& scenario, const TuningReport& report) {
  return Warnings(scenario, report).all();
}

}  // namespace weft::study::tuning
