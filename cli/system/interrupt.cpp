#include "cli/system/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <initializer_list>

#include "cli/system/signal_cleanup.h"

namespace vq::cli {
namespace {

// A signal handler can reach nothing but what is global.
std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// As the signal ends a program that has no handler: with a core file, where there are such.
[[noreturn]] void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(interrupt_exit_code(signal));
}

void on_signal(int signal) {
  if (signal == SIGQUIT) {
    remove_noted_files();
    end_by(signal);
  }
  int none = 0;
  if (caught_signal.compare_exchange_strong(none, signal)) return;
  remove_noted_files();
  _exit(interrupt_exit_code(signal));
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : kStopSignals) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_mask = stop_signals();
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

int interrupt_signal() {
  return caught_signal;
}

}  // namespace vq::cli
