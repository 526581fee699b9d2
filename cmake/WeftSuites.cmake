# Read by ctest before it runs tests: registers each suite of one gtest executable as a test. A process for each suite,
# not for each test: under the sanitizers one takes longer to start than most unit tests take to run.
#   WEFT_EXECUTABLE  the executable
#   WEFT_TARGET      its target, which names the test that fails when it was not built
#   WEFT_LABEL       the label of its tests

if(NOT EXISTS "${WEFT_EXECUTABLE}")
  add_test("${WEFT_TARGET}_NOT_BUILT" "${WEFT_TARGET}_NOT_BUILT")
  set_tests_properties("${WEFT_TARGET}_NOT_BUILT" PROPERTIES LABELS "${WEFT_LABEL}")
  return()
endif()

# The list is made anew when the executable is newer.
set(weft_list "${WEFT_EXECUTABLE}.suites")
if(NOT EXISTS "${weft_list}" OR "${WEFT_EXECUTABLE}" IS_NEWER_THAN "${weft_list}")
  execute_process(COMMAND "${WEFT_EXECUTABLE}" --gtest_list_tests OUTPUT_FILE "${weft_list}.new"
                  RESULT_VARIABLE weft_result TIMEOUT 60)
  if(NOT weft_result EQUAL 0)
    message(FATAL_ERROR "${WEFT_EXECUTABLE} --gtest_list_tests ends with ${weft_result}")
  endif()
  file(RENAME "${weft_list}.new" "${weft_list}")
endif()

# "study.Torus": suites of two layers may have the same name.
string(REGEX REPLACE "^weft_|_test$" "" weft_layer "${WEFT_TARGET}")
file(STRINGS "${weft_list}" weft_lines REGEX "^[A-Za-z0-9_/]+\\.")
foreach(weft_line IN LISTS weft_lines)
  string(REGEX REPLACE "\\..*$" "" weft_suite "${weft_line}")
  add_test("${weft_layer}.${weft_suite}" "${WEFT_EXECUTABLE}" "--gtest_filter=${weft_suite}.*" --gtest_brief=1)
  set(weft_cost 0)
  if(weft_suite MATCHES "/")
    set(weft_cost 1)  # of many values: those begin, so that none is alone at the end
  endif()
  set_tests_properties("${weft_layer}.${weft_suite}" PROPERTIES LABELS "${WEFT_LABEL}" ENVIRONMENT "WEFT_CACHE="
                       COST ${weft_cost} TIMEOUT 1200)
endforeach()
