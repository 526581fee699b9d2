// Loss and duplication of single packets, of every packet in turn and of every pair: each workload is delivered exactly
// once and intact, without exhausting retries, and at most one ACK timeout per lost packet later.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/tapped_pair.h"
#include "transport/rc_timing.h"

namespace weft::testing {
namespace {

using verbs::WrOpcode;

constexpr std::uint32_t kSlot = 8'192;  // per step: what it sends; behind that, what it fills
constexpr std::uint32_t kStride = 2 * kSlot;
constexpr std::uint32_t kMtu = 1'024;

struct Step {
  int side = 0;
  WrOpcode opcode = WrOpcode::kRdmaWrite;
  std::uint32_t length = 0;
  std::uint8_t flags = verbs::kSendSignaled;
};

struct Workload {
  const char* name;
  std::vector<Step> steps;
};

bool consumes_receive(WrOpcode opcode) {
  return opcode == WrOpcode::kSend || opcode == WrOpcode::kSendWithImm || opcode == WrOpcode::kRdmaWriteWithImm;
}
bool is_atomic(WrOpcode opcode) {
  return opcode == WrOpcode::kAtomicCmpAndSwp || opcode == WrOpcode::kAtomicFetchAndAdd;
}

std::vector<Workload> workloads() {
  std::vector<Workload> all = {
      {"empty WRITE", {{0, WrOpcode::kRdmaWrite, 0}}},
      {"empty READ", {{0, WrOpcode::kRdmaRead, 0}}},
      {"SEND", {{0, WrOpcode::kSend, 700}}},
      {"long SEND", {{0, WrOpcode::kSend, 4 * kMtu + 1}}},
      {"SEND with immediate", {{0, WrOpcode::kSendWithImm, 2 * kMtu}}},
      {"long WRITE", {{0, WrOpcode::kRdmaWrite, 5 * kMtu}}},
      {"WRITE with immediate", {{0, WrOpcode::kRdmaWriteWithImm, 2 * kMtu - 1}}},
      {"long READ", {{0, WrOpcode::kRdmaRead, 5 * kMtu + 3}}},
      {"compare and swap", {{0, WrOpcode::kAtomicCmpAndSwp, 8}}},
      {"atomics", {{0, WrOpcode::kAtomicFetchAndAdd, 8}, {0, WrOpcode::kAtomicCmpAndSwp, 8}}},
      {"READs", {{0, WrOpcode::kRdmaRead, 2 * kMtu}, {0, WrOpcode::kRdmaRead, 0}, {0, WrOpcode::kRdmaRead, 3 * kMtu}}},
      {"unsignalled, then signalled", {{0, WrOpcode::kRdmaWrite, 2 * kMtu, 0}, {0, WrOpcode::kSend, 10}}},
      {"fence",
       {{0, WrOpcode::kRdmaRead, 2 * kMtu}, {0, WrOpcode::kSend, 10, verbs::kSendSignaled | verbs::kSendFence}}},
  };
  Workload mixed{"mixed, both ways", {}};
  for (const int side : {0, 1}) {
    mixed.steps.push_back({side, WrOpcode::kSend, 2 * kMtu});
    mixed.steps.push_back({side, WrOpcode::kRdmaRead, 3 * kMtu});
    mixed.steps.push_back({side, WrOpcode::kAtomicFetchAndAdd, 8});
    mixed.steps.push_back({side, WrOpcode::kRdmaWriteWithImm, kMtu + 5, 0});
    mixed.steps.push_back({side, WrOpcode::kRdmaWrite, 3 * kMtu});
  }
  all.push_back(mixed);
  return all;
}

constexpr std::uint64_t kOriginal = 0xA5A5A5A5A5A5A5A5;  // what memory is full of

/// One run of a workload.
class Trial {
 public:
  Trial(const Workload& workload, const RcPairOptions& options) : workload_(workload), pair_(options) {
    for (const int side : {0, 1}) {
      for (std::uint32_t i = 0; i < workload.steps.size(); ++i) {
        fill(pair_.side(side).memory().subspan(i * kStride, kSlot), 40U * i + static_cast<unsigned>(side));
      }
    }
  }

