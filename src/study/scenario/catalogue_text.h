// The catalogue files of share/catalogue/, embedded when weft is built.
#pragma once

#include <string_view>

namespace weft::study::scenario {

[[nodiscard]] std::string_view switches_catalogue();
[[nodiscard]] std::string_view nics_catalogue();
[[nodiscard]] std::string_view links_catalogue();
[[nodiscard]] std::string_view cabling_catalogue();
[[nodiscard]] std::string_view protocols_catalogue();
[[nodiscard]] std::string_view schemes_catalogue();
[[nodiscard]] std::string_view hosts_catalogue();
[[nodiscard]] std::string_view reduction_catalogue();
[[nodiscard]] std::string_view models_catalogue();
[[nodiscard]] std::string_view gpus_catalogue();
[[nodiscard]] std::string_view scale_up_catalogue();
[[nodiscard]] std::string_view collectives_catalogue();
[[nodiscard]] std::string_view failures_catalogue();
[[nodiscard]] std::string_view security_catalogue();
[[nodiscard]] std::string_view subnet_managers_catalogue();
[[nodiscard]] std::string_view tunables_catalogue();

}  // namespace weft::study::scenario
