// Second step of a run: decides what is computed, and on which backend, with notes and warnings.
#pragma once

#include "cli/run/open_run.h"
#include "cli/run/settled_run.h"

namespace vq::cli {

// Crops and fits the videos for scoring, checks all that can be checked before the first
// frame, and decides on the backend. Warnings and notes go to `messages`. Throws Error.
SettledRun settle_run(OpenedRun opened, Messages& messages);

}  // namespace vq::cli
