#include "cli/system/exit_code.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace vq::cli {
namespace {

// A signal handler can reach nothing but what is global.
std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

void on_signal(int signal) {
  int none = 0;
  if (!caught_signal.compare_exchange_strong(none, signal)) _exit(interrupt_exit_code(signal));
}

sigset_t stopping_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kStopping) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : kStopping) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  const sigset_t stopping = stopping_signals();
  pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);
}

void block_stopping_signals() {
  const sigset_t stopping = stopping_signals();
  pthread_sigmask(SIG_BLOCK, &stopping, nullptr);
}

int interrupt_signal() {
  return caught_signal;
}

StopToken interrupt_token() {
  return StopToken([] { return interrupt_signal() != 0; });
}

}  // namespace vq::cli
