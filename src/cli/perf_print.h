// How `weft perf` shows its results: perftest's tables, or JSON.
#pragma once

#include <string>

#include "base/result.h"
#include "base/text_table.h"
#include "live/perf_client.h"
#include "live/perf_server.h"

namespace weft::cli {

/// The lines above the table, its head included.
[[nodiscard]] std::string connection_text(const live::PerfConnection& connection, LineWidth width = {});
/// One line of the table.
[[nodiscard]] std::string row_text(const live::PerfConnection& connection, const live::RowResult& row,
                                   LineWidth width = {});
/// The lines below the table: verification, and counters that are not zero.
[[nodiscard]] std::string summary_text(const live::PerfClientReport& report, LineWidth width = {});
/// One client's visit, for the server: one line, or two with counters.
[[nodiscard]] std::string visit_text(const live::PerfVisit& visit);

/// One object, with a newline at its end.
[[nodiscard]] std::string to_json(const live::PerfClientReport& report);
/// One object in one line, with a newline at its end: a server writes one for each visit.
[[nodiscard]] std::string to_json(const live::PerfVisit& visit);

}  // namespace weft::cli
