// Signals that ask the program to stop.
#pragma once

#include <csignal>

namespace vq::cli {

// SIGINT, SIGTERM and SIGHUP are noted once; a second one removes temporary files (see signal_cleanup.h) and ends the process
// at once. SIGQUIT ends it at once, too, and leaves no temporary files. SIGPIPE and SIGXFSZ are ignored, so that writing fails with an error instead. Signals that were
// ignored at start (nohup) stay so.
void install_signal_handlers();

// 0, or the number of the signal that asked to stop.
int interrupt_signal();
// Whether there was one: for whoever is handed a function that tells when to stop.
inline bool is_interrupted() {
  return interrupt_signal() != 0;
}

// The exit code of a process ended by the signal.
inline int interrupt_exit_code(int signal) {
  return 128 + signal;
}

}  // namespace vq::cli
