// Descriptions of the built-in models.
#pragma once

#include "core/fitting.h"
#include "core/frame.h"

namespace vq::model {

struct CatalogueEntry {
  std::string_view model = {};
  int lines = 0;         // of the display
  double distance = 0;   // of the viewer, in picture heights
  bool is_fast = false;  // for 50 and 60 frames per second
  bool is_v1 = false;
  std::string_view purpose = {};
};

// In the order for presentation.
std::span<const CatalogueEntry> catalogue();

// The entry of a built-in model; null for any other name.
const CatalogueEntry* find_entry(std::string_view model);

// Title of a model's scores, given by its name or the path of its file: "VMAF v1", "VMAF 4K v0.6.1 NEG",
// "mine.json".
std::string score_title(std::string_view source);
// Purpose of such scores, and its limits: "for HD seen from 3 heights; not comparable with v0.6.1"; empty for
// files.
std::string score_purpose(std::string_view source);

// Says that there is no such model, and which names are near to this one or contain it.
std::string unknown_model_text(const std::string& name);

// The VMAF v1 model for a display with the reference's number of lines, and for its frame rate (unknown: a
// low one).
const CatalogueEntry& suited_model(const VideoFormat& reference, std::optional<double> frame_rate);

// The conversion of a pair to the model's display in the reference's aspect ratio. It raises v1 to at least
// 10 bits, since CAMBI sees the rounding of scaling to 8. Nothing if both videos have that size already.
std::optional<Fitting> fitting_for(const CatalogueEntry& entry, const VideoFormat& reference,
                                   const VideoFormat& distorted);

// The table of `cambi models`, `width` columns wide if possible; 0: any width.
std::string catalogue_table(size_t width);

// A warning that the size is not what the model expects, with the remedy; empty if it is.
std::string expectation(const CatalogueEntry& entry, const VideoFormat& distorted);
// The same for the frame rate; empty if it is unknown.
std::string rate_expectation(const CatalogueEntry& entry, std::optional<double> frame_rate);
// All warnings, one per line: the two above, and that the model is not for high dynamic range.
std::vector<std::string> expectations(const CatalogueEntry& entry, const VideoFormat& distorted,
                                      std::optional<double> frame_rate);

// The built-in model files. The definitions are generated during the build: see
// engine/models/embed_models.py.

struct BuiltIn {
  std::string_view name = {};  // "vmaf_v0.6.1"
  std::string_view json = {};
};

// In the order of their names.
std::span<const BuiltIn> built_in_models();

// The licence of the files.
std::string_view models_licence();

}  // namespace vq::model
