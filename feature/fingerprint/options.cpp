#include "feature/fingerprint/options.h"

#include <algorithm>

namespace vq::fingerprint {
namespace {

constexpr std::string_view kPlanes[] = {"y", "all"};

// Fingerprints of other planes are other figures, so they have other names.
constexpr OptionSpec kSpecs[] = {
    {.name = "planes",
     .kind = OptionKind::kChoice,
     .default_text = "y",
     .choices = kPlanes,
     .help = "planes that the fingerprint depends on: luma, or chroma as well"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

int used_planes(const OptionSet& set, int picture_planes) {
  return set.get_text("planes") == "all" ? picture_planes : std::min(picture_planes, 1);
}

std::vector<std::string> metric_names(const OptionSet& set) {
  return {set.metric_name("fingerprint_repeated"), set.metric_name("fingerprint_repeat_run")};
}

std::vector<std::string> text_names(const OptionSet& set) {
  return {set.metric_name("fingerprint")};
}

}  // namespace vq::fingerprint
