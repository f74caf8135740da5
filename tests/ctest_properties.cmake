# Read by ctest once it knows the single tests: labels, and costs in seconds, so that the longest start first.
set_tests_properties(CambiGpuCValuesOfEverySize.AreTheSameWithAnyTiles PROPERTIES LABELS every_size)
set_tests_properties(AdmGoldenOfEverySize.EqualsTheReferenceOnEveryInstructionSet PROPERTIES LABELS every_size)
set_tests_properties(AdmGoldenOnDeviceOfEverySize.EqualsTheReference PROPERTIES LABELS every_size)
set_tests_properties(Ssimulacra2GoldenOfEverySize.PicturesHaveTheirScores PROPERTIES LABELS every_size)
set_tests_properties(MotionGoldenOfEverySize.EqualsTheReferenceOnEveryInstructionSet PROPERTIES LABELS every_size)
set_tests_properties(MotionGoldenOnDeviceOfEverySize.EqualsTheReference PROPERTIES LABELS every_size)
set_tests_properties(GateOfEverySize.EveryFeatureAloneOnEveryPairOfDepths GateOfEverySize.EveryFeatureAloneOnEverySize
                     GateOfEverySize.EveryOptionOfEveryFeature GateOfEverySize.SeveralFeaturesInOneRun
                     GateOfEverySize.TheValidationLayerIsContent RunGateOfEverySize.ReportsOfAllBackendsAreTheSame
                     RunGateOfEverySize.LesserDevicesFindTheSame RunGateOfEverySize.DevicesThatLackTooMuchAreRefused
                     BadDeviceOfEverySize.ASmallDeviceScoresTheSame BadDeviceOfEverySize.TheCpuTakesOverFromALostDevice
                     BadDeviceOfEverySize.ADeviceThatHangsIsLeftToItself
                     PROPERTIES LABELS every_size TIMEOUT 3600)
set_tests_properties(VifGoldenOfEverySize.EqualsTheReferenceOnEveryInstructionSet PROPERTIES LABELS every_size)
set_tests_properties(VifGoldenOnDeviceOfEverySize.EqualsTheReference PROPERTIES LABELS every_size TIMEOUT 3600)
set_tests_properties(SpeedGoldenOfEverySize.EqualsTheReference PsnrHvsGoldenOfEverySize.EqualsTheReference
                     SpeedGoldenOnDeviceOfEverySize.EqualsTheReference
                     PsnrHvsGoldenOnDeviceOfEverySize.EqualsTheReference PROPERTIES LABELS every_size)
set_tests_properties(SsimGoldenOfEverySize.EqualsTheReference PROPERTIES LABELS every_size)
set_tests_properties(ButteraugliGoldenOfEverySize.IsCloseToTheReference PROPERTIES LABELS every_size)
set_tests_properties(ButteraugliGoldenOnDeviceOfEverySize.IsWhatTheCpuScores PROPERTIES LABELS every_size TIMEOUT 3600)
set_tests_properties(XpsnrGoldenOfEverySize.EqualsTheFilterOnEveryInstructionSet
                     XpsnrGoldenOnDeviceOfEverySize.EqualsTheFilter PROPERTIES LABELS every_size)
set_tests_properties(SsimGoldenOnDeviceOfEverySize.EqualsTheReference MsSsimGoldenOnDeviceOfEverySize.EqualsTheReference
                     PROPERTIES LABELS every_size TIMEOUT 3600)
set_tests_properties(CiedeGoldenOfEverySize.EqualsTheReference CiedeGoldenOnDeviceOfEverySize.EqualsTheReference
                     PROPERTIES LABELS every_size)
set_tests_properties(ModelsGoldenOfEverySize.EqualTheReference PROPERTIES LABELS every_size TIMEOUT 3600)
foreach(test IN ITEMS
    40:CambiGpuCValues.EqualScalarWithTheirSums
    40:FingerprintOnDevice.EqualsTheCpuOnEveryClip
    20:CambiGpuExtractor.EqualsTheCpuUnderEveryOption
    20:CambiGpuCValues.AreTheSameWithAnyTiles
    18:DeviceProgram.PassesTheGate
    16:CambiGpuExtractor.EqualsTheCpuOnThinStripsAndOddSizes)
  string(REPLACE ":" ";" test ${test})
  list(GET test 0 seconds)
  list(GET test 1 name)
  set_tests_properties(${name} PROPERTIES COST ${seconds})
endforeach()
