#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace vq::cli {
namespace {

// A signal handler can reach nothing but what is global.
volatile std::sig_atomic_t caught_signal = 0;

void on_signal(int signal) {
  if (caught_signal != 0) _exit(interrupt_exit_code(signal));
  caught_signal = signal;
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

int interrupt_signal() {
  return caught_signal;
}

}  // namespace vq::cli
