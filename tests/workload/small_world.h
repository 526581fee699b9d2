// One job on a few hosts, one rank each: real devices, joined by a network with one latency and no limit of rate.
// Ranks may have a second device each, on a rail inside their scale-up domain.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/workload/network_reducer.h"
#include "transport/device.h"
#include "verbs/machine.h"
#include "workload/flow_program.h"
#include "workload/local_connector.h"

namespace weft::testing {

class SmallMachine final : public verbs::Machine {
 public:
  explicit SmallMachine(const Time& now) : now_(now) {}
  void add_rail(const verbs::Rail& rail) { rails_.push_back(rail); }

  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] Result<void> compute(const verbs::ComputeRequest& request) override;
  [[nodiscard]] Result<void> copy(const verbs::CopyRequest&) override { return fail("no copies here"); }
  void set_timer(const verbs::TimerRequest& request) override;
  std::size_t poll_events(std::span<verbs::MachineEvent> out) override;
  [[nodiscard]] std::span<const verbs::Rail> rails() const override { return rails_; }

  [[nodiscard]] Time next_event() const { return events_.empty() ? Time::never() : events_.begin()->first; }

 private:
  std::vector<verbs::Rail> rails_;
  const Time& now_;
  std::multimap<Time, verbs::MachineEvent> events_;
  Time gpu_free_;
};

struct Recorded final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override { messages.push_back(record); }
  void on_collective(const workload::CollectiveRecord& record) override { collectives.push_back(record); }
  std::vector<workload::MessageRecord> messages;
  std::vector<workload::CollectiveRecord> collectives;
};

class SmallWorld {
 public:
  struct Options {
    std::uint32_t ranks = 2;
    std::uint64_t seed = 1;
    std::size_t memory_bytes = 0;  // real bytes per rank; 0: lengths only
    std::uint32_t domain = 0;      // ranks of a scale-up domain; 0: there is none
    workload::SourcePorts source_ports = workload::SourcePorts::kPerQueuePair;
    std::uint8_t ack_timeout = 14;
    workload::ReconnectPolicy reconnect{};
  };
  static constexpr Duration kLatency = Duration::microseconds(1);
  using MakeProgram = std::function<std::unique_ptr<workload::Program>(workload::Messenger&, workload::DeliveryMatcher&,
                                                                       workload::RankId)>;

  explicit SmallWorld(const Options& options);

  /// Runs all programs until nothing is left to do or `until`; fails the test on an error.
  void run(const MakeProgram& make, Time until = Time::zero() + 10_s);
  /// As above, for traffic.
  void run(const workload::TrafficPattern& pattern, workload::FlowProgramOptions options = {});

  [[nodiscard]] bool all_done() const;
  [[nodiscard]] workload::JobOptions job() const { return job_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::vector<std::byte>& memory(std::uint32_t rank) { return hosts_[rank]->memory; }
  [[nodiscard]] std::size_t connections() const { return connector_.connections(); }
  [[nodiscard]] workload::LocalConnector& connector() { return connector_; }
  [[nodiscard]] transport::Device& device(std::uint32_t rank) { return hosts_[rank]->devices.front(); }
  [[nodiscard]] workload::Program& program(std::uint32_t rank) { return *hosts_[rank]->program; }

  Recorded recorded;
  /// Loses a packet by returning true.
  std::function<bool(const wire::Packet&)> loses;

 private:
  struct Host {
    Host(std::uint32_t rank, const Options& options, const Time& now, NetworkReducer* reducer);
    std::deque<transport::Device> devices;
    std::unique_ptr<ReducingProvider> reducing;
    SmallMachine machine;
    std::vector<std::byte> memory;
    std::unique_ptr<workload::RankPorts> ports;
    std::unique_ptr<workload::Messenger> messenger;
    std::unique_ptr<workload::Program> program;
  };
  struct Flight {
    wire::Packet packet;
    wire::ColdPacket cold;
    std::vector<std::byte> payload;
  };
  bool transmit(Host& host);
  bool wake(Host& host);
  [[nodiscard]] Time next_event() const;
  void deliver();

  workload::JobOptions job_;
  Time now_;
  std::vector<std::unique_ptr<Host>> hosts_;
  workload::LocalConnector connector_;
  workload::DeliveryMatcher matcher_{recorded};
  std::multimap<Time, Flight> in_flight_;
  [[nodiscard]] Host& host_of(EndpointId endpoint);
  std::map<std::uint32_t, std::unique_ptr<NetworkReducer>> reducers_;  // by domain
  bool carries_bytes_;
};

}  // namespace weft::testing
