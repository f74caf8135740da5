// The models of a run, and the features that they and the command line ask for together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/run_options.h"

namespace vq::cli {

// Makes RunOptions::models and ::features of what was asked for. Features that are equal but for the option that names do not
// show are one, which the first to ask has: a remark says so. Of a model that is left to the program one of its kind stands
// there until choose_models(). Throws Error{kUsage} also where two scores, or a score and a metric, would have one name.
void settle_models(RunOptions& arguments);

// Chooses models that were left to the program, now that the reference is known, as it is scored, and settles again. Returns what to tell, one
// line each; nothing where none was left open.
std::vector<std::string> choose_models(RunOptions& arguments, const VideoFormat& reference, std::optional<double> frame_rate);

// Sets those options that models leave open, of the features that they have among `features`, from the video as it was encoded.
// What the command line has set stays.
void fill_open_options(const std::vector<ModelOfRun>& models, const VideoFormat& encoded, std::vector<FeatureRequest>& features);

}  // namespace vq::cli
