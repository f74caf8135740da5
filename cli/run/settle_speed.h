// Whether a run goes on the CPU or on a GPU, by what both take for it.
#pragma once

#include "cli/run/settled_run.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Decides the open choice of the run's backend, and by which decoders it reads; opens the devices if they are
// used. Notes which is faster, unless the run is quiet. Needs: the choice is open, and nothing was read.
// Throws what measuring throws.
void settle_speed(SettledRun& run, Messages& messages);

// Remembers for the next run of this kind what this one took; `backend` says whether the device was given up.
// `seconds`: as remember_run().
void remember_speed(const SettledRun& run, const BackendReport& backend, double seconds);

}  // namespace vq::cli