  [[nodiscard]] bool run() {
    for (std::uint32_t i = 0; i < workload_.steps.size(); ++i) {
      const Step& step = workload_.steps[i];
      if (consumes_receive(step.opcode)) {
        EXPECT_TRUE(pair_.side(1 - step.side).post_recv(i, i * kStride + kSlot, kSlot));
      }
    }
    for (std::uint32_t i = 0; i < workload_.steps.size(); ++i) {
      const Step& step = workload_.steps[i];
      const bool fetches = step.opcode == WrOpcode::kRdmaRead || is_atomic(step.opcode);
      const bool into_slot = step.opcode == WrOpcode::kRdmaRead;
      EXPECT_TRUE(pair_.post(step.side, {.opcode = step.opcode,
                                         .wr_id = i,
                                         .length = step.length,
                                         .local = i * kStride + (fetches ? kSlot : 0),
                                         .remote = i * kStride + (into_slot ? 0 : kSlot),
                                         .flags = step.flags,
                                         .compare_add = operand(step, i),
                                         .swap = i + 77}));
    }
    return pair_.network().run(100'000);
  }

  void verify() {
    for (const int side : {0, 1}) {
      EXPECT_EQ(pair_.qp(side).state(), verbs::QpState::kRts);
      EXPECT_TRUE(pair_.side(side).guards_intact());
      verify_completions(side, pair_.side(side).poll_send(), [&](const Step& step) {
        return step.side == side && (step.flags & verbs::kSendSignaled) != 0;
      });
      verify_completions(side, pair_.side(side).poll_recv(),
                         [&](const Step& step) { return step.side != side && consumes_receive(step.opcode); });
    }
    for (std::uint32_t i = 0; i < workload_.steps.size(); ++i) {
      verify_data(workload_.steps[i], i);
    }
  }

  TappedPair& pair() { return pair_; }
  std::size_t messages() const { return workload_.steps.size(); }
  std::uint32_t timeouts() {
    return pair_.qp(0).counters().local_ack_timeout_err + pair_.qp(1).counters().local_ack_timeout_err;
  }

 private:
  static std::uint64_t operand(const Step& step, std::uint32_t index) {
    return step.opcode == WrOpcode::kAtomicCmpAndSwp ? kOriginal : index + 1;
  }

  template <class Belongs>
  void verify_completions(int side, const std::vector<verbs::WorkCompletion>& completions, Belongs belongs) {
    std::vector<std::uint64_t> expected;
    for (std::uint32_t i = 0; i < workload_.steps.size(); ++i) {
      if (belongs(workload_.steps[i])) {
        expected.push_back(i);
      }
    }
    std::vector<std::uint64_t> found;
    for (const verbs::WorkCompletion& completion : completions) {
      EXPECT_EQ(completion.status, verbs::WcStatus::kSuccess);
      found.push_back(completion.wr_id);
    }
    EXPECT_EQ(found, expected) << "side " << side;
  }

  std::uint64_t word(int side, std::uint32_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, pair_.side(side).memory().data() + at, sizeof value);
    return value;
  }

  void verify_data(const Step& step, std::uint32_t i) {
    const int filled = step.opcode == WrOpcode::kRdmaRead ? step.side : 1 - step.side;
    const std::uint32_t at = i * kStride;
    if (is_atomic(step.opcode)) {
      EXPECT_EQ(word(step.side, at + kSlot), kOriginal) << "step " << i;
      EXPECT_EQ(word(1 - step.side, at + kSlot),
                step.opcode == WrOpcode::kAtomicCmpAndSwp ? std::uint64_t{i} + 77 : kOriginal + i + 1)
          << "step " << i;
      return;
    }
    const std::span<std::byte> got = pair_.side(filled).memory().subspan(at + kSlot, kSlot);
    EXPECT_EQ(std::memcmp(got.data(), pair_.side(1 - filled).memory().data() + at, step.length), 0) << "step " << i;
    for (const std::byte byte : got.subspan(step.length)) {
      ASSERT_EQ(byte, RcSide::kGuardByte) << "step " << i;
    }
  }

