// A network at the flow level: queue pairs whose messages are drained at fair rates, the programs above them, one
// clock.
//
// A queue pair is one flow while it has bytes to send; its messages follow one another in order. A message takes: the
// stages of its host, its bytes at the rate of its flow, the tail of its last packet (medium.h), then the stages of the
// receiver; its completion comes with an acknowledgement on the way back. A READ asks its peer, whose queue pair sends
// the data. A message that finds no receive request waits for one. Nothing is lost, and no access right is checked.
//
// Events are ordered by time, then by the rank of their machine, then by creation. Programs run after all events of an
// instant, in order of rank; rates change once, after them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/ring.h"
#include "flow/corrections.h"
#include "flow/medium.h"
#include "flow/transfers.h"
#include "verbs/machine_work.h"

namespace weft::flow {

class FlowDevice;
class FlowMachine;

/// Its place among all queue pairs of a network.
using PairIndex = std::uint32_t;

class FlowNetwork {
 public:
  /// Links by their number in routes, in bits per second. The medium must outlive this.
  FlowNetwork(Medium& medium, std::vector<double> capacities, const Corrections& corrections = {});
  ~FlowNetwork();
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  /// `rank`: f(seed, name) of the machine; of equal ones the first made comes first.
  [[nodiscard]] FlowMachine& add_machine(std::uint64_t rank, const verbs::MachineWork::Options& options);

  /// Calls every program for the first time, at time zero, in order of rank.
  void start();

  enum class Stop : std::uint8_t { kIdle, kLimit, kBudget, kStopped, kError };
  /// Until nothing is left to happen, or the next event is after `limit`, or so many events were taken, or stop() was
  /// called, or a program failed (error()).
  Stop run(Time limit, std::uint64_t budget);
  void stop() { stopping_ = true; }

  /// What is done at that instant before anything else that happens then: a link that fails, for example.
  void at(Time time, std::function<void()> what) { planned_.emplace(time, std::move(what)); }
  /// Before it starts: changes of rates may wait for others (Transfers::put_off).
  void put_off_rates(double part) { transfers_.put_off(part); }
  void set_capacity(std::uint32_t link, double bits_per_second) { transfers_.set_capacity(link, bits_per_second); }
  /// The medium's paths are others now, with as many hops: each queue pair learns its own before it sends again. None
  /// is sending.
  void forget_paths() { ++paths_; }

  // For whoever jumps over what repeats (study/run/steady_rounds.h), while run() has stopped: flow_network_state.cc.

  /// What the machines of a group (FlowMachine::set_group) have under way. Until when the others do nothing; none: they
  /// have something under way as well, or it cannot be told.
  [[nodiscard]] std::optional<Time> record(std::uint32_t group, StateRecord& state) const;
  /// All that the group has under way, and the clock, so much later; before others do anything.
  void shift(std::uint32_t group, Duration by);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] const Transfers& transfers() const { return transfers_; }

 private:
  friend class FlowDevice;
  friend class FlowMachine;

  /// What a message of one kind takes on one kind of path.
  struct Timing {
    double bits = 0;
    Duration before_wire{};
    Duration tail{};
    Duration back{};  // of the acknowledgement; of a READ, of its request
    Duration completion{};
    Duration arrival{};
  };
  struct Request {
    std::uint64_t wr_id = 0;
    std::uint32_t bytes = 0;
    std::uint32_t immediate = 0;
    verbs::WrOpcode opcode{};
    bool signalled = false;
    bool done = false;
  };
  struct Arrival {
    std::uint32_t bytes = 0;
    std::uint32_t immediate = 0;
    verbs::WrOpcode opcode{};
    Duration to_completion{};  // of the sender, from the arrival
  };
  struct Pair {
    verbs::QpInitAttributes init{};
    verbs::QpAttributes attributes{};
    FlowDevice* device = nullptr;
    PairIndex peer = kNoPair;
    Qpn number{};
    ClassId flow{};                    // invalid: it has sent nothing yet
    std::uint32_t shape = kUnknown;    // of its hops
    std::uint32_t kind = 0;            // of its endpoint
    std::uint32_t profile = kUnknown;  // of both ends
    std::uint32_t ready = 0;           // requests that have come to the wire
    std::uint32_t sent = 0;            // of these, that have left; both count from the oldest that has not completed
    std::uint32_t reads = 0;           // under way
    std::uint32_t early = 0;           // arrivals that wait for a receive request
    bool streaming = false;
    std::uint32_t paths = 0;   // paths_ when that of its flow was learned
    bool answers = false;      // what it streams belongs to a READ of its peer
    std::uint32_t answer = 0;  // bytes of that
    Ring<Request> requests{};
    Ring<std::uint32_t> reads_coming{};  // bytes that its peer asks for
    Ring<std::uint32_t> answers_due{};   // and waits for
    Ring<Arrival> arrivals{};
    Ring<std::uint64_t> receives{};
    std::vector<LinkUse> links{};  // of its path, where queues stand
    double fastest = 0;            // bits per second that its path allows, where its window grows
    double put_out = 0;            // bits in all, likewise
    Duration round_trip{};         // zero: its window is open
    double waiting = 0;            // bits of the message that waits for its window
    Time last_ready{};
    Time last_arrival{};
    Time last_completion{};
  };
  static constexpr PairIndex kNoPair = 0xFFFFFFFF;
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

