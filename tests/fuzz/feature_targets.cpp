#include "tests/fuzz/target.h"

namespace vq::fuzz {

std::span<const Target> feature_targets() {
  using Bytes = std::span<const uint8_t>;
  static constexpr Target kTargets[] = {
      {"adm", [](Bytes bytes) { run_pair("adm", bytes); }},
      {"butteraugli", [](Bytes bytes) { run_pair("butteraugli", bytes); }},
      {"c_api", run_c_api},
      {"cambi", run_cambi},
      {"ciede", [](Bytes bytes) { run_pair("ciede", bytes); }},
      {"float_ms_ssim", [](Bytes bytes) { run_pair("float_ms_ssim", bytes); }},
      {"float_ssim", [](Bytes bytes) { run_pair("float_ssim", bytes); }},
      {"libvmaf", run_libvmaf},
      {"motion", [](Bytes bytes) { run_pair("motion", bytes); }},
      {"psnr", [](Bytes bytes) { run_pair("psnr", bytes); }},
      {"psnr_hvs", [](Bytes bytes) { run_pair("psnr_hvs", bytes); }},
      {"speed_chroma", [](Bytes bytes) { run_pair("speed_chroma", bytes); }},
      {"speed_temporal", [](Bytes bytes) { run_pair("speed_temporal", bytes); }},
      {"ssimulacra2", [](Bytes bytes) { run_pair("ssimulacra2", bytes); }},
      {"vif", [](Bytes bytes) { run_pair("vif", bytes); }},
      {"xpsnr", [](Bytes bytes) { run_pair("xpsnr", bytes); }},
  };
  return kTargets;
}

}  // namespace vq::fuzz
