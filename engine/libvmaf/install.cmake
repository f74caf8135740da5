# Where the library that takes libvmaf's place is installed: in a folder of its own, never over a distribution's files.
include(GNUInstallDirs)
set(CAMBI_LIBVMAF_FOLDER ${CMAKE_INSTALL_LIBDIR}/cambi/libvmaf)
install(TARGETS libvmaf LIBRARY DESTINATION ${CAMBI_LIBVMAF_FOLDER} COMPONENT libvmaf NAMELINK_COMPONENT libvmaf)
install(FILES engine/libvmaf/libvmaf.pc DESTINATION ${CAMBI_LIBVMAF_FOLDER}/pkgconfig COMPONENT libvmaf)
install(DIRECTORY include/libvmaf DESTINATION ${CAMBI_LIBVMAF_FOLDER}/include COMPONENT libvmaf)