  enum class EventKind : std::uint8_t {
    kWake,
    kReady,
    kBegin,
    kQueued,
    kArrival,
    kCompletion,
    kReadRequest,
    kReadCompletion
  };
  struct Event {
    Time at{};
    std::uint64_t order = 0;
    std::uint32_t rank = 0;
    std::uint32_t index = 0;  // of the machine or the queue pair
    EventKind kind{};
  };
  static constexpr auto kComesLater = [](const Event& a, const Event& b) {
    return std::tie(a.at, a.rank, a.order) > std::tie(b.at, b.rank, b.order);
  };

  void schedule(Time at, EventKind kind, std::uint32_t index);
  [[nodiscard]] const FlowMachine& machine_of(const Event& event) const;
  /// Whether the heap has nothing of others but calls of theirs; `until`: the first.
  [[nodiscard]] bool record_events(std::uint32_t group, StateRecord& state, Time& until) const;
  static void record_pair(const Pair& pair, StateRecord& state);
  void handle(const Event& event);
  void mark(FlowMachine& machine);
  void run_programs();
  [[nodiscard]] Time next_time();
  /// Everything of the present instant.
  void take_instant();
  void fail_with(const Error& error);

  // Of queue pairs.
  [[nodiscard]] Qpn create(FlowDevice& device, const verbs::QpInitAttributes& init);
  [[nodiscard]] PairIndex find(EndpointId endpoint, Qpn number) const;
  [[nodiscard]] Result<Route> route_of(const Pair& pair);
  [[nodiscard]] Result<void> post_send(PairIndex index, const verbs::SendWr& request);
  [[nodiscard]] Result<void> post_recv(PairIndex index, const verbs::RecvWr& request);
  enum class Use : std::uint8_t { kAnswers, kCarries };
  /// Its path, before that is needed.
  [[nodiscard]] Result<void> learn(PairIndex index, Use use);
  [[nodiscard]] Timing timing_of(PairIndex index, verbs::WrOpcode opcode, std::uint32_t bytes);
  [[nodiscard]] Timing make_timing(const Pair& pair, verbs::WrOpcode opcode, std::uint32_t bytes);
  [[nodiscard]] std::uint32_t profile_of(const Pair& pair);
  [[nodiscard]] std::uint32_t shape_of(const std::vector<Hop>& hops);
  /// Sends what can be sent; `before`: in whose place, without a break.
  void pump(PairIndex index, const Transfers::Finished* before = nullptr);
  void stream(PairIndex index, double bits, const Transfers::Finished* before);
  void begin(PairIndex index, double bits);
  // By the corrections: what stands in the queues of its path, and how long it takes until its window is open.
  struct QueueWait {
    Duration time{};
    std::uint32_t link = 0;  // where most of it stands
  };
  [[nodiscard]] QueueWait queue_wait(const Pair& pair);
  [[nodiscard]] Duration start_wait(Pair& pair, double bits) const;
  void ask(PairIndex index, Request& request);
  void on_drained(const Transfers::Finished& finished);
  void deliver(PairIndex index, const Request& request, const Timing& timing);
  void take_arrival(PairIndex index);
  void on_completion(PairIndex index, bool of_read);
  void complete_at(PairIndex index, Time at);
  void push(Pair& pair, verbs::CqHandle cq, const verbs::WorkCompletion& completion);

  Medium& medium_;
  Corrections corrections_;
  Transfers transfers_;
  std::vector<std::unique_ptr<FlowMachine>> machines_;
  std::vector<FlowMachine*> marked_;
  std::deque<Pair> pairs_;
  std::uint32_t paths_ = 0;  // how often paths have changed
  std::vector<std::vector<PairIndex>> by_endpoint_;
  std::map<std::vector<Hop>, std::uint32_t> shape_numbers_;
  std::vector<const std::vector<Hop>*> shapes_;
  std::map<std::array<std::uint32_t, 5>, std::uint32_t> profiles_;
  std::unordered_map<std::uint64_t, Timing> timings_;  // lookup only
  std::vector<Event> heap_;                            // earliest first
  std::multimap<Time, std::function<void()>> planned_;
  Time now_;
  std::uint64_t order_ = 0;
  std::uint64_t events_ = 0;
  std::optional<Error> error_;
  bool stopping_ = false;
};

}  // namespace weft::flow