  const Workload& workload_;
  TappedPair pair_;
};

enum class Mode : std::uint8_t { kGoBackN, kSelectiveRepeat, kPlacement };
constexpr Mode kModes[] = {Mode::kGoBackN, Mode::kSelectiveRepeat, Mode::kPlacement};

RcPairOptions options_for(Mode mode, Psn first) {
  RcPairOptions options;
  options.memory_bytes = 10 * kStride;
  options.timeout = 4;
  options.first_psn = first;
  options.rc.loss_recovery =
      mode == Mode::kGoBackN ? transport::LossRecovery::kGoBackN : transport::LossRecovery::kSelectiveRepeat;
  options.rc.out_of_order_placement = mode == Mode::kPlacement;
  return options;
}

/// What a run without loss looks like.
struct Lossless {
  std::vector<Logged> departures;
  Duration duration;
};

Lossless lossless(const Workload& workload, const RcPairOptions& options) {
  Trial run(workload, options);
  EXPECT_TRUE(run.run());
  run.verify();
  EXPECT_EQ(run.timeouts(), 0U);
  return {run.pair().departures(), run.pair().network().now().since_start()};
}

/// Calls `check(workload, options, lossless run)` for all workloads, modes, and two PSNs that wrap.
template <class Check>
void for_each_workload(Check check) {
  const std::vector<Workload> all = workloads();
  for (const Workload& workload : all) {
    for (const Mode mode : kModes) {
      for (const std::uint32_t first : {0xFFFFFEU, 0x7FFFFFU}) {
        const RcPairOptions options = options_for(mode, Psn(first));
        SCOPED_TRACE(::testing::Message() << workload.name << ", mode " << static_cast<int>(mode) << ", PSN " << first);
        check(workload, options, lossless(workload, options));
        if (::testing::Test::HasFailure()) {
          return;
        }
      }
    }
  }
}

void expect_recovered(Trial& run, const RcPairOptions& options, const Lossless& without, int losses) {
  run.verify();
  EXPECT_LE(run.timeouts(), static_cast<std::uint32_t>(losses));
  // After each loss all the rest is sent again at worst, and each message may need a round trip of its own.
  const Duration round_trips = 2 * options.network.delay * static_cast<std::int64_t>(run.messages());
  const Duration longest =
      without.duration + losses * (without.duration + round_trips + transport::ack_timeout(options.timeout));
  EXPECT_LE(run.pair().network().now().since_start(), longest);
}

/// Whether the peer learns of the loss of request `lost` from a request that was already under way.
bool successor_tells(const std::vector<Logged>& sent, std::size_t lost, Duration delay) {
  if (is_answer(sent[lost].packet.ib.opcode)) {
    return false;
  }
  for (std::size_t i = lost + 1; i < sent.size(); ++i) {
    const bool request = sent[i].end == sent[lost].end && !is_answer(sent[i].packet.ib.opcode);
    if (request && sent[i].at < sent[lost].at + 2 * delay) {
      return true;
    }
  }
  return false;
}

//= ibta-1.7 9.7.6
TEST(RcLoss, OfAnyPacketCostsOneTimeoutAtMost) {
  for_each_workload([](const Workload& workload, const RcPairOptions& options, const Lossless& without) {
    const bool go_back_n = options.rc.loss_recovery == transport::LossRecovery::kGoBackN;
    for (std::size_t k = 0; k < without.departures.size(); ++k) {
      SCOPED_TRACE(::testing::Message() << "packet " << k);
      Trial run(workload, options);
      run.pair().set_judge([k](const Logged&, std::size_t i) { return i == k ? Fate::lost() : Fate{}; });
      ASSERT_TRUE(run.run());
      expect_recovered(run, options, without, 1);
      if (go_back_n && successor_tells(without.departures, k, options.network.delay)) {
        EXPECT_EQ(run.timeouts(), 0U);
      }
    }
  });
}

TEST(RcLoss, OfAnyTwoPacketsCostsTwoTimeoutsAtMost) {
  static constexpr std::size_t kSmall = 12;
  for_each_workload([](const Workload& workload, const RcPairOptions& options, const Lossless& without) {
    const std::size_t count = std::min(without.departures.size(), kSmall);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = k + 1; l < count + 4; ++l) {
        SCOPED_TRACE(::testing::Message() << "packets " << k << " and " << l);
        Trial run(workload, options);
        run.pair().set_judge([k, l](const Logged&, std::size_t i) { return i == k || i == l ? Fate::lost() : Fate{}; });
        ASSERT_TRUE(run.run());
        expect_recovered(run, options, without, 2);
      }
    }
  });
}

