// The sandbox of commands that decode.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/sandbox/sandbox.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Confines the process, if the options ask for it, to what a run with these options reads and writes and to
// what `more` says, and notes which layers hold, for the report as well. Call it once, when the command line
// is known and before any video is opened or a thread is started; folders of outputs that do not exist are
// made. `more.devices` is not used. Throws as enter_sandbox().
void enter_sandbox_of(RunOptions& options, SandboxPaths more, Messages& messages);

}  // namespace vq::cli
