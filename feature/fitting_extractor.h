// Features that see fitted frames: scaled, or converted to another depth or range.
#pragma once

#include <memory>
#include <span>

#include "feature/feature.h"

namespace vq {

// Fits frames in the execution's pool, several at a time, and passes them on in order. `extractor` takes
// frames of fitted_formats() and reads what `use` says. Needs: execution.make_fitter and a pool. Throws as
// MakeFitter.
std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution);

// Bytes of the frames that are being fitted.
int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution);

}  // namespace vq
