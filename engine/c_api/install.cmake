# What `cmake --install` places for programs that use the C library.
# Paths are relative to the prefix, wherever that comes to be.
set(libdir ${CMAKE_INSTALL_LIBDIR})
set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH up /${libdir} /)
string(REGEX REPLACE "/$" "" up ${up})
set(version ${PROJECT_VERSION})
set(major ${PROJECT_VERSION_MAJOR})
set(minor ${PROJECT_VERSION_MINOR})
foreach(name cambi.pc cambiConfig.cmake cambiConfigVersion.cmake)
  configure_file(engine/c_api/${name}.in ${CMAKE_BINARY_DIR}/c_api/${name} @ONLY)
endforeach()
install(TARGETS libcambi RUNTIME COMPONENT libcambi0 ARCHIVE COMPONENT libcambi-dev
                         LIBRARY COMPONENT libcambi0 NAMELINK_COMPONENT libcambi-dev)
install(FILES include/cambi/cambi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cambi COMPONENT libcambi-dev)
install(FILES ${CMAKE_BINARY_DIR}/c_api/cambi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libcambi-dev)
install(FILES ${CMAKE_BINARY_DIR}/c_api/cambiConfig.cmake ${CMAKE_BINARY_DIR}/c_api/cambiConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cambi COMPONENT libcambi-dev)
