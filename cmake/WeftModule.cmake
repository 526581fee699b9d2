# One function per kind of folder. A missing folder is skipped, so that a layer can be described before it exists.

set(WEFT_TEST_DATA_DIR "${CMAKE_CURRENT_SOURCE_DIR}/tests/data")

# What is built beside the program is linked from the libraries' machine code (cmake/WeftBuild.cmake): link-time
# optimisation would compile all of them once more for each.
function(weft_link_quickly target)
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  if(WEFT_LTO)
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()

# A test's own code is compiled as quickly as can be: what it tests is in the libraries, optimised as the preset says.
# With WEFT_UNITY, what nearly every test includes is parsed once for all of them.
function(weft_compile_quickly target)
  target_compile_options(${target} PRIVATE -O0 -fno-lto)
  weft_link_quickly(${target})
  if(NOT WEFT_UNITY)
    return()
  endif()
  if(NOT TARGET weft_test_headers)
    file(WRITE "${CMAKE_BINARY_DIR}/weft_test_headers.cc" "")
    add_library(weft_test_headers OBJECT "${CMAKE_BINARY_DIR}/weft_test_headers.cc")
    target_compile_options(weft_test_headers PRIVATE -O0 -fno-lto)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # what comes out of a cache is as good as new
      target_compile_options(weft_test_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_link_libraries(weft_test_headers PRIVATE GTest::gmock GTest::gtest fmt::fmt tl::expected)
    target_precompile_headers(weft_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <fmt/core.h> <tl/expected.hpp>
      <algorithm> <array> <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set> <span> <sstream>
      <string> <variant> <vector>)
    set(header "${CMAKE_BINARY_DIR}/CMakeFiles/weft_test_headers.dir/cmake_pch.hxx")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(compiled "${header}.gch")
    else()
      set(compiled "${header}.pch")
    endif()
    add_custom_command(OUTPUT "${header}.sum"
      COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -E -P -dD -x c++ "${header}" -o "${header}.text"
      COMMAND sha256sum < "${header}.text" > "${compiled}.sum"
      COMMAND "${CMAKE_COMMAND}" -E rm "${header}.text"
      COMMAND "${CMAKE_COMMAND}" -E touch "${header}.sum"
      DEPENDS "${compiled}" VERBATIM)
    add_custom_target(weft_test_headers_sum DEPENDS "${header}.sum")
  endif()
  add_dependencies(${target} weft_test_headers_sum)
  target_precompile_headers(${target} REUSE_FROM weft_test_headers)
endfunction()

# The functions of src/base/test_paths.h.
function(weft_define_test_paths)
  if(TARGET weft_test_paths)
    return()
  endif()
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/test_paths.cc" CONTENT "#include \"base/test_paths.h\"

namespace weft {

const char* test_data_dir() { return \"${WEFT_TEST_DATA_DIR}\"; }
const char* weft_binary() { return \"$<TARGET_FILE:weft>\"; }
const char* mpirun_binary() { return \"$<$<BOOL:${MPIEXEC_EXECUTABLE}>:${MPIEXEC_EXECUTABLE}>\"; }

}  // namespace weft
")
  add_library(weft_test_paths STATIC "${CMAKE_BINARY_DIR}/test_paths.cc")
  target_include_directories(weft_test_paths PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_compile_options(weft_test_paths PRIVATE -O0 -fno-lto)
  weft_link_quickly(weft_test_paths)
endfunction()

# Gives one gtest executable the things every test has, and registers its cases under `label`: each alone, or with SUITES
# those of a suite in one process. Nothing of the user's cache is read or written.
function(weft_add_gtest target label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SUITES" "" "")
  weft_compile_quickly(${target})
  weft_define_test_paths()
  target_link_libraries(${target} PRIVATE weft_test_paths GTest::gmock_main GTest::gmock GTest::gtest)
  if(NOT arg_SUITES)
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS ${label} ENVIRONMENT "WEFT_CACHE=")
    return()
  endif()
  set(suites "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
  file(GENERATE OUTPUT "${suites}" CONTENT "set(WEFT_EXECUTABLE \"$<TARGET_FILE:${target}>\")
set(WEFT_TARGET ${target})
set(WEFT_LABEL ${label})
include(\"${CMAKE_SOURCE_DIR}/cmake/WeftSuites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${suites}")
endfunction()

# weft_in_batches(<out> <name> <folder> <size> <sources...>): with WEFT_UNITY, files that include `size` of the sources each;
# else the sources. They are included by their paths from `folder`, which the target searches: unlike CMake's own unity files
# these are the same in every checkout, so that the compiler cache finds what another one compiled.
function(weft_in_batches out name folder size)
  if(NOT WEFT_UNITY)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches "")
  set(rest ${ARGN})
  while(rest)
    list(LENGTH batches number)
    list(SUBLIST rest 0 ${size} now)
    list(REMOVE_ITEM rest ${now})
    set(text "")
    foreach(source IN LISTS now)
      file(RELATIVE_PATH path "${folder}" "${source}")
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(batch "${CMAKE_BINARY_DIR}/batches/${name}_${number}.cc")
    file(CONFIGURE OUTPUT "${batch}" CONTENT "${text}" @ONLY)
    list(APPEND batches "${batch}")
  endwhile()
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# weft_module(<name> [ONCE_PER_RUN] [MAIN <executable>] [EXCLUDE <files...>] DEPS <targets...>)
# src/<name>/: *.cc becomes the library weft_<name>, *_test.cc the test weft_<name>_test, and with MAIN, main.cc the executable.
# EXCLUDE: files of the folder that this build does without.
# ONCE_PER_RUN: nothing in it is done per packet. It is optimised by itself, not when the program is linked; under the
# sanitizers, where optimising takes half of the time that compiling takes, it is not optimised at all. Most of the rest goes
# into its headers, so that its batches are twice as large.
# A room, <layer>/<room>, becomes the library weft_<layer>_<room>; weft_rooms(<layer>) makes the test of all its rooms.
function(weft_module path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONCE_PER_RUN" "MAIN" "DEPS;EXCLUDE")
  set(folder "${CMAKE_SOURCE_DIR}/src/${path}")
  if(NOT EXISTS "${folder}")
    return()
  endif()
  string(REPLACE "/" "_" name "${path}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cc" "${folder}/*/*.cc")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cc" "${folder}/*/*_test.cc")
  list(TRANSFORM arg_EXCLUDE PREPEND "${folder}/")
  list(REMOVE_ITEM sources ${tests} ${arg_EXCLUDE} "${folder}/main.cc")

  if(sources)
    set(batch_size 8)
    if(arg_ONCE_PER_RUN)
      set(batch_size 16)
    endif()
    weft_in_batches(units weft_${name} "${CMAKE_SOURCE_DIR}/src" ${batch_size} ${sources})
    add_library(weft_${name} STATIC ${units})
    target_include_directories(weft_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
    target_link_libraries(weft_${name} PUBLIC ${arg_DEPS})
    if(arg_ONCE_PER_RUN AND WEFT_SANITIZE)
      target_compile_options(weft_${name} PRIVATE -O0)
    elseif(arg_ONCE_PER_RUN AND WEFT_LTO)
      set_target_properties(weft_${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
      target_compile_options(weft_${name} PRIVATE -O2)
    endif()
  else()
    add_library(weft_${name} INTERFACE)
    target_include_directories(weft_${name} INTERFACE "${CMAKE_SOURCE_DIR}/src")
    target_link_libraries(weft_${name} INTERFACE ${arg_DEPS})
  endif()

  if(arg_MAIN AND EXISTS "${folder}/main.cc")
    add_executable(${arg_MAIN} "${folder}/main.cc")
    target_link_libraries(${arg_MAIN} PRIVATE weft_${name})
  endif()

  get_filename_component(layer "${path}" DIRECTORY)
  if(layer)
    set_property(GLOBAL APPEND PROPERTY weft_${layer}_rooms weft_${name})
    set_property(GLOBAL APPEND PROPERTY weft_${layer}_room_tests ${tests})
  else()
    weft_unit_test(${name} ${tests})
  endif()
endfunction()

# weft_rooms(<layer>): the library weft_<layer> is all its rooms, and weft_<layer>_test all their tests.
function(weft_rooms layer)
  get_property(rooms GLOBAL PROPERTY weft_${layer}_rooms)
  get_property(tests GLOBAL PROPERTY weft_${layer}_room_tests)
  add_library(weft_${layer} INTERFACE)
  target_link_libraries(weft_${layer} INTERFACE ${rooms})
  weft_unit_test(${layer} ${tests})
endfunction()

# weft_unit_test(<name> <sources...>): weft_<name>_test, if there are sources.
function(weft_unit_test name)
  if(NOT ARGN OR NOT BUILD_TESTING)
    return()
  endif()
  add_executable(weft_${name}_test ${ARGN})
  target_link_libraries(weft_${name}_test PRIVATE weft_${name})
  weft_add_gtest(weft_${name}_test unit SUITES)
  weft_sanitized(weft_${name}_test)
endfunction()

# What scripts/test builds and runs under the sanitizers, by clang: units, properties, the fuzzers' corpora.
function(weft_sanitized test)
  if(NOT TARGET weft_sanitized_tests)
    add_custom_target(weft_sanitized_tests)
  endif()
  add_dependencies(weft_sanitized_tests ${test})
endfunction()

# What scripts/test builds and runs as users have it, by g++: the program, and everything that is no unit.
function(weft_optimised test)
  if(NOT TARGET weft_optimised_tests)
    add_custom_target(weft_optimised_tests)
  endif()
  add_dependencies(weft_optimised_tests ${test})
endfunction()

# weft_test_group(<name> DEPS <targets...>): all of tests/<name>/*.cc as one executable, its cases labelled <name>.
function(weft_test_group name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${name}/*.cc")
  if(NOT sources)
    return()
  endif()
  add_executable(weft_${name}_group_test ${sources})
  target_include_directories(weft_${name}_group_test PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(weft_${name}_group_test PRIVATE ${arg_DEPS})
  weft_add_gtest(weft_${name}_group_test ${name})
  weft_optimised(weft_${name}_group_test)
  if(name STREQUAL "property")
    weft_sanitized(weft_${name}_group_test)
  endif()
endfunction()

# weft_existing(<out> <targets...>): those of the targets that exist, for folders that use several layers.
function(weft_existing out)
  set(found "")
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      list(APPEND found ${target})
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
