#include "feature/psnr_hvs/options.h"

namespace vq::psnr_hvs {

std::span<const OptionSpec> option_specs() {
  return {};
}

std::vector<std::string> metric_names() {
  return {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
}

}  // namespace vq::psnr_hvs
