// Random traffic over reliable connections on a faulty network: delivered exactly once, intact and in order.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "tests/property/rc_pair.h"
#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"
#include "transport/congestion/dcqcn_test_parameters.h"
#include "transport/congestion/fixed_window.h"
#include "transport/congestion/ib_congestion_control.h"
#include "transport/congestion/marked_paths.h"
#include "transport/congestion/notification_point.h"
#include "transport/path/mixed_path.h"
#include "transport/path/reps_path.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {
namespace {

using namespace literals;

Probability percent(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most * 10 + 1), .denominator = 1000});
}

RcPairOptions draw_options(std::uint64_t seed) {
  RandomStream random(seed, "options");
  RcPairOptions options;
  options.network.seed = seed;
  options.memory_bytes = RcTraffic::kMemoryBytes;
  options.timeout = 4;  // 65.5 us, above the longest delay
  options.mtu = static_cast<verbs::PathMtu>(256 << random.uniform(5));
  options.encapsulation = static_cast<wire::Encapsulation>(random.uniform(5));
  if (options.encapsulation >= wire::Encapsulation::kRoceV1 && random.uniform(3) == 0)
    options.mtu = static_cast<verbs::PathMtu>(256 + 4 * random.uniform(961));
  options.first_psn = Psn(static_cast<std::uint32_t>(random.uniform(3) == 0 ? random.next() : 0xFFFFF0));
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(8));
  options.max_dest_rd_atomic = static_cast<std::uint8_t>(options.max_rd_atomic + random.uniform(3));
  options.shared_receive_queue = random.uniform(4) == 0;
  options.rc.ack_request_interval = static_cast<std::uint16_t>(1 + random.uniform(20));
  options.rc.end_to_end_credits = random.uniform(2) == 0;
  Faults& faults = options.network.faults;
  faults.loss = percent(random, 8);
  faults.duplication = percent(random, 5);
  faults.corruption = percent(random, 3);
  if (random.uniform(2) == 0) {
    faults.reordering = percent(random, 10);
  }
  return options;
}

void run_seed(const RcPairOptions& options) {
  RcPair pair(options);
  RcTraffic traffic(
      pair,
      {.seed = options.network.seed, .messages = RcTraffic::kSlots, .late_receives = options.network.seed % 3 == 0});
  ASSERT_TRUE(traffic.run()) << "the network does not come to rest";
  EXPECT_EQ(traffic.verify(), "");
}

TEST(RcRandom, GoBackNDeliversExactlyOnceUnderFaults) {
  for_each_seed(2'000, [](std::uint64_t seed) { run_seed(draw_options(seed)); });
}

TEST(RcRandom, SelectiveRepeatDeliversExactlyOnceUnderFaults) {
  for_each_seed(1'000, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.selective.reorder_capacity = static_cast<std::uint32_t>(1 + seed % 100);
    options.selective.reorder_threshold = static_cast<std::uint16_t>(1 + seed % 16);
    run_seed(options);
  });
}

TEST(RcRandom, OutOfOrderPlacementDeliversExactlyOnceUnderFaults) {
  for_each_seed(1'000, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.rc.out_of_order_placement = true;
    options.selective.reorder_capacity = static_cast<std::uint32_t>(1 + seed % 100);
    options.selective.reorder_threshold = static_cast<std::uint16_t>(1 + seed % 64);
    options.network.faults.reordering = Probability::from_ratio({.numerator = 1, .denominator = 2});
    run_seed(options);
  });
}

TEST(RcRandom, LossDetectionByTimeDeliversExactlyOnceUnderFaults) {
  for_each_seed(2'000, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.rc.out_of_order_placement = seed % 4 != 0;
    options.selective = {
        .loss_detection = transport::LossDetection::kByTime,
        .round_trip = Duration::microseconds(1 + static_cast<std::int64_t>(seed % 50)),
        .flight_packets = 64U << seed % 4,
        .tracked_packets = static_cast<std::uint32_t>(2 + seed % 300),
        .reorder_capacity = static_cast<std::uint32_t>(1 + seed % 100),
        .reorder_overflow = seed % 2 == 0 ? transport::ReorderOverflow::kDrop : transport::ReorderOverflow::kNak};
    options.network.faults.reordering = Probability::from_ratio({.numerator = seed % 60, .denominator = 100});
    run_seed(options);
  });
}

