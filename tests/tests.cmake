# The programs of the tests, the fuzz targets and the benchmarks, and the tests of CTest.

# add_program(NAME LIBRARIES LIBRARY... [KINDS KIND...] [HEADERS PROGRAM] [AFTER TARGET...] [TESTS | LATER] [CARRIED])
# A program of the sources that tests/sources.txt marks with its name, with one of the kinds, or with the name and something that this
# build has or lacks (NAME_vulkan).
# HEADERS  the program whose precompiled headers it uses, possibly itself
# AFTER    what it needs when it runs, as far as this build has it
# TESTS    CTest runs its tests, in eight processes
# LATER    it is built only if it is asked for
# CARRIED  it finds libraries beside it, if it was carried to another machine
function(add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 its "TESTS;LATER;CARRIED" "HEADERS" "LIBRARIES;KINDS;AFTER")
  list(TRANSFORM KINDS PREPEND ${name}_ OUTPUT_VARIABLE kinds)
  read_sources(sources tests/sources.txt ${name} ${its_KINDS} ${kinds})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${its_LIBRARIES})
  if(its_HEADERS STREQUAL name)
    target_precompile_headers(${name} PRIVATE <tests/support/test.h>)
  elseif(its_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${its_HEADERS})
  endif()
  foreach(target ${its_AFTER})
    if(TARGET ${target})
      add_dependencies(${name} ${target})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ${its_LATER} BUILD_RPATH "$<$<BOOL:${its_CARRIED}>:$ORIGIN>")
  if(its_TESTS OR its_LATER)
    # Tests run for less time than -O3 takes to compile them, those of the program for less than -O1.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O$<NOT:$<STREQUAL:${its_HEADERS},cli_tests>>>)
  endif()
  if(its_TESTS)
    # A process for each test would take longer to start than most tests, and compile shaders for each that uses a device.
    foreach(shard RANGE 7)
      add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_brief=1 --gtest_filter=-*OfEverySize*:*EveryCall*/*)
      set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT 1800 COST 150 ENVIRONMENT
                           "GTEST_TOTAL_SHARDS=8;GTEST_SHARD_INDEX=${shard}")
    endforeach()
    # These take a software device hours. GoogleTest's names: values of parameters would be printed as bytes, with addresses that change.
    gtest_discover_tests(${name} TEST_FILTER *OfEverySize* DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                         PROPERTIES LABELS every_size TIMEOUT 3600)
  endif()
endfunction()

# add_check(NAME SCRIPT [ARGUMENT...] [PROPERTIES NAME VALUE...]): a test that runs tests/SCRIPT; Python's by the interpreter that
# Debian's python3-jsonschema and python3-numpy are installed for.
function(add_check name script)
  cmake_parse_arguments(PARSE_ARGV 2 its "" "" "PROPERTIES")
  set(python)
  if(script MATCHES "[.]py$")
    set(python /usr/bin/python3 -B)
  endif()
  add_test(NAME ${name} COMMAND ${python} ${CMAKE_SOURCE_DIR}/tests/${script} ${its_UNPARSED_ARGUMENTS})
  if(its_PROPERTIES)
    set_tests_properties(${name} PROPERTIES ${its_PROPERTIES})
  endif()
endfunction()
set(top ${CMAKE_SOURCE_DIR})
set(cambi $<TARGET_FILE:cambi>)

set(whole vq_c_api vq_libvmaf vq_cli PkgConfig::FFMPEG)
if(CAMBI_FUZZ)
  add_program(fuzz_feature_targets CARRIED KINDS fuzz_features LIBRARIES -fsanitize=fuzzer vq_c_api vq_libvmaf)
  if(CAMBI_CLI)
    add_program(fuzz_targets KINDS fuzz_program fuzz_features LIBRARIES -fsanitize=fuzzer ${whole})
  endif()
endif()
if(NOT CAMBI_TESTS)
  return()
endif()

if(WIN32)
  # What starts the program or makes calls fail is for Linux, and starts the program for Windows there: see `./check windows`.
  list(REMOVE_ITEM KINDS program vulkan)
endif()
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)
# The tests themselves are not hardened.
get_directory_property(options COMPILE_OPTIONS)
list(REMOVE_ITEM options ${HARDENING} "")
set_directory_properties(PROPERTIES COMPILE_OPTIONS "${options}")

# Stand in for calls of the system and of Vulkan. The first must not be instrumented: it is loaded before the sanitizers.
foreach(module failing_calls misbehaving_decoder failing_vulkan)
  if(NOT WIN32 AND ((CAMBI_VULKAN AND module MATCHES vulkan) OR (CAMBI_CLI AND NOT module MATCHES vulkan)))
    read_sources(sources tests/sources.txt ${module})
    add_library(${module} MODULE ${sources})
    set_target_properties(${module} PROPERTIES UNITY_BUILD OFF CXX_VISIBILITY_PRESET default)
    if(module MATCHES vulkan)
      target_include_directories(${module} SYSTEM PRIVATE ${VULKAN_INCLUDE})
      # It counts calls, or acts when the process ends, whether or not the loader keeps it until then.
      target_link_options(${module} PRIVATE -Wl,-z,nodelete)
    endif()
  endif()
endforeach()

# Only these sources hold absolute paths, so that the other objects are the same in each checkout.
set_source_files_properties(tests/support/paths.cpp PROPERTIES COMPILE_DEFINITIONS "TESTDATA_DIR=\"${CMAKE_SOURCE_DIR}/testdata\";\
CAMBI_PROGRAM=\"$<TARGET_FILE:cambi>\";FAILING_CALLS=\"$<TARGET_FILE:failing_calls>\";\
FAILING_VULKAN=\"$<$<TARGET_EXISTS:failing_vulkan>:$<TARGET_FILE:failing_vulkan>>\"")
set_source_files_properties(tests/support/leaving_driver.cpp PROPERTIES COMPILE_DEFINITIONS
                            "FAILING_VULKAN=\"$<TARGET_FILE:failing_vulkan>\"")

set(gtest GTest::gmock GTest::gtest_main)
# Free of FFmpeg, so that it runs on systems without.
add_program(unit_tests TESTS HEADERS unit_tests LIBRARIES ${gtest} vq_engine)
if(CAMBI_VULKAN)
  # Needs a Vulkan device; a software one will do. Free of FFmpeg.
  add_program(gpu_tests TESTS CARRIED HEADERS unit_tests LIBRARIES ${gtest} vq_engine)
  add_shaders(gpu_tests tests/sources.txt shader)
  add_check(float_proof vulkan/float_proof_test.py ${GLSLANG} ${top})
  add_check(other_compilers vulkan/other_compilers_test.py ${CMAKE_BINARY_DIR} ${top})
endif()
if(CAMBI_LIBRARY)
  # Sees what users of the library do.
  add_program(c_api_tests TESTS LIBRARIES ${gtest} libcambi AFTER cambi failing_vulkan)
  target_compile_options(c_api_tests PRIVATE -Wno-missing-field-initializers)  # structs are set as in C
  foreach(threads RANGE 1)  # each alone in a process, as it counts the blocks of memory in use
    add_test(NAME c_api_states_${threads} COMMAND c_api_tests --gtest_filter=*EveryCall*/${threads})
  endforeach()
  enable_language(C)
  add_executable(score_y4m docs/examples/score_y4m.c)
  target_link_libraries(score_y4m PRIVATE libcambi)
