# Everything that holds for every target: language, warnings, determinism, instrumentation, link-time optimisation.

# A debug build never happens by accident.
if(NOT CMAKE_BUILD_TYPE)
  message(STATUS "weft: no build type given, using Release")
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(WEFT_WARNINGS_AS_ERRORS "Stop at the first warning" OFF)
option(WEFT_DCHECKS "Compile WEFT_DCHECK in (assertions that cost per packet)" OFF)
option(WEFT_LTO "Link-time optimisation, where the compiler has it" OFF)
option(WEFT_UNITY "Compile the files of a library eight or sixteen at a time, and tests with a precompiled header" OFF)
option(WEFT_COVERAGE "Instrument for gcov" OFF)
option(WEFT_FUZZ "Build libFuzzer targets (clang only)" OFF)
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers, as given to -fsanitize= (for example address,undefined)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Depend mode: a file that is not in the cache is not preprocessed a second time to find that out. Paths below the
  # source folder count as relative: another checkout finds what this one compiled. A precompiled header, which names its
  # folder, counts by what it was made of (weft_compile_quickly).
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${WEFT_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()

# The one precompiled header, of tests, is read by its path from the build folder, as an absolute one would be part of what the
# cache compares.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(weft_header CMakeFiles/weft_test_headers.dir/cmake_pch.hxx)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang ${weft_header}.pch -Xclang -include -Xclang ${weft_header})
endif()

# Results are bit-identical on every machine: no contraction to fused multiply-add, no tuning for the build host.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wconversion -Wshadow)

# clang's -Wconversion includes this one, g++'s does not.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wno-sign-conversion)
endif()
# Every layer reports coverage to libFuzzer; only the fuzzers themselves link its main.
if(WEFT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(WEFT_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(WEFT_DCHECKS)
  add_compile_definitions(WEFT_DCHECKS=1)
endif()
if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
  # Instrumentation hides value ranges from g++, whose flow-based warnings then see overflows that cannot happen.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(WEFT_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

if(WEFT_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT weft_lto_supported OUTPUT weft_lto_message LANGUAGES CXX)
  if(weft_lto_supported)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Machine code as well, for what is linked without it: tests. g++ 12 then warns of what cannot happen where it has
      # inlined std::string and std::array; the preset dev has these warnings, as errors.
      set(weft_false_warnings -Wno-array-bounds -Wno-free-nonheap-object -Wno-maybe-uninitialized -Wno-restrict
                              -Wno-stringop-overflow -Wno-stringop-overread)
      add_compile_options(-ffat-lto-objects ${weft_false_warnings})
      add_link_options(${weft_false_warnings})
    endif()
  else()
    message(WARNING "weft: no link-time optimisation: ${weft_lto_message}")
  endif()
endif()