TEST(RcLoss, OfTheOnlyPacketIsNoticedExactlyAtTheTimeout) {
  const Workload workload{"one packet", {{0, WrOpcode::kRdmaWrite, 100}}};
  const RcPairOptions options = options_for(Mode::kGoBackN, Psn(1));
  const Lossless without = lossless(workload, options);
  ASSERT_EQ(without.departures.size(), 2U);
  for (const std::size_t k : {0U, 1U}) {
    Trial run(workload, options);
    run.pair().set_judge([k](const Logged&, std::size_t i) { return i == k ? Fate::lost() : Fate{}; });
    ASSERT_TRUE(run.run());
    run.verify();
    EXPECT_EQ(run.pair().network().now().since_start(), without.duration + transport::ack_timeout(options.timeout));
  }
}

// A copy may follow at once, while its request is still being answered, or long after.
TEST(RcLoss, SecondCopyOfAnyPacketChangesNothing) {
  for_each_workload([](const Workload& workload, const RcPairOptions& options, const Lossless& without) {
    for (const Duration apart :
         {Duration::zero(), Duration::nanoseconds(700), Duration::microseconds(3), Duration::microseconds(40)}) {
      for (std::size_t k = 0; k < without.departures.size(); ++k) {
        SCOPED_TRACE(::testing::Message() << "packet " << k << ", apart " << apart.picoseconds() << " ps");
        Trial run(workload, options);
        run.pair().set_judge([k, apart](const Logged&, std::size_t i) { return i == k ? Fate::twice(apart) : Fate{}; });
        ASSERT_TRUE(run.run());
        run.verify();
        EXPECT_EQ(run.timeouts(), 0U);
      }
    }
  });
}

TEST(RcLoss, EveryPacketArrivingTwiceChangesNothing) {
  for_each_workload([](const Workload& workload, const RcPairOptions& options, const Lossless&) {
    Trial run(workload, options);
    run.pair().set_judge([](const Logged&, std::size_t) { return Fate::twice(Duration::microseconds(1)); });
    ASSERT_TRUE(run.run());
    run.verify();
  });
}

// A single packet that is overtaken may look lost, but is never executed twice.
TEST(RcLoss, LateArrivalOfAnyPacketIsHarmless) {
  for_each_workload([](const Workload& workload, const RcPairOptions& options, const Lossless& without) {
    for (const Duration by : {Duration::microseconds(1), Duration::microseconds(5), Duration::microseconds(70)}) {
      for (std::size_t k = 0; k < without.departures.size(); ++k) {
        SCOPED_TRACE(::testing::Message() << "packet " << k << " late by " << by.picoseconds() << " ps");
        Trial run(workload, options);
        run.pair().set_judge([k, by](const Logged&, std::size_t i) { return i == k ? Fate::late(by) : Fate{}; });
        ASSERT_TRUE(run.run());
        run.verify();
        EXPECT_LE(run.timeouts(), 1U);
      }
    }
  });
}

}  // namespace
}  // namespace weft::testing
