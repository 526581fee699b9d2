#include "verbs/group.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft::verbs {
namespace {

constexpr std::uint32_t kEverything = ~0U;
constexpr int kTypes = static_cast<int>(DataType::kFloat64) + 1;
constexpr int kOperations = static_cast<int>(ReduceOperation::kBitXor) + 1;

ReduceLimits limits() {
  return {.max_size = Bytes(4096), .data_types = kEverything, .operations = kEverything, .max_members = 4};
}

GroupAttributes group_of_three() {
  return {.members = {EndpointId(30), EndpointId(10), EndpointId(20)}, .self = GroupRank(1)};
}

ReduceWr request_of(std::uint32_t bytes, DataType type = DataType::kFloat32) {
  return {.source = {.length = bytes}, .destination = {.length = bytes}, .data_type = type};
}

void expect_error(const Result<void>& result, std::string_view part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(DataType, NamesEndInTheNumberOfTheirBits) {
  for (int i = 0; i < kTypes; ++i) {
    const auto type = static_cast<DataType>(i);
    const std::string name(to_string(type));
    EXPECT_TRUE(name.ends_with(std::to_string(size_of(type).bits()))) << name;
  }
}

TEST(ReduceOperation, EveryOneHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i < kOperations; ++i) {
    names.insert(to_string(static_cast<ReduceOperation>(i)));
  }
  EXPECT_EQ(names.size(), kOperations);
}

TEST(Group, NeedsTwoMembersAndTakesAsManyAsTheNetworkAllows) {
  GroupAttributes group = group_of_three();
  EXPECT_TRUE(check_group(group, limits()).has_value());
  group.members.push_back(EndpointId(40));
  EXPECT_TRUE(check_group(group, limits()).has_value());
  group.members.push_back(EndpointId(50));
  expect_error(check_group(group, limits()), "group of 5 members; it must have 2 to 4");
  group.members.resize(1);
  expect_error(check_group(group, limits()), "group of 1 members");
}

TEST(Group, NamesEachMemberOnceAndItsOwnRankAmongThem) {
  GroupAttributes group = group_of_three();
  group.members[2] = group.members[0];
  expect_error(check_group(group, limits()), "endpoint 30 is named twice");
  group = group_of_three();
  group.self = GroupRank(3);
  expect_error(check_group(group, limits()), "own rank is 3; it must be 0 to 2");
  group = group_of_three();
  group.max_reduce_wr = 0;
  expect_error(check_group(group, limits()), "max_reduce_wr");
}

TEST(Reduce, TakesWholeElementsUpToTheLargestSize) {
  for (int i = 0; i < kTypes; ++i) {
    const auto type = static_cast<DataType>(i);
    const auto element = static_cast<std::uint32_t>(size_of(type).count());
    EXPECT_TRUE(check_reduce(group_of_three(), request_of(element, type), limits()).has_value());
    EXPECT_TRUE(check_reduce(group_of_three(), request_of(4096, type), limits()).has_value());
    expect_error(check_reduce(group_of_three(), request_of(element + 1, type), limits()), "whole number");
    expect_error(check_reduce(group_of_three(), request_of(0, type), limits()), "at least one");
    expect_error(check_reduce(group_of_three(), request_of(4096 + element, type), limits()), "at most 4096");
  }
}

TEST(Reduce, RefusesWhatTheNetworkCannotDo) {
  ReduceLimits few = limits();
  few.data_types = 1U << static_cast<unsigned>(DataType::kInt32);
  expect_error(check_reduce(group_of_three(), request_of(8), few), "does not reduce float32");
  EXPECT_TRUE(check_reduce(group_of_three(), request_of(8, DataType::kInt32), few).has_value());
  few.operations = 1U << static_cast<unsigned>(ReduceOperation::kMax);
  expect_error(check_reduce(group_of_three(), request_of(8, DataType::kInt32), few), "no operation sum");
}

TEST(Reduce, BitwiseOperationsAreForIntegers) {
  ReduceWr request = request_of(8, DataType::kUint64);
  request.operation = ReduceOperation::kBitXor;
  EXPECT_TRUE(check_reduce(group_of_three(), request, limits()).has_value());
  request.data_type = DataType::kBfloat16;
  expect_error(check_reduce(group_of_three(), request, limits()), "use an integer type");
}

TEST(Reduce, OnlyThoseWhoGetTheResultNeedADestination) {
  ReduceWr request = request_of(16);
  request.destination.length = 0;
  expect_error(check_reduce(group_of_three(), request, limits()), "destination has 0 bytes, source 16");
  request.root = GroupRank(1);
  expect_error(check_reduce(group_of_three(), request, limits()), "destination has 0 bytes");
  request.root = GroupRank(0);
  EXPECT_TRUE(check_reduce(group_of_three(), request, limits()).has_value());
  request.root = GroupRank(3);
  expect_error(check_reduce(group_of_three(), request, limits()), "root is 3; it must be 0 to 2");
}

}  // namespace
}  // namespace weft::verbs
