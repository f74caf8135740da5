// Second step of a run: decides what is computed, and on which backend, with notes and warnings.
#pragma once

#include "cli/run/open_run.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Crops and fits the videos for scoring, checks all that can be checked before the first
// frame, and decides on the backend. Warnings and notes go to `messages`. Throws Error.
SettledRun settle_run(OpenedRun opened, Messages& messages);

// Whether a run goes on the CPU or on a GPU, by what both take for it.

// Decides the open choice of the run's backend, and by which decoders it reads; opens the devices if they are
// used. Notes which is faster, unless the run is quiet. Needs: the choice is open, and nothing was read.
// Throws what measuring throws.
void settle_speed(SettledRun& run, Messages& messages);

// Remembers for the next run of this kind what this one took; `backend` says whether the device was given up.
// `seconds`: as remember_run().
void remember_speed(const SettledRun& run, const BackendReport& backend, double seconds);

}  // namespace vq::cli