TEST(RcRandom, PathMtusOfOtherSizesDeliverExactlyOnceUnderFaults) {
  constexpr int kSizes[] = {260, 1'000, 1'024, 1'408, 2'044, 4'096};
  for_each_seed(1'000, [&](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.encapsulation =
        seed % 2 == 0 ? wire::Encapsulation::kRoceV2Ipv4 : static_cast<wire::Encapsulation>(2 + seed / 2 % 3);
    options.mtu = static_cast<verbs::PathMtu>(kSizes[seed % std::size(kSizes)]);
    const std::uint64_t recovery = seed / std::size(kSizes) % 4;  // go-back-N, two that count gaps, one by time
    if (recovery > 0)
      options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.rc.out_of_order_placement = recovery > 1;
    if (recovery == 3)
      options.selective.loss_detection = transport::LossDetection::kByTime;
    options.selective.reorder_capacity = static_cast<std::uint32_t>(1 + seed % 100);
    run_seed(options);
  });
}

// What one packet looked like when it left.
struct Departure {
  int from;
  Time when;
  wire::Packet packet;
};

/// Congestion control whose every answer depends on everything that it has heard.
class Nervous final : public transport::CongestionControl {
 public:
  void on_ack(const transport::AckSample& sample, Time now) override {
    hear(sample.rtt.picoseconds());
    hear(sample.acknowledged.count() + (sample.marked ? 1 : 0));
    hear(sample.entropy);
    hear(now.picoseconds());
  }
  void on_congestion(Time now) override { hear(now.picoseconds()); }
  void on_transmit(Bytes size, Time now) override { hear(size.count() ^ now.picoseconds()); }
  [[nodiscard]] Bytes window(Time) override { return Bytes(static_cast<std::int64_t>(heard_ >> 48)); }
  [[nodiscard]] Rate pacing_rate(Time) override {
    return Rate::bits_per_second(static_cast<std::int64_t>(heard_ >> 32) + 10'000'000'000);
  }

 private:
  void hear(std::int64_t value) { heard_ = (heard_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U; }
  std::uint64_t heard_ = 1;
};

/// Receiver half that looks at every packet.
class EveryThird final : public transport::CongestionReceiver {
 public:
  [[nodiscard]] transport::CongestionSignal on_data(bool marked, Time) override {
    return ++seen_ % 3 != 0 ? transport::CongestionSignal::kNone
           : marked         ? transport::CongestionSignal::kEcho
                            : transport::CongestionSignal::kCnp;
  }

 private:
  int seen_ = 0;
};

/// The exchangeable parts of one side, drawn anew for each run so that none remembers the last one.
class DrawnPolicies {
 public:
  explicit DrawnPolicies(RandomStream random) {
    dcqcn_ = random.uniform(2) == 0 ? transport::dcqcn_paper(100_gbps) : transport::dcqcn_connectx(100_gbps);
    dcqcn_.alpha_timer = 1_us;
    dcqcn_.increase_timer = 3_us;
    dcqcn_.byte_counter = 20_kb;
    infiniband_ = transport::ib_congestion_published(100_gbps);
    infiniband_.ccti_timer = 5;
    draw_control(random.uniform(5));
    draw_receiver(random.uniform(4));
    draw_path(random.uniform(4), random);
  }
  void give_to(transport::RcOptions& options) const {
    options.congestion_control = control_.get();
    options.congestion_receiver = receiver_.get();
    options.path_selector = path_.get();
  }

 private:
  void draw_control(std::uint64_t kind) {
    if (kind == 0)
      control_ = std::make_unique<transport::Dcqcn>(dcqcn_);
    if (kind == 1)
      control_ = std::make_unique<transport::IbCongestionControl>(infiniband_);
    if (kind == 2)
      control_ = std::make_unique<Nervous>();
    if (kind == 3)
      control_ = std::make_unique<transport::FixedWindow>(Bytes(9'000));
  }
  void draw_receiver(std::uint64_t kind) {
    if (kind == 0)
      receiver_ = std::make_unique<transport::NotificationPoint>(2_us);
    if (kind == 1)
      receiver_ = std::make_unique<transport::FecnReply>(transport::CongestionSignal::kEcho);
    if (kind == 2)
      receiver_ = std::make_unique<EveryThird>();
  }

  void draw_path(std::uint64_t kind, RandomStream& random) {
    if (kind == 0) {
      path_ = std::make_unique<transport::RoundRobinPath>(transport::RoundRobinPath::Range{.paths = 5});
    }
    if (kind == 1) {
      path_ = std::make_unique<transport::MixedPath>(
          transport::BitmapPath::Options{.range = {.paths = 8}, .penalties = {}}, random);
    }
    if (kind == 2) {
      path_ = std::make_unique<transport::RepsPath>(
          transport::RepsPath::Options{.range = {.paths = 8}, .frozen = 20_us}, random);
    }
    // Acknowledgements of both ends then name the paths of marked packets.
    if (random.uniform(2) == 0) {
      if (receiver_ == nullptr)
        receiver_ = std::make_unique<transport::MarkedPaths>();
      receiver_->name_marked_paths();
    }
  }

  transport::DcqcnParameters dcqcn_;
  transport::IbCongestionParameters infiniband_;
  std::unique_ptr<transport::CongestionControl> control_;
  std::unique_ptr<transport::CongestionReceiver> receiver_;
  std::unique_ptr<transport::PathSelector> path_;
};

std::vector<Departure> departures(const RcPairOptions& left, const RcPairOptions& right) {
  const RcPairOptions& options = left;
  std::vector<Departure> all;
  RcPair pair(left, right);
  pair.network().set_filter([&](int from, const wire::Packet& packet) {
    all.push_back({from, pair.network().now(), packet});
    return false;
  });
  for (int side = 0; side < 2; ++side) {
    RandomStream random(options.network.seed, side == 0 ? "left" : "right");
    for (std::uint64_t i = 0; i < 6; ++i) {
      const auto length = static_cast<std::uint32_t>(random.uniform(60'000));
      EXPECT_TRUE(pair.side(side).post_recv(i, 0, 60'000));
      const verbs::Sge element = pair.side(side).sge(0, length);
      verbs::SendWr wr;
      wr.wr_id = i;
      wr.opcode = random.uniform(3) == 0 ? verbs::WrOpcode::kSend : verbs::WrOpcode::kRdmaWrite;
      wr.send_flags = random.uniform(2) == 0 ? std::uint8_t{verbs::kSendSignaled} : std::uint8_t{0};
      wr.sg_list = std::span(&element, 1);
      wr.rdma = {RcSide::kBase, pair.side(1 - side).key};
      EXPECT_TRUE(pair.post_send(side, wr));
    }
  }
  EXPECT_TRUE(pair.network().run());
  return all;
}

enum class Extras : std::uint8_t { kNone, kPolicies };

enum class EnginePath : std::uint8_t { kSlow, kFast };

// Where bytes travel, every data packet takes the long way through the engine; lengths alone may take the short one.
std::vector<Departure> departures(RcPairOptions options, EnginePath path, Extras extras) {
  options.network.carries_bytes = options.network.sets_migration_bit = path == EnginePath::kSlow;
  if (extras == Extras::kNone)
    return departures(options, options);
  const DrawnPolicies left(RandomStream(options.network.seed, "left policies"));
  const DrawnPolicies right(RandomStream(options.network.seed, "right policies"));
  RcPairOptions second = options;
  left.give_to(options.rc);
  right.give_to(second.rc);
  return departures(options, second);
}

void expect_same_packets(const RcPairOptions& options, Extras extras) {
  const std::vector<Departure> slow = departures(options, EnginePath::kSlow, extras);
  const std::vector<Departure> fast = departures(options, EnginePath::kFast, extras);
  ASSERT_EQ(slow.size(), fast.size());
  for (std::size_t i = 0; i < fast.size(); ++i) {
    ASSERT_EQ(slow[i].from, fast[i].from) << "packet " << i;
    ASSERT_EQ(slow[i].when, fast[i].when) << "packet " << i;
    ASSERT_EQ(std::memcmp(&slow[i].packet, &fast[i].packet, sizeof(wire::Packet)), 0) << "packet " << i;
  }
}

TEST(RcRandom, FastPathSendsTheSamePackets) {
  for_each_seed(100, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.memory_bytes = 1 << 16;
    options.network.faults.corruption = Probability::zero();
    expect_same_packets(options, Extras::kNone);
  });
}

TEST(RcRandom, FastPathWithCongestionControlAndPathsSendsTheSamePackets) {
  for_each_seed(300, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.memory_bytes = 1 << 16;
    options.network.faults.corruption = Probability::zero();
    options.network.faults.marking = Probability::from_ratio({.numerator = seed % 4, .denominator = 8});
    if (seed % 2 == 0) {
      options.network.faults.loss = options.network.faults.reordering = Probability::zero();
    }
    expect_same_packets(options, Extras::kPolicies);
  });
}

}  // namespace
}  // namespace weft::testing
