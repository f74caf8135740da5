// Files of a plan, as they were when it was made.
#pragma once

#include <string>

#include "cli/cluster/plan.h"

namespace vq::cli {

// As the file is now; reads its first and last bytes. Throws Error{kInput}.
PlannedFile look_at_file(const std::string& path);

// Throws Error{kInput} where the file is not what it was: in size, time, or its first and last bytes.
void check_unchanged(const PlannedFile& planned);

}  // namespace vq::cli
