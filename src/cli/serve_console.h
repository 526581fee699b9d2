// The commands that `weft subnet serve` takes on standard input, as in ibsim: unlink, relink, dump, attached, quit.
#pragma once

#include <string>
#include <string_view>

#include "live/clock.h"
#include "subnet/umad/umad_service.h"

namespace weft::cli {

class ServeConsole {
 public:
  /// All must outlive the console.
  ServeConsole(const subnet::Subnet& subnet, subnet::ServedSubnet& served, const subnet::UmadService& service)
      : subnet_(subnet), served_(served), service_(service) {}

  struct Outcome {
    std::string text{};   // for standard output
    std::string error{};  // what is wrong with the command; empty: nothing
    bool ends = false;    // serving is to end
  };
  /// A line that is empty, or begins with "#", does nothing.
  [[nodiscard]] Outcome take(std::string_view line);

 private:
  [[nodiscard]] Outcome set_cables(std::string_view rest, subnet::ServedSubnet::Cable cable);
  [[nodiscard]] Outcome dump(std::string_view rest) const;
  [[nodiscard]] Outcome attached() const;

  const subnet::Subnet& subnet_;
  subnet::ServedSubnet& served_;
  const subnet::UmadService& service_;
  live::Clock clock_;
};

}  // namespace weft::cli
