// Random messages of jobs over Ultra Ethernet on a faulty network: each in one of its forms, over contexts or RUDI.
// Packets cross as records, or as the bytes of their frames. All arrive, once and intact, whenever their receives are
// posted, and nothing is kept of any in the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tests/property/seeds.h"
#include "tests/property/uet_job_pair.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {
namespace {

using transport::SesCompletion;
using transport::SesDelivery;
using transport::SesForm;
using Code = wire::uet::SesReturnCode;

constexpr std::uint32_t kSlots = 24;
constexpr std::uint32_t kSlot = 8'192;
constexpr std::uint64_t kTags = 0xFEDC'BA98'7600'0000;  // all 64 bits count
// Regions of a side's memory, kSlots slots each.
constexpr std::uint32_t kSourceAt = 0;
constexpr std::uint32_t kReceivedAt = kSlots * kSlot;
constexpr std::uint32_t kWrittenAt = 2 * kSlots * kSlot;
constexpr std::uint32_t kReadAt = 3 * kSlots * kSlot;

Probability permille(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most + 1), .denominator = 1000});
}

UetPairOptions draw_job_options(std::uint64_t seed) {
  RandomStream random(seed, "options");
  UetPairOptions options;
  options.seed = seed;
  options.as_bytes = RandomStream(seed, "as bytes").uniform(2) == 0;
  options.memory_bytes = 4 * kSlots * kSlot;
  options.mtu = static_cast<verbs::PathMtu>(256 << random.uniform(5));
  options.encapsulation =
      static_cast<wire::Encapsulation>(static_cast<unsigned>(wire::Encapsulation::kUetUdpIpv4) + random.uniform(4));
  transport::UetOptions& uet = options.uet;
  uet.secure_start = random.uniform(3) == 0 ? transport::SecureStart::kOneRtt : transport::SecureStart::kZeroRtt;
  uet.psn_window = 128U << random.uniform(4);
  uet.ack_every = Bytes(static_cast<std::int64_t>(1 + random.uniform(20'000)));
  uet.timeout = Duration::microseconds(60);
  uet.max_timeout = Duration::microseconds(400);
  uet.max_retries = 200;  // packets wait for receives too
  uet.idle_close = Duration::microseconds(static_cast<std::int64_t>(20 + random.uniform(400)));
  uet.max_responses = static_cast<std::uint16_t>(1 + random.uniform(8));
  uet.max_pdcs = static_cast<std::uint16_t>(random.uniform(3) == 0 ? 4 : 64);
  uet.max_rudi_requests = static_cast<std::uint16_t>(1 + random.uniform(40));
  uet.max_rudi_responses = static_cast<std::uint16_t>(1 + random.uniform(8));
  uet.infer_loss_after = static_cast<std::uint16_t>(random.uniform(3) == 0 ? 1 + random.uniform(20) : 0);
  uet.trimming = random.uniform(2) == 0;
  options.trimming = permille(random, 100);
  Faults& faults = options.faults;
  faults.loss = permille(random, 80);
  faults.duplication = permille(random, 50);
  faults.corruption = permille(random, 30);
  faults.marking = permille(random, 100);
  if (random.uniform(2) == 0)
    faults.reordering = permille(random, 500);
  if (random.uniform(2) == 0) {
    options.policies.path_selector = [](std::uint64_t) {
      return std::make_unique<transport::RoundRobinPath>(transport::RoundRobinPath::Range{.base = 0xC000, .paths = 16});
    };
  }
  return options;
}

class JobTraffic {
 public:
  explicit JobTraffic(std::uint64_t seed)
      : random_(seed, "job traffic"),
        jobs_(draw_job_options(seed), {.unexpected_bytes = kSlot + random_.uniform(4) * kSlot,
                                       .max_reads = 1 + static_cast<std::uint32_t>(random_.uniform(8))}) {
    for (int side = 0; side < 2; ++side) {
      for (std::uint32_t i = 0; i < kSlots * kSlot; ++i)
        jobs_.pair.memory(side)[kSourceAt + i] = static_cast<std::byte>(random_.next());
      for (std::uint32_t slot = 0; slot < kSlots; ++slot)
        draw(side, slot);
    }
  }

  void run() {
    while (!actions_.empty()) {
      const auto next = actions_.begin();
      jobs_.pair.run_until(Time::from_picoseconds(next->first));
      next->second();
      actions_.erase(next);
    }
    ASSERT_TRUE(jobs_.pair.run()) << "the network does not come to rest";
    for (int side = 0; side < 2; ++side)
      verify(side);
    EXPECT_TRUE(jobs_.at_rest());
    EXPECT_TRUE(jobs_.pair.side(0).guards_intact() && jobs_.pair.side(1).guards_intact());
  }

 private:
  enum class Kind : std::uint8_t { kTagged, kUntagged, kWrite, kRead };
  struct Slot {
    Kind kind = Kind::kTagged;
    std::uint32_t length = 0;
    int sent = 0;  // completions, that must come to one
    int received = 0;
  };

  void at(std::uint64_t nanoseconds, std::function<void()> action) {
    actions_.emplace(static_cast<std::int64_t>(nanoseconds * 1'000), std::move(action));
  }

  // One message of this side: when it is sent, and when it is received if it is to be.
  void draw(int side, std::uint32_t slot) {
    Slot& made = slots_[static_cast<std::size_t>(side)][slot];
    made.kind = static_cast<Kind>(random_.uniform(4));
    made.length = static_cast<std::uint32_t>(random_.uniform(8) == 0 ? 0 : random_.uniform(kSlot + 1));
    const auto local = jobs_.sge(side, (made.kind == Kind::kRead ? kReadAt : kSourceAt) + slot * kSlot, made.length);
    const std::uint64_t when = random_.uniform(400'000);
    if (made.kind == Kind::kWrite || made.kind == Kind::kRead) {
      const bool write = made.kind == Kind::kWrite;
      const transport::SesAccess access{
          .id = slot,
          .local = local,
          .remote_address = TrafficEnds::kBase + (write ? kWrittenAt : kSourceAt) + slot * kSlot,
          .remote_key = jobs_.pair.key(1 - side),
          .delivery = static_cast<SesDelivery>(random_.uniform(3))};
      at(when,
         [this, side, access, write] { ASSERT_TRUE(write ? jobs_.write(side, access) : jobs_.read(side, access)); });
      return;
    }
    const bool tagged = made.kind == Kind::kTagged;
    const auto form = static_cast<SesForm>(random_.uniform(3));
    const transport::SesSend send{
        .id = slot,
        .local = local,
        .tag = kTags | slot << 8 | random_.uniform(256),
        .tagged = tagged,
        .header_data = slot,
        .form = form,
        .eager = form == SesForm::kRendezvous ? static_cast<std::uint32_t>(random_.uniform(made.length + 1)) : 0,
        .delivery = static_cast<SesDelivery>(random_.uniform(2))};
    at(when, [this, side, send] { ASSERT_TRUE(jobs_.send(side, send)); });
    const transport::SesReceive receive{
        .id = slot,
        .local = jobs_.sge(1 - side, kReceivedAt + slot * kSlot, kSlot),
        .wanted = {.tag = kTags | slot << 8,
                   .ignore = 0xFF,
                   .initiator = random_.uniform(2) == 0 ? 100 + static_cast<std::uint32_t>(side)
                                                        : transport::MatchList::kAnyInitiator},
        .tagged = tagged};
    at(random_.uniform(600'000), [this, side, receive] { ASSERT_TRUE(jobs_.receive(1 - side, receive)); });
  }

  void verify(int side) {
    auto& mine = slots_[static_cast<std::size_t>(side)];
    auto& others = slots_[static_cast<std::size_t>(1 - side)];
    for (const SesCompletion& completion : jobs_.poll(side)) {
      ASSERT_EQ(completion.status, Code::kOk) << "id " << completion.id;
      ASSERT_LT(completion.id, kSlots);
      if (completion.kind != SesCompletion::Kind::kReceive) {
        Slot& slot = mine[completion.id];
        ++slot.sent;
        const std::uint32_t offset = static_cast<std::uint32_t>(completion.id) * kSlot;
        if (slot.kind == Kind::kWrite)
          expect_equal(side, kSourceAt + offset, kWrittenAt + offset, slot.length);
        if (slot.kind == Kind::kRead)
          expect_equal(1 - side, kSourceAt + offset, kReadAt + offset, slot.length);
        continue;
      }
      ASSERT_TRUE(completion.header_data.has_value());
      const std::uint64_t from = *completion.header_data;
      ASSERT_LT(from, kSlots);
      Slot& slot = others[from];
      ++slot.received;
      EXPECT_TRUE(slot.kind == Kind::kUntagged || (slot.kind == Kind::kTagged && from == completion.id));
      EXPECT_EQ(completion.length, slot.length);
      expect_equal(1 - side, kSourceAt + static_cast<std::uint32_t>(from) * kSlot,
                   kReceivedAt + static_cast<std::uint32_t>(completion.id) * kSlot, slot.length);
    }
    for (const Slot& slot : mine)
      EXPECT_EQ(slot.sent, 1);
    if (side == 1) {
      for (const auto& all : slots_) {
        for (const Slot& slot : all)
          EXPECT_EQ(slot.received, slot.kind == Kind::kTagged || slot.kind == Kind::kUntagged ? 1 : 0);
      }
    }
  }
  /// What lies there at one side, lies here at the other.
  void expect_equal(int side, std::uint32_t there, std::uint32_t here, std::uint32_t length) {
    EXPECT_EQ(std::memcmp(jobs_.pair.memory(side).data() + there, jobs_.pair.memory(1 - side).data() + here, length),
              0);
  }

  RandomStream random_;
  UetJobPair jobs_;
  std::array<std::array<Slot, kSlots>, 2> slots_{};
  std::multimap<std::int64_t, std::function<void()>> actions_;  // by time
};

// 10,000 seeds, in parts that each end in time.
constexpr std::uint64_t kParts = 10;

class UetJobRandom : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(UetJobRandom, EveryMessageArrivesOnceUnderFaults) {
  for_each_seed(1'000, [](std::uint64_t seed) { JobTraffic((seed - 1) * kParts + GetParam()).run(); });
}

INSTANTIATE_TEST_SUITE_P(Parts, UetJobRandom, ::testing::Range<std::uint64_t>(1, kParts + 1));

}  // namespace
}  // namespace weft::testing
