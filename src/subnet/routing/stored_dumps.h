// For tests: networks under tests/data/opensm/ and the forwarding tables that OpenSM 3.3.23 made for them.
#pragma once

#include <string>
#include <utility>

#include "base/assert.h"
#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/forwarding_dump.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"

namespace weft::subnet {

inline std::string stored(const std::string& name) {
  Result<std::string> text = read_file(std::string(test_data_dir()) + "/opensm/" + name);
  WEFT_ASSERT(text.has_value());
  return *std::move(text);
}

inline SweptSubnet swept(const std::string& text, std::uint8_t lmc = 0) {
  const Result<Subnet> parsed = parse_topology({.text = text, .name = "network"});
  WEFT_ASSERT(parsed.has_value());
  Result<SweptSubnet> made = sweep(*parsed, {.lmc = lmc});
  WEFT_ASSERT(made.has_value());
  return std::move(*made);
}

/// An engine's tables beside those of the stored dump "NETWORK.ENGINE.lfts".
struct StoredComparison {
  EngineKind used = EngineKind::kMinhop;
  ForwardingTables ours;
  ForwardingTables opensm;
};

inline StoredComparison compare_with_stored(const std::string& network, EngineKind kind) {
  const SweptSubnet made = swept(stored(network + ".net"));
  Result<ManagedRoutes> routes = route_subnet(made.view, kind);
  WEFT_ASSERT(routes.has_value());
  const std::string name = network + "." + std::string(engine(kind).name) + ".lfts";
  const std::string text = stored(name);
  Result<ForwardingTables> tables = parse_lfts({.text = text, .name = name}, made.view);
  WEFT_ASSERT(tables.has_value());
  return {.used = routes->used, .ours = std::move(routes->routes.tables), .opensm = std::move(*tables)};
}

}  // namespace weft::subnet
