// For tests of every routing engine: their kinds, and how a test is called after one.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "subnet/routing/engine.h"

namespace weft::test {

[[nodiscard]] inline std::vector<subnet::EngineKind> engine_kinds() {
  std::vector<subnet::EngineKind> kinds;
  for (const subnet::Engine& each : subnet::engines()) {
    kinds.push_back(each.kind);
  }
  return kinds;
}

[[nodiscard]] inline std::string name_of_engine(const ::testing::TestParamInfo<subnet::EngineKind>& info) {
  return std::string(subnet::engine(info.param).name);
}

}  // namespace weft::test
