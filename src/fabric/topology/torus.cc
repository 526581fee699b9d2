#include "fabric/topology/torus.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

Result<void> check_options(const TorusOptions& options) {
  if (options.sizes.empty() || options.sizes.size() > TorusOptions::kMaxDimensions) {
    return fail("torus: {} sizes, it has 1 to {} dimensions", options.sizes.size(), TorusOptions::kMaxDimensions);
  }
  std::uint64_t switches = 1;
  std::uint64_t cables = 0;
  for (const std::uint32_t size : options.sizes) {
    if (size < 2) {
      return fail("torus: a size is {}, a ring has 2 switches or more", size);
    }
    switches = saturating_product({switches, size});
    cables += size > 2 ? 2 : 1;
  }
  const std::uint64_t per_switch = saturating_product({options.hosts_per_switch, options.nics_per_host});
  const std::uint64_t in_rings = saturating_product({cables, options.parallel_links});
  return OptionCheck("torus")
      .positive({"hosts_per_switch", options.hosts_per_switch})
      .positive({"nics_per_host", options.nics_per_host})
      .positive({"parallel_links", options.parallel_links})
      .cable("host_link", options.host_link)
      .cable("ring_link", options.ring_link)
      .size({.endpoints = saturating_product({switches, per_switch}), .switches = switches, .largest_switch = in_rings})
      .size({.largest_switch = per_switch + in_rings})
      .result();
}

class TorusBuilder {
 public:
  explicit TorusBuilder(const TorusOptions& options)
      : options_(options), per_switch_(options.hosts_per_switch * options.nics_per_host), builder_(options.domains) {
    for (const std::uint32_t size : options_.sizes) {
      switches_ *= size;
    }
  }

  Graph build() && {
    builder_.add_hosts({.hosts = switches_ * options_.hosts_per_switch, .nics_per_host = options_.nics_per_host});
    for (std::uint32_t i = 0; i < switches_; ++i) {
      builder_.add_switch({.name = name_of(i)});
    }
    for (std::uint32_t endpoint = 0; endpoint < switches_ * per_switch_; ++endpoint) {
      builder_.connect({.lower = NodeIndex(endpoint), .upper = switch_of(endpoint / per_switch_)}, options_.host_link);
    }
    std::uint32_t stride = 1;
    std::uint32_t port = per_switch_;
    for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
      const Dimension dimension{
          .number = static_cast<std::uint8_t>(i + 1), .size = options_.sizes[i], .stride = stride, .first_port = port};
      close_rings(dimension);
      stride *= dimension.size;
      port += (dimension.size > 2 ? 2 : 1) * options_.parallel_links;
    }
    return std::move(builder_).finish();
  }

 private:
  struct Dimension {
    std::uint8_t number = 1;
    std::uint32_t size = 2;
    std::uint32_t stride = 1;      // from a switch to the one above it, in the order of switches
    std::uint32_t first_port = 0;  // upwards
  };

  [[nodiscard]] NodeIndex switch_of(std::uint32_t ordinal) const {
    return NodeIndex(switches_ * per_switch_ + ordinal);
  }
  [[nodiscard]] std::string name_of(std::uint32_t ordinal) const {
    std::string name = "switch";
    for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
      name += fmt::format("{}{}", i > 0 ? "-" : "", ordinal % options_.sizes[i]);
      ordinal /= options_.sizes[i];
    }
    return name;
  }
  void close_rings(const Dimension& dimension) {
    for (std::uint32_t i = 0; i < switches_; ++i) {
      const std::uint32_t place = i / dimension.stride % dimension.size;
      const bool is_last = place + 1 == dimension.size;
      if (is_last && dimension.size == 2) {
        continue;
      }
      const std::uint32_t above = is_last ? i - place * dimension.stride : i + dimension.stride;
      for (std::uint32_t cable = 0; cable < options_.parallel_links; ++cable) {
        const std::uint32_t up = dimension.first_port + cable;
        const std::uint32_t down = dimension.size == 2 ? up : up + options_.parallel_links;
        builder_.add_link({.a = {switch_of(i), static_cast<std::uint16_t>(up)},
                           .b = {switch_of(above), static_cast<std::uint16_t>(down)},
                           .rate = options_.ring_link.rate,
                           .propagation = options_.ring_link.propagation,
                           .ring = {.dimension = dimension.number, .wraps = is_last}});
      }
    }
  }

  TorusOptions options_;
  std::uint32_t per_switch_;
  std::uint32_t switches_ = 1;
  GraphBuilder builder_;
};

}  // namespace

Result<Graph> build_graph(const TorusOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  return TorusBuilder(options).build();
}

}  // namespace weft::fabric
