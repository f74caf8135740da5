// What the built-in models are for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fitting.h"
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

// The model of VMAF v1 for a display that shows all lines of the reference, and for its frame rate; without
// one, for slow pictures.
const CatalogueEntry& suited_model(const VideoFormat& reference, std::optional<double> frame_rate);

// What brings a pair to the model's display in the reference's shape: v1 takes at least 10 bits then, since
// CAMBI sees what scaling to 8 rounds. Nothing where both videos are of its size already.
std::optional<Fitting> fitting_for(const CatalogueEntry& entry, const VideoFormat& reference,
                                   const VideoFormat& distorted);

// The table of `cambi models`, which fits `width` columns where it can; 0: any.
std::string catalogue_table(size_t width);

// What the model expects of size and these pictures are not, and how to bring them there; empty where all is
// as expected.
std::string expectation(const CatalogueEntry& entry, const VideoFormat& distorted);
// The same of frames a second; empty where these are not known.
std::string rate_expectation(const CatalogueEntry& entry, std::optional<double> frame_rate);
// All that is expected, a line each: the two above, and that pictures are not of high dynamic range.
std::vector<std::string> expectations(const CatalogueEntry& entry, const VideoFormat& distorted,
                                      std::optional<double> frame_rate);

}  // namespace vq::model
