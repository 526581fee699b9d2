# weft_embed_text(<target> FILE <text file> FUNCTION <qualified name> HEADER <include>)
# Adds a generated source to the target that defines `std::string_view FUNCTION()`, the text of FILE; HEADER declares it.
function(weft_embed_text target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;FUNCTION;HEADER" "")
  get_filename_component(name "${arg_FILE}" NAME_WE)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc")
  set(script "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake")
  add_custom_command(
    OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${arg_FILE}" "-DOUTPUT=${generated}" "-DFUNCTION=${arg_FUNCTION}"
            "-DHEADER=${arg_HEADER}" -P "${script}"
    DEPENDS "${arg_FILE}" "${script}"
    COMMENT "Embedding ${arg_FILE}"
    VERBATIM)
  target_sources(${target} PRIVATE "${generated}")
endfunction()
