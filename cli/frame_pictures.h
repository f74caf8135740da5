// Pictures of single frames, kept during a run for the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vq::cli {

struct FramePicture {
  int64_t frame;
  std::optional<double> timestamp;
  double score;
  std::string thumbnail_png;
  std::string plain_png;
  std::string overlay_png;
};  // PNG file bytes, empty where absent

}  // namespace vq::cli
