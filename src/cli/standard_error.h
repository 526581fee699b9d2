// Messages must not end a command: where standard error is closed, or its file system is full, results are still
// written and the exit status still tells. {fmt} throws where it cannot print.
#pragma once

namespace weft::cli {

/// From here on what `stderr` cannot write is dropped, by this process. To be called once, before anything is printed.
void tolerate_deaf_standard_error();

}  // namespace weft::cli
