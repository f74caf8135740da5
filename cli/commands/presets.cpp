#include "cli/commands/presets.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/text.h"

namespace vq::model {
namespace {

constexpr std::string_view kAomVersions[] = {"v1.0", "v2.0", "v3.0", "v4.0", "v5.0", "v6.0", "v7.0"};
constexpr std::string_view kNflxVersions[] = {"v1.0"};

// The place of a version among those that there are.
size_t place_of(const char* flag, const std::string& version, std::span<const std::string_view> versions) {
  const auto found = std::find(versions.begin(), versions.end(), version);
  if (found != versions.end()) return static_cast<size_t>(found - versions.begin());
  std::string all;
  for (const std::string_view known : versions) all += (all.empty() ? "" : ", ") + std::string(known);
  throw Error(ErrorKind::kUsage,
              std::string(flag) + ": unknown version \"" + printable(version) + "\"; there is " + all + ".");
}

}  // namespace

Preset aom_ctc(const std::string& version) {
  const size_t place = place_of("--aom_ctc", version, kAomVersions);
  constexpr size_t kWithCambi = 2, kWithScaleOfSsim = 6;  // from v3.0, and from v7.0 on
  const std::string scale = place >= kWithScaleOfSsim ? "scale=1:" : "";
  Preset preset;
  preset.models = {"version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"};
  preset.features = {"psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede",
                     "float_ssim=" + scale + "enable_db=true:clip_db=true",
                     "float_ms_ssim=enable_db=true:clip_db=true", "psnr_hvs"};
  if (place >= kWithCambi) preset.features.emplace_back("cambi");
  return preset;
}

Preset nflx_ctc(const std::string& version) {
  place_of("--nflx_ctc", version, kNflxVersions);
  Preset preset;
  preset.models = {"version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"};
  preset.features = {"psnr=enable_chroma=true:enable_apsnr=true", "float_ssim=enable_db=true:clip_db=true",
                     "cambi"};
  return preset;
}

}  // namespace vq::model
