// What the built-in models are for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/frame.h"

namespace vq::model {

struct CatalogueEntry {
  std::string_view model = {};
  int lines = 0;         // of the display
  double distance = 0;   // of the viewer, in heights of the picture
  bool is_fast = false;  // for 50 and 60 frames a second
  bool is_v1 = false;
  std::string_view purpose = {};
};

// In the order in which people should see them.
std::span<const CatalogueEntry> catalogue();

// The entry of a built-in model; null for any other name.
const CatalogueEntry* find_entry(std::string_view model);

// The model of VMAF v1 for a display that shows all lines of the reference, and for its frame rate; without one, for slow
// pictures.
const CatalogueEntry& suited_model(const VideoFormat& reference, std::optional<double> frame_rate);

// The table of `cambi models`, which fits `width` columns where it can; 0: any.
std::string catalogue_table(size_t width);

// What the model expects of size and depth and these pictures are not, and how to bring them there; empty where all is as
// expected.
std::string expectation(const CatalogueEntry& entry, const VideoFormat& distorted);
// What is to be said of pictures of high dynamic range, whichever of the models scores them; empty for others.
std::string range_expectation(const VideoFormat& distorted);

}  // namespace vq::model