endif()
if(CAMBI_LIBVMAF)
  # Uses the library as programs do, by its interface alone.
  add_program(libvmaf_tests TESTS LIBRARIES ${gtest} libvmaf AFTER failing_vulkan)
  # Callbacks of programs in C have no types that the library could compare with its own.
  target_compile_options(libvmaf_tests PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  add_check(libvmaf_symbols libvmaf/symbols_test.py $<TARGET_FILE:libvmaf> ${top}/engine/libvmaf/exports.map)
endif()
if(CAMBI_LIBRARY AND CAMBI_LIBVMAF)
  # Contexts of both in one process. A sanitizer's heap is not the one that it looks at.
  add_program(context_soak LIBRARIES libcambi libvmaf)
  add_test(NAME context_soak COMMAND context_soak seconds 5)
  add_test(NAME context_soak_long COMMAND context_soak contexts 10000)
  set_tests_properties(context_soak_long PROPERTIES LABELS every_size TIMEOUT 7200)
endif()
if(WIN32)
  return()
endif()
if(CAMBI_CLI)
  add_program(cli_tests TESTS HEADERS cli_tests KINDS fuzz_program fuzz_features LIBRARIES ${gtest} cli_bench ${whole}
              ${CAMBI_HTML_LIBRARIES} AFTER cambi cambi-bench docs failing_calls misbehaving_decoder failing_vulkan)
  target_precompile_headers(cli_tests PRIVATE <nlohmann/json.hpp> <regex>)
  # Alone in a process: see expect_peak_below().
  add_test(NAME bombs COMMAND cli_tests --gtest_filter=BadInputFile.Bombs)
  # Reads files that are cut or damaged, in the process of the tests: `./check` runs it under sanitizers.
  add_program(damaged_input_tests LATER HEADERS cli_tests KINDS fuzz_program fuzz_features LIBRARIES ${gtest} ${whole})
  # `./check --all` runs them, in one build.
  add_program(long_tests LATER HEADERS cli_tests LIBRARIES ${gtest} vq_cli AFTER cambi failing_calls)
  if(NOT CAMBI_VULKAN)
    # What a program that lacks more than that refuses: see `./check reduced`.
    add_program(reduced_tests TESTS LIBRARIES ${gtest} vq_cli AFTER cambi failing_calls)
  else()
    add_program(golden_on_device CARRIED LIBRARIES vq_feature nlohmann_json::nlohmann_json)
  endif()
endif()

if(CAMBI_LIBRARY AND CAMBI_CLI)
  add_check(c_api_example c_api/example_test.sh $<TARGET_FILE:score_y4m> ${cambi} ${top})
  add_check(c_api_snippets c_api/snippets_test.py $<TARGET_FILE:libcambi> ${top} ${CMAKE_CXX_COMPILER})
  # Recorded from what g++ says of types.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_check(c_api_abi c_api/abi_test.py $<TARGET_FILE:libcambi> ${top} ${CMAKE_CXX_COMPILER})
  endif()
  if(CAMBI_PYTHON)
    foreach(what compare package run score)
      add_check(python_${what} python/${what}_test.py PROPERTIES ENVIRONMENT "CAMBI_LIBRARY=$<TARGET_FILE:libcambi>;CAMBI_PROGRAM=${cambi}")
    endforeach()
  endif()
endif()
if(NOT CAMBI_CLI)
  return()
endif()

foreach(what report plan comparison bench search)
  add_check(${what}_schema cli/reports/schema_test.py ${what} ${cambi} ${top})
endforeach()
add_check(info_schema cli/commands/validate_info.py ${cambi} ${top})
add_check(bjontegaard_figures cli/reports/bjontegaard_test.py ${cambi})
add_check(submit cluster/submit_test.py ${cambi})
add_check(measure bench/measure.py stages ${cambi} --frames 1 --only "(cambi/ramp|psnr/film)/1080p/10/scalar")
foreach(what INCLUDES SOURCES NAMES OPTIONS HEADERS)
  add_check(structure_${what} structure_test.py ${what} ${top} ${CMAKE_CXX_COMPILER})
endforeach()
set_tests_properties(structure_HEADERS PROPERTIES LABELS long)  # a compiler's run for each header

if(CAMBI_VULKAN)
  # By a program that is not instrumented: what they find does not depend on it.
  set(golden program/golden_on_device.sh $<TARGET_FILE:golden_on_device> ${top})
  # Half of the small cases, each on one of the two backends, of which the stages on the device are nearly all the same.
  add_check(golden_on_device_hybrid ${golden} cambi --validate --backends hybrid --most 130000 --part 0/4 PROPERTIES TIMEOUT 1500 COST 120)
  add_check(golden_on_device_vulkan ${golden} cambi --validate --backends vulkan --most 130000 --part 1/4 PROPERTIES TIMEOUT 1500 COST 120)
  # These take a software device many minutes.
  set(long PROPERTIES LABELS every_size TIMEOUT 7200 COST 120)
  foreach(metric cambi adm bounds fidelity histogram motion speed vif xpsnr)
    string(REPLACE cambi every_size sizes ${metric})
    add_check(golden_on_device_${sizes} ${golden} ${metric} --validate ${long})
    if(metric STREQUAL motion)  # has no small case
      continue()
    endif()
    foreach(width 128 512)  # software with subgroups of 4 and of 16; other tests have it with 8
      add_check(golden_on_device_${metric}_${width} ${golden} ${metric} --most 130000 ${long} ENVIRONMENT LP_NATIVE_VECTOR_WIDTH=${width})
    endforeach()
  endforeach()
  foreach(metric adm cambi fidelity speed vif)
    add_check(golden_on_bad_device_${metric} ${golden} ${metric} --backends vulkan --most 130000 ${long}
              ENVIRONMENT BAD_DEVICE=$<TARGET_FILE:failing_vulkan>)
  endforeach()
endif()

# Faults in whole runs: a few of each kind, and all of them in `./check --all`. See docs/reliability.md. Rows of devices and caches
# start a software device for each fault, which takes minutes.
set(faults reliability/faults_test.py ${CMAKE_BINARY_DIR})
set(rows decoders disks memory signals states)
foreach(row ${rows})
  add_check(faults_${row} ${faults} ${row})
endforeach()
if(CAMBI_VULKAN)
  list(APPEND rows caches devices memory_on_device)
endif()
foreach(row ${rows})
  add_check(all_faults_${row} ${faults} ${row} --whole PROPERTIES LABELS faults TIMEOUT 7200)
endforeach()

foreach(program slurmctld slurmd sbatch munged dpkg-shlibdeps meson chromium chromedriver firefox-esr)
  find_program(HAS_${program} ${program} PATHS /usr/sbin)
endforeach()
# On a Slurm that the tests start themselves.
if(HAS_slurmctld AND HAS_slurmd AND HAS_sbatch AND HAS_munged)
  add_check(cluster_catalogue cluster/catalogue_test.py ${cambi} PROPERTIES LABELS cluster TIMEOUT 600)
  foreach(fault node_killed process_killed process_always_killed controller_restarted full_disk twice_at_once truncated_title
          replaced_input)
    add_check(cluster_${fault} cluster/faults_test.py ${cambi} ${fault} PROPERTIES LABELS cluster TIMEOUT 600)
  endforeach()
endif()

if(HARDENING)
  foreach(target cambi cambi-bench libcambi libvmaf)
    if(TARGET ${target})
      list(APPEND hardened $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  add_check(hardening program/hardening_test.py ${hardened})
endif()
if(HAS_dpkg-shlibdeps)
  add_check(package program/package_test.sh ${CMAKE_BINARY_DIR} ${top} PROPERTIES LABELS package TIMEOUT 300)
endif()
if(CMAKE_BINARY_DIR STREQUAL "${top}/build/release")
  add_check(install program/install_test.sh ${top} PROPERTIES LABELS package TIMEOUT 900)
endif()
if(HAS_meson AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_check(installed_files program/installed_files_test.py ${CMAKE_BINARY_DIR} ${HAS_meson} PROPERTIES TIMEOUT 300)
endif()
if(CAMBI_HAS_HTML AND EXISTS ${top}/build/npm_tests/node_modules/axe-core/axe.min.js)
  foreach(browser chromium firefox)
    if((browser STREQUAL firefox AND HAS_firefox-esr) OR (browser STREQUAL chromium AND HAS_chromium AND HAS_chromedriver))
      add_check(pages_in_${browser} cli/pages/page_browser_test.py ${cambi} ${browser} PROPERTIES LABELS browser TIMEOUT 900)
    endif()
  endforeach()
endif()
