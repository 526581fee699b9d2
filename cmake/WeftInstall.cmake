# weft_install(<program> MANUAL <docs/manual.md>)
# What `cmake --install` puts in place: the program, its manual pages in sections 1 and 5, completion for bash and zsh.
# The program itself writes pages and scripts, of the texts that are embedded in it, as part of the default build.
include(GNUInstallDirs)

# weft_written(<output> <argument>...): a file with what the program prints.
function(weft_written output)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:weft>"
            "-DARGUMENTS=${ARGN}" -P "${CMAKE_SOURCE_DIR}/cmake/write_output.cmake"
    DEPENDS weft "${CMAKE_SOURCE_DIR}/cmake/write_output.cmake"
    COMMENT "Writing ${output}"
    VERBATIM)
endfunction()

function(weft_install program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANUAL" "")
  install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/install")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_MANUAL}")
  file(STRINGS "${arg_MANUAL}" headings REGEX "^## ")
  set(pages "${folder}/weft.1" "${folder}/weft-scenario.5")
  weft_written("${folder}/weft.1" help --man)
  weft_written("${folder}/weft-scenario.5" help scenario --man)
  foreach(heading ${headings})
    string(SUBSTRING "${heading}" 3 -1 name)
    weft_written("${folder}/weft-${name}.1" help ${name} --man)
    list(APPEND pages "${folder}/weft-${name}.1")
  endforeach()
  set(scripts "${folder}/weft.bash" "${folder}/_weft")
  weft_written("${folder}/weft.bash" completion bash)
  weft_written("${folder}/_weft" completion zsh)
  add_custom_target(weft_pages ALL DEPENDS ${pages} ${scripts})
  foreach(page ${pages})
    string(REGEX REPLACE "^.*\\." "" section "${page}")
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
  endforeach()
  install(FILES "${folder}/weft.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME weft)
  install(FILES "${folder}/_weft" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
endfunction()
