#include "study/run/operation_demands.h"

#include <gtest/gtest.h>

#include "workload/collective/edges.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::NodeId;
using workload::RankId;

constexpr Time at(std::int64_t us) { return Time::zero() + Duration::microseconds(us); }

/// Rank 0's operations on two communicators, of which two overlap.
class Demands : public testing::Test {
 protected:
  void began(CommunicatorId on, Bytes size, Time turn, Time finished) {
    const workload::NodeRecord record{.label = {.purpose = workload::Purpose::kData},
                                      .begun = at(0),
                                      .turn = turn,
                                      .finished = finished,
                                      .communicator = on,
                                      .size = size};
    log_.on_node(RankId(0), NodeId(nodes_++), record);
  }
  void sent(CommunicatorId on, Bytes size, Time posted) {
    messages_.push_back(
        {.flow = {.source = RankId(0), .destination = RankId(1), .index = on.value() * workload::kConnectionsEach + 3},
         .size = size,
         .posted = posted});
  }
  Bytes of(Bytes operation) const {
    const auto all = operation_demands(messages_, log_);
    const auto found =
        all.find({.purpose = workload::Purpose::kData, .kind = CollectiveKind::kAllReduce, .size = operation});
    return found == all.end() ? Bytes::zero() : found->second.front().bytes;
  }

 private:
  workload::NodeLog log_{2};
  std::uint32_t nodes_ = 0;
  std::vector<workload::MessageRecord> messages_;
};

TEST_F(Demands, AMessageBelongsToTheOperationWhoseTurnItWas) {
  began(CommunicatorId(0), Bytes(100), at(0), at(10));
  began(CommunicatorId(0), Bytes(200), at(10), at(20));
  sent(CommunicatorId(0), Bytes(60), at(4));
  sent(CommunicatorId(0), Bytes(70), at(10));
  EXPECT_EQ(of(Bytes(100)), Bytes(60));
  EXPECT_EQ(of(Bytes(200)), Bytes(70));
}

TEST_F(Demands, OperationsThatOverlapAreToldApartByTheirCommunicators) {
  began(CommunicatorId(0), Bytes(100), at(0), at(10));
  began(CommunicatorId(1), Bytes(200), at(1), at(10));
  sent(CommunicatorId(0), Bytes(60), at(5));
  sent(CommunicatorId(1), Bytes(70), at(5));
  EXPECT_EQ(of(Bytes(100)), Bytes(60));
  EXPECT_EQ(of(Bytes(200)), Bytes(70));
}

TEST_F(Demands, AreTheMeanOfOneOperation) {
  began(CommunicatorId(0), Bytes(100), at(0), at(10));
  began(CommunicatorId(0), Bytes(100), at(10), at(20));
  sent(CommunicatorId(0), Bytes(60), at(4));
  sent(CommunicatorId(0), Bytes(60), at(14));
  EXPECT_EQ(of(Bytes(100)), Bytes(60));
}

}  // namespace
}  // namespace weft::study::run
