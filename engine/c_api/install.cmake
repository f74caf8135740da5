# What `cmake --install` places for programs that use the C library. Paths are relative to the prefix, wherever that comes to be.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR} /)
string(REGEX REPLACE "/$" "" up ${up})
foreach(name cambi.pc cambiConfig.cmake cambiConfigVersion.cmake)
  configure_file(engine/c_api/${name}.in ${CMAKE_BINARY_DIR}/c_api/${name} @ONLY)
endforeach()
install(TARGETS libcambi RUNTIME COMPONENT libcambi0 ARCHIVE COMPONENT libcambi-dev
                         LIBRARY COMPONENT libcambi0 NAMELINK_COMPONENT libcambi-dev)
install(FILES include/cambi/cambi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cambi COMPONENT libcambi-dev)
install(FILES ${CMAKE_BINARY_DIR}/c_api/cambi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libcambi-dev)
install(FILES ${CMAKE_BINARY_DIR}/c_api/cambiConfig.cmake ${CMAKE_BINARY_DIR}/c_api/cambiConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cambi COMPONENT libcambi-dev)
