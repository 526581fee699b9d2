// Where tests find the data of the checkout and the programs of the build.
//
// The build defines them in a file of their own (cmake/WeftModule.cmake), so that no other object depends on where the
// checkout is and the compiler cache serves all of them.
#pragma once

namespace weft {

/// The folder tests/data.
[[nodiscard]] const char* test_data_dir();
/// The built `weft`; only test groups that depend on it may count on it.
[[nodiscard]] const char* weft_binary();
/// mpirun; empty without MPI.
[[nodiscard]] const char* mpirun_binary();

}  // namespace weft
