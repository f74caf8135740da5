# Read by ctest once it knows the single tests: labels, and costs in seconds, so that the longest start first.
foreach(test ${unit_tests_TESTS} ${gpu_tests_TESTS} ${cli_tests_TESTS})
  if(test MATCHES "OfEverySize[.]")
    set_tests_properties(${test} PROPERTIES LABELS every_size TIMEOUT 3600)
  endif()
endforeach()
set_tests_properties(CambiGpuCValues.EqualScalarWithTheirSums FingerprintOnDevice.EqualsTheCpuOnEveryClip PROPERTIES COST 40)
set_tests_properties(CambiGpuExtractor.EqualsTheCpuUnderEveryOption CambiGpuCValues.AreTheSameWithAnyTiles
                     DeviceProgram.PassesTheGate CambiGpuExtractor.EqualsTheCpuOnThinStripsAndOddSizes PROPERTIES COST 20)
