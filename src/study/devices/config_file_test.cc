#include "study/devices/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto read = read_config({.text = text, .name = "x"});
  return read ? "no error" : read.error().message;
}

/// The text of the first leaf in SONiC's form, with a change.
std::string refused(std::string_view before, std::string_view after) {
  const std::string text = config_text(TestNetwork(kRoce).described(Syntax::kSonic).front());
  return error_of(with(text, before, after));
}

TEST(DeviceConfigs, AreTheSameWrittenReadAndWrittenAgain) {
  for (const Syntax syntax : {Syntax::kSonic, Syntax::kNvue, Syntax::kEos, Syntax::kNic}) {
    for (const DeviceConfig& device : TestNetwork(kRoce).described(syntax)) {
      const std::string text = config_text(device);
      const auto read = read_config({.text = text, .name = "x"});
      ASSERT_TRUE(read.has_value()) << read.error().message << "\n" << text;
      EXPECT_EQ(read->syntax, syntax);
      EXPECT_EQ(read->name, device.name);
      EXPECT_EQ(config_text(*read), text);
    }
  }
  for (const DeviceConfig& device : TestNetwork(kInfiniBand).described(Syntax::kOpensm)) {
    const std::string text = config_text(device);
    const auto read = read_config({.text = text, .name = "x"});
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->syntax, device.syntax);
    EXPECT_EQ(read->manager.options, device.manager.options);
  }
}

TEST(DeviceConfigs, SonicSaysAllThatTheModelHas) {
  for (const DeviceConfig& device : TestNetwork(kRoce).described(Syntax::kSonic)) {
    const auto read = read_config({.text = config_text(device), .name = "x"}).value();
    EXPECT_EQ(read.bridge.ports, device.bridge.ports);
    EXPECT_EQ(read.bridge.neighbours, device.bridge.neighbours);
    EXPECT_EQ(read.bridge.watchdog, device.bridge.watchdog);
    EXPECT_EQ(read.bridge.pool, device.bridge.pool);
    EXPECT_EQ(read.bridge.pool_headroom, device.bridge.pool_headroom);
  }
}

TEST(DeviceConfigs, WhatIsNoneIsRefused) {
  EXPECT_EQ(error_of(""), "x: the file is empty");
  EXPECT_EQ(error_of(" \n\t"), "x: the file is empty");
  EXPECT_EQ(error_of(std::string_view("\x7f"
                                      "ELF\0\1",
                                      6)),
            "x: byte 4 is zero: this is no text");
  EXPECT_THAT(error_of("hello world\n"), HasSubstr("no configuration that is known"));
}

TEST(DeviceConfigs, JsonThatEndsOrIsNoneSaysWhere) {
  const std::string text = config_text(TestNetwork(kRoce).described(Syntax::kSonic).front());
  EXPECT_THAT(error_of(text.substr(0, text.size() / 2)), HasSubstr("the JSON ends before it is complete"));
  EXPECT_THAT(error_of("{\n  \"PORT\": {,}\n}"), testing::StartsWith("x:2:12: "));
  EXPECT_THAT(error_of("{\"PORT\": {\"A\": {}},\n \"PORT\": {}}"), HasSubstr("x:2: key 'PORT' stands twice"));
  // Neither the value nor the key of another object is the second one.
  EXPECT_THAT(
      error_of(
          "{\"A\": {\"X\": \"K\"},\n \"B\": {\"K\": \"\\\"K\\\"\"},\n \"C\": {\"K\" : 1,\n \"X\": \"K\",\n \"K\": 2}}"),
      HasSubstr("x:5: key 'K' stands twice"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("no object of tables"));
}

TEST(DeviceConfigs, ValuesBeyondTheSchemaOfSonicAreRefused) {
  EXPECT_THAT(refused("\"green_drop_probability\": \"", "\"green_drop_probability\": \"9"),
              HasSubstr("is not a whole number from 0 to 100"));
  EXPECT_THAT(refused("\"dynamic_th\": \"-", "\"dynamic_th\": \"-1"), HasSubstr("is not a whole number from -8 to 7"));
  EXPECT_THAT(refused("\"pfc_enable\": \"3\"", "\"pfc_enable\": \"8\""), HasSubstr("from 0 to 7"));
  EXPECT_THAT(refused("\"63\": \"0\"", "\"64\": \"0\""), HasSubstr("'64' is not a whole number from 0 to 63"));
  EXPECT_THAT(refused("\"green_max_threshold\": \"", "\"green_max_threshold\": \"0\", \"x\": \""),
              HasSubstr("is below the minimum"));
  EXPECT_THAT(refused("\"detection_time\": \"200\"", "\"detection_time\": \"50\""), HasSubstr("from 100 to 5000"));
  EXPECT_THAT(refused("\"wred_profile\": \"WEFT_P3\"", "\"wred_profile\": \"OTHER\""),
              HasSubstr("there is no WRED_PROFILE 'OTHER'"));
  EXPECT_THAT(refused("\"hostname\": \"leaf0\"", "\"hostname\": \"\""), HasSubstr("which device this is"));
}

TEST(DeviceConfigs, CommandsSayTheLine) {
  EXPECT_THAT(error_of("nv set system hostname a\nnv set qos mapping default-global dscp 64 switch-priority 3\n"),
              HasSubstr("x:2: DSCP: '64' is not a whole number from 0 to 63"));
  EXPECT_THAT(error_of("nv set interface swp1 link mtu 9000\n"), HasSubstr("no 'nv set system hostname NAME'"));
  EXPECT_THAT(error_of("hostname a\ninterface Ethernet1/1\n   uc-tx-queue 9\n"), HasSubstr("x:3: the queue"));
  EXPECT_THAT(error_of("mlnx_qos -i eth0 --pfc 0,0,1\n"), HasSubstr("x:1: --pfc takes eight values"));
  EXPECT_THAT(error_of("qos TRUE\nlmc 9\n"), HasSubstr("x:2: lmc: '9' is not a whole number from 0 to 7"));
  EXPECT_THAT(error_of("qos TRUE\nqos TRUE\n"), HasSubstr("x:2: option 'qos' stands twice"));
  EXPECT_THAT(error_of("qos-ulps\n default : 0\n"), HasSubstr("has no end"));
}

}  // namespace
}  // namespace weft::study::devices
