// Second step of a run: what is computed of its videos, on which backend, and what there is to say of that.
#pragma once

#include "cli/run/open_run.h"
#include "cli/run/settled_run.h"

namespace vq::cli {

// Crops the videos and brings them to what is scored of them, checks all that can be checked before the first
// frame, and decides on the backend. Warnings and notes go to `messages`. Throws Error.
SettledRun settle_run(OpenedRun opened, Messages& messages);

}  // namespace vq::cli
