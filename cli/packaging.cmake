# What `cmake --install` places besides the program, and the Debian packages that `cpack -G DEB` makes: of the program, of its
# libraries and of the Python package.

# The manual page and the completions, from the program's help. Where that cannot run, as cross-built without an emulator,
# another program of the same version gives it.
set(CAMBI_NATIVE cambi CACHE STRING "The program whose help becomes the manual page")
set(DOCS ${CMAKE_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${DOCS})
add_custom_command(OUTPUT ${DOCS}/cambi.1 ${DOCS}/cambi ${DOCS}/_cambi COMMAND ${CAMBI_NATIVE} help --json > ${DOCS}/help.json
                   COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/docs/make_docs.py ${DOCS}/help.json ${DOCS}
                   DEPENDS ${CAMBI_NATIVE} docs/make_docs.py docs/cambi.1.in docs/cambi.bash.in docs/_cambi.in VERBATIM)
add_custom_target(docs ALL DEPENDS ${DOCS}/cambi.1 ${DOCS}/cambi ${DOCS}/_cambi)

install(TARGETS cambi cambi-bench)
if(NOT WIN32)
  install(PROGRAMS scripts/cambi-submit TYPE BIN)
  # The name by which scripts of libvmaf's tool call it, beside its own and never over another's. A package leaves that to the
  # system's alternatives.
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/vmaf\")
    if(NOT EXISTS \"\${link}\" AND NOT IS_SYMLINK \"\${link}\" AND NOT link MATCHES _CPack_Packages)
      message(STATUS \"Installing: \${link}\")
      file(CREATE_LINK cambi \"\${link}\" SYMBOLIC)
    endif()
  ")
endif()
install(FILES ${DOCS}/cambi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# Documents link to each other as in the source tree.
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
read_sources(DOCUMENTS docs/installed.txt)
install(FILES ${DOCUMENTS} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES engine/models/files/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME models.copyright)
install(FILES ${DOCS}/cambi DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Debian's zsh looks elsewhere for what packages bring.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
    set(folder vendor-completions)
  endif()
  get_filename_component(data \"${CMAKE_INSTALL_DATADIR}\" ABSOLUTE BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
  file(INSTALL \"${DOCS}/_cambi\" DESTINATION \"\${data}/zsh/\${folder}\")
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cambi)
set(CPACK_PACKAGE_VENDOR "The cambi authors")
set(CPACK_PACKAGE_CONTACT "The cambi authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures video quality: VMAF, PSNR, SSIMULACRA 2, banding")
set(CPACK_PACKAGE_DESCRIPTION
    "cambi scores every frame of a video with CAMBI, the Contrast-Aware Multiscale Banding Index, and with PSNR and VMAF
 against a reference. It reads whatever FFmpeg reads, shows where the banding is, and takes the command line of libvmaf's vmaf tool.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# FFmpeg's libraries are opened while running. Debian names packages after a library and the version of its interface.
foreach(library libavformat libavcodec libavutil)
  string(REGEX MATCH "^[0-9]+" major "${FFMPEG_${library}_VERSION}")
  list(APPEND FFMPEG_PACKAGES ${library}${major})
endforeach()
list(JOIN FFMPEG_PACKAGES ", " CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.11)")  # for cambi-submit
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libvulkan1, mesa-vulkan-drivers")  # opened while running, where there is one
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cli/debian/postinst ${CMAKE_SOURCE_DIR}/cli/debian/prerm)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME cambi)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
# describe_package(COMPONENT NAME SECTION RECOMMENDS DESCRIPTION)
macro(describe_package component name section recommends description)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${component}_PACKAGE_RECOMMENDS "${recommends}")
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${description}")
endmacro()
if(CAMBI_LIBVMAF)
  describe_package(LIBVMAF libvmaf3-cambi libs ""
                   "libvmaf.so.3 for FFmpeg and other programs, in libvmaf's place and with the figures of libvmaf 3.2.")
  set(CPACK_DEBIAN_LIBVMAF_PACKAGE_PROVIDES "libvmaf3 (= 3.2.0), libvmaf-dev (= 3.2.0)")
  set(CPACK_DEBIAN_LIBVMAF_PACKAGE_CONFLICTS "libvmaf3, libvmaf-dev")
  set(CPACK_DEBIAN_LIBVMAF_PACKAGE_REPLACES "libvmaf3, libvmaf-dev")
  set(CPACK_DEBIAN_LIBVMAF_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cli/debian/triggers)
endif()
if(CAMBI_LIBRARY)
  describe_package(LIBCAMBI0 libcambi0 libs ""
                   "The C library of cambi: video quality of pictures in memory, on the CPU and on any Vulkan GPU.")
  set(CPACK_DEBIAN_LIBCAMBI0_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cli/debian/triggers)
  describe_package(LIBCAMBI-DEV libcambi-dev libdevel "" "Header, pkg-config file and CMake configuration of cambi's C library.")
  set(CPACK_DEBIAN_LIBCAMBI-DEV_PACKAGE_DEPENDS "libcambi0 (= ${PROJECT_VERSION})")
endif()
if(CAMBI_PYTHON AND CAMBI_LIBRARY)
  describe_package(PYTHON python3-cambi python "python3-numpy, cambi"
                   "Video quality in Python: scores files and NumPy arrays, over cambi's C library.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), libcambi0 (= ${PROJECT_VERSION})")
endif()
set(CPACK_STRICT_DIRECTORY_PERMISSIONS ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# The tarball that `cpack --config CPackSourceConfig.cmake` makes: the tree without what git ignores.
set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION})
string(REGEX REPLACE "([[+.*?()$|])" "[\\1]" TOP "${CMAKE_SOURCE_DIR}")
string(REGEX REPLACE "([[+.*?()$|])" "[\\1]" BUILD_FOLDER "${CMAKE_BINARY_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${BUILD_FOLDER}/" "^${TOP}/build[^/]*/" "^${TOP}/\\.git(/|$|ignore$)" "^${TOP}/\\.cache/"
    "^${TOP}/compile_commands\\.json$" "^${TOP}/cambi-report\\.json$" "^${TOP}/.*/__pycache__/")
include(CPack)
