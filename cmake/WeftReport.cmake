# The page of the report: web/ bundled by esbuild into one HTML file, which is embedded into weft. Packages come from the
# npm registry by the lock file, into the build directory; this happens again only when the lock file changes.
find_program(WEFT_NODE NAMES node nodejs)
find_program(WEFT_NPM npm)
if(NOT WEFT_NODE OR NOT WEFT_NPM)
  message(FATAL_ERROR "weft: node and npm are needed for the report; scripts/bootstrap installs them")
endif()

set(WEFT_WEB_DIR "${CMAKE_BINARY_DIR}/web")
set(WEFT_REPORT_PAGE "${WEFT_WEB_DIR}/report_page.html")
set(WEFT_NOTICES "${CMAKE_BINARY_DIR}/THIRD-PARTY-NOTICES.txt")

# weft_report_page(<target>): adds `std::string_view weft::study::report::report_page()` to the target.
function(weft_report_page target)
  set(web "${CMAKE_SOURCE_DIR}/web")
  set(packages "${WEFT_WEB_DIR}/packages.stamp")
  add_custom_command(
    OUTPUT "${packages}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${WEFT_WEB_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${web}/package.json" "${web}/package-lock.json" "${web}/.npmrc" "${WEFT_WEB_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E chdir "${WEFT_WEB_DIR}" "${WEFT_NPM}" ci --ignore-scripts --prefer-offline --loglevel=error
    COMMAND "${CMAKE_COMMAND}" -E touch "${packages}"
    DEPENDS "${web}/package.json" "${web}/package-lock.json" "${web}/.npmrc"
    COMMENT "Installing the packages of the report"
    USES_TERMINAL
    VERBATIM)
  file(GLOB sources CONFIGURE_DEPENDS "${web}/src/*" "${web}/src/*/*"
       "${CMAKE_SOURCE_DIR}/src/study/report/comparison_tables*.cc")
  add_custom_command(
    OUTPUT "${WEFT_REPORT_PAGE}" "${WEFT_NOTICES}"
    COMMAND "${WEFT_NODE}" "${web}/build.mjs" "--packages=${WEFT_WEB_DIR}" "--page=${WEFT_REPORT_PAGE}"
            "--notices=${WEFT_NOTICES}"
    DEPENDS "${packages}" "${web}/build.mjs" ${sources}
    COMMENT "Bundling the report"
    VERBATIM)
  weft_embed_text(${target} FILE "${WEFT_REPORT_PAGE}" FUNCTION weft::study::report::report_page
                  HEADER study/report/report_html.h)
endfunction()
