// Manual pages in the form that man(1) reads (roff with the macros of man(7)), made of the pages of our documents.
#pragma once

#include <string>
#include <string_view>

#include "cli/manual.h"

namespace weft::cli {

/// weft-NAME(1) of a page of the manual: its first paragraph is the line under NAME.
[[nodiscard]] std::string command_roff(const ManualPage& page, std::string_view version);

/// weft(1): what the manual says before its first page, and a line for each page.
[[nodiscard]] std::string overview_roff(const Manual& manual, std::string_view version);

/// weft-scenario(5) of docs/scenario.md.
[[nodiscard]] std::string scenario_roff(std::string_view markdown, std::string_view version);

}  // namespace weft::cli
