# Read by ctest once it knows the single tests: labels, and costs in seconds, so that the longest start first.
set_tests_properties(CambiGpuCValuesOfEverySize.AreTheSameWithAnyTiles PROPERTIES LABELS every_size)
