// Signals that ask the program to stop.
#pragma once

#include "core/stop_token.h"

namespace vq::cli {

// The first SIGINT, SIGTERM or SIGHUP is recorded, a second one ends the process immediately. SIGPIPE and
// SIGXFSZ are ignored, so that writing fails with an error. Signals that were ignored at start (nohup) stay
// ignored; those that were blocked are not any more.
void install_signal_handlers();

// Until the program that this one becomes has its handlers, SIGINT, SIGTERM and SIGHUP wait.
void block_stopping_signals();

// 0, or the number of the signal that asked to stop.
int interrupt_signal();
// Requested once there was one.
StopToken interrupt_token();

// Maximum delay of a wait's reaction to such a signal.
inline constexpr int kWaitMilliseconds = 100;

// The exit code of a process ended by the signal.
inline int interrupt_exit_code(int signal) {
  return 128 + signal;
}

}  // namespace vq::cli
