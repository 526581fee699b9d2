# Run with cmake -P: writes OUTPUT, a C++ source that defines FUNCTION (declared in HEADER) to return the text of INPUT.
file(READ "${INPUT}" text)
string(FIND "${text}" ")embedded\"" terminator)
if(NOT terminator EQUAL -1)
  message(FATAL_ERROR "${INPUT} contains the end mark of the raw string that is to hold it")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

std::string_view ${FUNCTION}() { return R\"embedded(${text})embedded\"; }
")
