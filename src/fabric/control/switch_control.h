// The control plane of one switch, sans I/O: sessions with its neighbours, what they tell, its CPU, its forwarding
// entries, and what LLDP says is at the other ends of its cables.
//
// UPDATEs wait for the CPU in the order in which they came, so much time for each prefix; BFD and KEEPALIVEs do not
// wait, as line cards and other threads deal with them. The owner asks for frames (poll) and for changed entries
// (take_written) after every call, and calls on_timeout at next_timeout().
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "fabric/control/bfd_session.h"
#include "fabric/control/bgp_session.h"
#include "fabric/control/bgp_speaker.h"
#include "fabric/control/control_frame.h"
#include "fabric/control/control_options.h"
#include "fabric/control/fib_installer.h"
#include "wire/lldp.h"

namespace weft::fabric {

/// The address block that stands for a prefix: 10.x.y.0/24.
[[nodiscard]] wire::BgpPrefix block_of(PrefixId prefix);
/// The other way; none if it is no such block, or of no prefix of the network.
[[nodiscard]] std::optional<PrefixId> prefix_of(const wire::BgpPrefix& block, std::uint32_t prefixes);

class SwitchControl {
 public:
  /// What is at the other end of a port's cable by the plan of the network.
  struct Neighbour {
    std::uint32_t identifier = 0;  // 0: no switch
    std::uint32_t as_number = 0;
    std::uint32_t discriminator = 0;      // BFD, of its end
    std::uint32_t own_discriminator = 0;  // of ours
  };
  struct Options {
    std::string name{};
    std::uint64_t seed = 1;
    std::uint32_t as_number = 1;
    std::uint32_t identifier = 1;
    std::uint32_t prefixes = 0;
    std::uint32_t own_prefix = kNoPrefix;
    std::vector<Neighbour> neighbours{};  // by port
  };
  struct Counters {
    std::uint64_t prefixes_processed = 0;
    std::uint64_t bfd_packets = 0;  // sent
    std::uint64_t lldp_units = 0;   // sent
    std::uint64_t segments = 0;     // sent
    std::uint64_t frame_bytes = 0;  // of all of them
    std::uint64_t bad_frames = 0;   // received, that no parser took
    Duration cpu_time;
    std::array<std::uint64_t, kSessionEnds> ends{};  // of established sessions, at this end
    std::uint64_t session_changes = 0;               // ended or established
  };

  SwitchControl(const Options& options, const ControlOptions& control, PathTable& paths);

  // At the beginning.
  /// Everything down; links have signal.
  void start_cold(Time now);
  /// The sessions are established and paths as given by on_converged_route.
  void start_converged(Time now);
  /// For reaching the state after a long quiet time without messages: see ControlPlane.
  [[nodiscard]] BgpSpeaker& speaker() { return speaker_; }
  [[nodiscard]] const BgpSpeaker& speaker() const { return speaker_; }
  void preset_entries();

  void on_frame(std::uint16_t port, const ControlFrame& frame, Time now);
  enum class Signal : std::uint8_t { kLost, kBack };
  void on_signal(std::uint16_t port, Signal signal, Time now);
  void drain_at(std::uint16_t port, Time at);
  void on_timeout(Time now);
  [[nodiscard]] Time next_timeout() const;

  /// The next frame to send, and by which port.
  struct Outgoing {
    std::uint16_t port = 0;
    ControlFrame frame{};
  };
  [[nodiscard]] std::optional<Outgoing> poll();
  /// Prefixes whose entry has changed.
  [[nodiscard]] std::vector<PrefixId> take_written() { return std::exchange(written_, {}); }

  [[nodiscard]] const FibInstaller& fib() const { return fib_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const std::string& name() const { return options_.name; }
  /// Sessions that were established or ended so far.
  [[nodiscard]] std::uint64_t session_changes() const { return counters_.session_changes; }
  /// Of all sessions.
  [[nodiscard]] BgpSession::Counters session_counters() const;
  [[nodiscard]] std::uint64_t retransmissions() const;
  [[nodiscard]] std::uint32_t established() const;
  [[nodiscard]] const BgpSession* session(std::uint16_t port) const;
  [[nodiscard]] const BfdSession* bfd(std::uint16_t port) const;
  /// What LLDP has said of the other end; none if nothing has come.
  [[nodiscard]] const std::optional<wire::LldpUnit>& heard(std::uint16_t port) const { return ports_[port].heard; }
  /// Nothing waits for the CPU, the writer, MRAI or an acknowledgement.
  [[nodiscard]] bool is_quiet() const;

 private:
  struct PortState {
    std::optional<BgpSession> session{};
    std::optional<BfdSession> bfd{};
    bool was_established = false;
    bool bfd_was_up = false;
    std::uint64_t epoch = 0;  // sessions that have ended: UPDATEs of former ones are not taken
    bool has_signal = true;
    Time signal_at = Time::never();
    SwitchControl::Signal signal = Signal::kBack;
    std::deque<Time> drains{};  // announced then; ascending
    Time lldp_at = Time::never();
    std::optional<wire::LldpUnit> heard{};
  };
  struct Work {
    std::uint16_t port = 0;
    std::uint64_t epoch = 0;
    wire::BgpUpdate update{};
  };

  void make_port(std::uint16_t port, const Neighbour& neighbour);
  void run_port(std::uint16_t port, Time now);
  void notice_signal(std::uint16_t port, Time now);
  void notice_sessions(std::uint16_t port, Time now);
  void path_failed(std::uint16_t port, SessionEnd end, Time now);
  void enqueue(std::uint16_t port);
  void start_work(Time now);
  void finish_work(Time now);
  void apply(std::uint16_t port, const wire::BgpUpdate& update);
  /// After any change of routes: entries to write, UPDATEs to send.
  void follow_routes(Time now);
  void send_updates(std::uint16_t port, Time now);
  void send_update(std::uint16_t port, const RouteUpdate& update);
  void collect(std::uint16_t port, Time now);
  void send(std::uint16_t port, ControlFrame frame);
  void refresh_deadline(std::uint16_t port);
  void note_written(const std::vector<PrefixId>& prefixes);
  [[nodiscard]] bool is_port(std::uint16_t port) const { return ports_[port].session.has_value(); }

  Options options_;
  ControlOptions control_;
  PathTable* paths_;
  RandomStream random_;
  BgpSpeaker speaker_;
  FibInstaller fib_;
  std::vector<PortState> ports_;
  std::vector<Time> deadlines_;  // of ports, together for a quick look
  std::deque<Work> work_;
  Time work_done_at_ = Time::never();
  std::deque<Outgoing> outgoing_;
  std::vector<PrefixId> written_;
  Counters counters_;
};

}  // namespace weft::fabric
