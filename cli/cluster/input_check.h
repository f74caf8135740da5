// Files of a plan, as they were when it was made.
#pragma once

#include <string>

#include "cli/cluster/plan.h"

namespace vq::cli {

// The file as it is now; reads the first and last bytes of a video, and all of a model. Throws Error{kInput}.
PlannedFile look_at_file(const std::string& path);
PlannedFile look_at_model(const std::string& path);

// Throws Error{kInput}, naming the file, if it is not what it was: in size, time, or the bytes that were
// read.
void check_unchanged(const PlannedFile& planned);
// The same for all models of a plan. To be called after the models were read, since scores follow from what
// was read.
void check_models_unchanged(const PlanHead& head);

}  // namespace vq::cli
