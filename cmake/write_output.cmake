# cmake -DPROGRAM=<program> -DARGUMENTS=<list> -DOUTPUT=<file> -P write_output.cmake: what the program prints, as a file.
cmake_policy(SET CMP0007 NEW)  # empty elements of a list count
list(REMOVE_ITEM PROGRAM "")
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_FILE "${OUTPUT}.tmp" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS}: exit status ${status}")
endif()
file(RENAME "${OUTPUT}.tmp" "${OUTPUT}")
