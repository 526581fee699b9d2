#include "verbs/context.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::verbs {
namespace {

constexpr ReceiveQueue::Limits kLimits = {.max_wr = 4, .max_sge = 2};
constexpr AddressVector kAddress = {.destination = EndpointId(3)};

/// A context with one object of each kind, all in one domain.
struct World {
  Context context{1};
  PdHandle pd = context.alloc_pd().value();
  CqHandle send_cq = context.create_cq(8).value();
  CqHandle recv_cq = context.create_cq(16).value();
  SrqHandle srq = context.create_srq(pd, kLimits).value();

  [[nodiscard]] QpInitAttributes qp() const { return {.pd = pd, .send_cq = send_cq, .recv_cq = recv_cq, .srq = srq}; }
};

template <class T>
void expect_error(const Result<T>& result, std::string_view part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(Context, FindsObjectsByHandle) {
  World world;
  EXPECT_EQ(world.context.find_cq(world.send_cq)->capacity(), 8U);
  EXPECT_EQ(world.context.find_cq(world.recv_cq)->capacity(), 16U);
  EXPECT_EQ(world.context.find_srq(world.srq)->limits().max_wr, kLimits.max_wr);
  const auto ah = world.context.create_ah(world.pd, kAddress).value();
  EXPECT_EQ(world.context.find_ah(ah)->destination, kAddress.destination);
  EXPECT_EQ(world.context.pd_of(ah), world.pd);
  EXPECT_EQ(world.context.pd_of(world.srq), world.pd);
}

TEST(Context, UnknownHandlesFindNothing) {
  Context context(1);
  EXPECT_EQ(context.find_cq(CqHandle(0)), nullptr);
  EXPECT_EQ(context.find_srq(SrqHandle::invalid()), nullptr);
  EXPECT_EQ(context.find_ah(AddressHandle(5)), nullptr);
  EXPECT_FALSE(context.pd_of(AddressHandle(5)).is_valid());
  EXPECT_FALSE(context.pd_of(SrqHandle(5)).is_valid());
}

TEST(Context, DestroyingWhatDoesNotExistIsAnError) {
  Context context(1);
  expect_error(context.dealloc_pd(PdHandle(0)), "no such protection domain");
  expect_error(context.destroy_cq(CqHandle(0)), "no such completion queue");
  expect_error(context.destroy_srq(SrqHandle(0)), "no such shared receive queue");
  expect_error(context.destroy_ah(AddressHandle(0)), "no such address handle");
  expect_error(context.dereg_mr(1), "no such memory region");
}

TEST(Context, NothingIsMadeInADomainThatDoesNotExist) {
  Context context(1);
  expect_error(context.create_srq(PdHandle(0), kLimits), "no such protection domain");
  expect_error(context.create_ah(PdHandle(0), kAddress), "no such protection domain");
  expect_error(context.reg_mr({.pd = PdHandle(0), .length = 8}), "no such protection domain");
}

TEST(Context, RefusesObjectsThatCouldHoldNothing) {
  World world;
  expect_error(world.context.create_cq(0), "at least 1 completion");
  expect_error(world.context.create_srq(world.pd, {.max_wr = 0, .max_sge = 1}), "max_wr is 0");
  expect_error(world.context.create_srq(world.pd, {.max_wr = 1, .max_sge = 0}), "max_sge is 0");
  expect_error(world.context.create_ah(world.pd, {}), "no destination");
}

TEST(Context, ADomainInUseCannotBeDeallocated) {
  Context context(1);
  const auto pd = context.alloc_pd().value();
  const auto cq = context.create_cq(1).value();

  const auto key = context.reg_mr({.pd = pd, .length = 8}).value();
  expect_error(context.dealloc_pd(pd), "in use by 1 other object;");
  const auto srq = context.create_srq(pd, kLimits).value();
  expect_error(context.dealloc_pd(pd), "in use by 2 other objects;");
  EXPECT_TRUE(context.dereg_mr(key).has_value());
  expect_error(context.dealloc_pd(pd), "in use");
  EXPECT_TRUE(context.destroy_srq(srq).has_value());
  const auto ah = context.create_ah(pd, kAddress).value();
  expect_error(context.dealloc_pd(pd), "in use");
  EXPECT_TRUE(context.destroy_ah(ah).has_value());
  const QpInitAttributes qp = {.pd = pd, .send_cq = cq, .recv_cq = cq};
  EXPECT_TRUE(context.attach_qp(qp).has_value());
  expect_error(context.dealloc_pd(pd), "in use");
  context.detach_qp(qp);
  EXPECT_TRUE(context.dealloc_pd(pd).has_value());
}

TEST(Context, AnInvalidatedRegionStillHoldsItsDomainUntilDeregistered) {
  Context context(1);
  const auto pd = context.alloc_pd().value();
  const auto key = context.reg_mr({.pd = pd, .length = 8, .invalidatable = true}).value();
  ASSERT_EQ(context.memory().invalidate(pd, key), AccessFault::kNone);
  expect_error(context.dealloc_pd(pd), "in use");
  EXPECT_TRUE(context.dereg_mr(key).has_value());
  EXPECT_TRUE(context.dealloc_pd(pd).has_value());
}

TEST(Context, QueuesInUseByAQueuePairCannotBeDestroyed) {
  World world;
  ASSERT_TRUE(world.context.attach_qp(world.qp()).has_value());
  ASSERT_TRUE(world.context.attach_qp(world.qp()).has_value());
  world.context.detach_qp(world.qp());
  expect_error(world.context.destroy_cq(world.send_cq), "in use");
  expect_error(world.context.destroy_cq(world.recv_cq), "in use");
  expect_error(world.context.destroy_srq(world.srq), "in use");
  world.context.detach_qp(world.qp());
  EXPECT_TRUE(world.context.destroy_cq(world.send_cq).has_value());
  EXPECT_TRUE(world.context.destroy_cq(world.recv_cq).has_value());
  EXPECT_TRUE(world.context.destroy_srq(world.srq).has_value());
  EXPECT_TRUE(world.context.dealloc_pd(world.pd).has_value());
}

TEST(Context, AttachingAQueuePairToSomethingUnknownMarksNothing) {
  World world;
  auto attempt = [&world](auto change, std::string_view what) {
    QpInitAttributes qp = world.qp();
    change(qp);
    expect_error(world.context.attach_qp(qp), what);
  };
  attempt([](auto& qp) { qp.pd = PdHandle(99); }, "protection domain");
  attempt([](auto& qp) { qp.send_cq = CqHandle(99); }, "completion queue");
  attempt([](auto& qp) { qp.recv_cq = CqHandle::invalid(); }, "completion queue");
  attempt([](auto& qp) { qp.srq = SrqHandle(99); }, "shared receive queue");
  EXPECT_TRUE(world.context.destroy_cq(world.send_cq).has_value());
  EXPECT_TRUE(world.context.destroy_srq(world.srq).has_value());
  EXPECT_TRUE(world.context.dealloc_pd(world.pd).has_value());
}

TEST(Context, AQueuePairMayHaveAReceiveQueueOfItsOwnAndOneCompletionQueue) {
  World world;
  const QpInitAttributes qp = {.pd = world.pd, .send_cq = world.send_cq, .recv_cq = world.send_cq};
  ASSERT_TRUE(world.context.attach_qp(qp).has_value());
  EXPECT_TRUE(world.context.destroy_srq(world.srq).has_value());
  world.context.detach_qp(qp);
  EXPECT_TRUE(world.context.destroy_cq(world.send_cq).has_value());
}

TEST(Context, AStaleHandleDoesNotReachTheObjectThatFollowed) {
  Context context(1);
  const auto first = context.create_cq(4).value();
  ASSERT_TRUE(context.destroy_cq(first).has_value());
  const auto second = context.create_cq(4).value();
  EXPECT_NE(first, second);
  EXPECT_EQ(context.find_cq(first), nullptr);
  EXPECT_NE(context.find_cq(second), nullptr);
}

TEST(Context, GivesEventsInTheOrderInWhichTheyWereRaised) {
  Context context(1);
  const AsyncEvent first = {.type = AsyncEventType::kCommEst, .qp = Qpn(5)};
  const AsyncEvent second = {.type = AsyncEventType::kCqErr, .cq = CqHandle(1)};
  context.raise(first);
  context.raise(second);
  AsyncEvent event;
  ASSERT_TRUE(context.poll_async_event(event));
  EXPECT_EQ(event, first);
  ASSERT_TRUE(context.poll_async_event(event));
  EXPECT_EQ(event, second);
  EXPECT_FALSE(context.poll_async_event(event));
}

TEST(ContextDeathTest, DetachingWhatWasNeverAttachedIsAProgrammersError) {
  World world;
  EXPECT_DEATH(world.context.detach_qp(world.qp()), "assertion failed");
}

}  // namespace
}  // namespace weft::verbs
