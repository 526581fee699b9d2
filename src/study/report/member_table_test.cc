#include "study/report/member_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "study/report/comparison_tables.h"
#include "study/report/member_json.h"

namespace weft::study::report {
namespace {

template <class Record>
std::string text_of(const Record& record) {
  return json_text({object_ref(record)});
}

template <class Record>
Record read_from(const std::string& text) {
  Record record;
  UntypedValue value = parse_untyped(text).value();
  read_record(record_table<Record>(), &record, std::get<UntypedValue::Object>(std::move(value.value)));
  return record;
}

TEST(MemberTable, WritesWhatIsThereInTheOrderOfTheTable) {
  EXPECT_EQ(text_of(LinkFault{.link = "a", .lost = 2}), R"({"link":"a","lost_s":2.0})");
  EXPECT_EQ(text_of(FlowTimes{}), "{}");
  EXPECT_EQ(text_of(PathPart{.what = "forward", .time = 0.5}), R"({"what":"forward","s":0.5,"rank":0,"flow":""})");
}

TEST(MemberTable, MembersOfAnInnerStructStandAmongThoseOfTheRecord) {
  const TuningRiskOfSize risk{.figures = {.worst_setting = "x", .worst = 0.5}, .gpus = 64};
  EXPECT_EQ(text_of(risk), R"({"worst_setting":"x","worst":0.5,"gpus":64})");
}

TEST(MemberTable, APauseWithoutCauseSaysSo) {
  EXPECT_EQ(text_of(HeldPort{.port = "p", .by = "q"}),
            R"({"port":"p","by":"q","first_s":0.0,"held_s":0.0,"cause":null})");
}

TEST(MemberTable, ARecordInTheUsualFormKeepsNoneOfItsOwn) {
  EXPECT_FALSE(read_from<HeldPort>(R"({"port":"p","by":"q","first_s":0.0,"held_s":1.5,"cause":null})").form);
  EXPECT_FALSE(read_from<LinkFault>(R"({"link":"a","lost_s":2.0})").form);
  EXPECT_TRUE(read_from<LinkFault>(R"({"lost_s":2.0,"link":"a"})").form);
  EXPECT_TRUE(read_from<HeldPort>(R"({"port":"p"})").form);
}

TEST(MemberTable, EveryFormIsWrittenAsItWasRead) {
  for (const char* text : {R"({"lost_s":2,"link":"a"})", R"({"link":null,"unknown":[1,{"x":null}],"lost_s":"much"})",
                           R"({"outage_us":18446744073709551615,"messages_failed":-1})", "{}"}) {
    EXPECT_EQ(text_of(read_from<LinkFault>(text)), text);
  }
  for (const char* text : {R"({"port":"p","cause":null})", R"({"cause":"c","port":"p","lane":3})"}) {
    EXPECT_EQ(text_of(read_from<HeldPort>(text)), text);
  }
}

TEST(MemberTable, WhatIsSetAfterReadingIsWritten) {
  auto fault = read_from<LinkFault>(R"({"lost_s":2,"peer":null,"link":"a"})");
  fault.lost = 3;
  fault.peer = "b";
  fault.outage_us = 4;
  EXPECT_EQ(text_of(fault), R"({"lost_s":3.0,"peer":"b","link":"a","outage_us":4.0})");
  fault.link.reset();
  EXPECT_EQ(text_of(fault), R"({"lost_s":3.0,"peer":"b","outage_us":4.0})");
}

TEST(MemberTable, AMemberCanBeWrittenBehindAnother) {
  LinkFault fault{.link = "a", .peer = "b", .lost = 1};
  write_behind(fault, name_of<&LinkFault::link>(), name_of<&LinkFault::lost>());
  EXPECT_EQ(text_of(fault), R"({"peer":"b","lost_s":1.0,"link":"a"})");
}

TEST(MemberTable, NamesAreThoseOfTheTable) {
  const std::string_view mean = name_of<&ComparedFabric::step, &StepTimes::mean>();
  EXPECT_EQ(mean, "step_time_s");
  EXPECT_NE(record_table<ComparedFabric>().find(mean), nullptr);
  EXPECT_EQ(record_table<ComparedFabric>().find("step_time"), nullptr);
}

}  // namespace
}  // namespace weft::study::report
