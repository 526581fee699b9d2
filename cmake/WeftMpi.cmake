# Whether weft runs over the ranks of mpirun (src/cluster/): with Open MPI, if it is there, or as WEFT_MPI says.
set(WEFT_MPI AUTO CACHE STRING "Runs on many machines by MPI: ON, OFF, or AUTO for wherever Open MPI is found")
set_property(CACHE WEFT_MPI PROPERTY STRINGS AUTO ON OFF)

# What src/cluster/ is linked with, and which of its files this build does without.
set(WEFT_MPI_LIBRARIES "")
set(WEFT_MPI_EXCLUDED ranks_mpi.cc)
if(NOT WEFT_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "weft: WEFT_MPI is '${WEFT_MPI}'; one of AUTO, ON, OFF")
endif()
# FindMPI asks the compiler wrappers of the machine that builds.
if(WEFT_MPI STREQUAL "ON" OR (WEFT_MPI STREQUAL "AUTO" AND NOT CMAKE_CROSSCOMPILING))
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(WEFT_MPI_LIBRARIES MPI::MPI_C)
    set(WEFT_MPI_EXCLUDED ranks_none.cc)
  elseif(WEFT_MPI STREQUAL "ON")
    message(FATAL_ERROR "weft: WEFT_MPI=ON, but no MPI was found; on Debian: libopenmpi-dev and openmpi-bin")
  endif()
endif()
message(STATUS "weft: MPI: ${WEFT_MPI_LIBRARIES}")
