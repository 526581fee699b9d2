# cmake -DPROGRAM=<program> -DARGUMENTS=<list> -DOUTPUT=<file> -P write_output.cmake: what the program prints, as a file.
list(REMOVE_ITEM PROGRAM "")
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_FILE "${OUTPUT}.tmp" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS}: exit status ${status}")
endif()
file(RENAME "${OUTPUT}.tmp" "${OUTPUT}")
