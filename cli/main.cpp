#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands/command.h"
#include "cli/system/interrupt.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/exact_floats.h"
#include "vulkan/device.h"

namespace {

// A closed standard descriptor would be handed to the next file opened, and messages would end up in it.
void reopen_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Standard output only for reading: writing a report there must fail.
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

constexpr char kOutOfMemory[] = "cambi: error: out of memory. Try fewer --threads.\n";

// Where an exception cannot go on. A library may run out of memory in a function that says it throws nothing, as CLI11
// does while flags are declared; all else is a fault of this program.
[[noreturn]] void end_at_once() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    (void)!write(STDERR_FILENO, kOutOfMemory, sizeof kOutOfMemory - 1);
    std::_Exit(static_cast<int>(vq::ErrorKind::kResource));
  } catch (...) {
  }
  std::abort();
}

// Runs the program and says why it failed, if it did. Returns the exit code.
int run(int argc, char** argv, vq::cli::Messages& messages) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return vq::cli::run_command(argc > 0 ? argv[0] : "", words, messages);
  } catch (const vq::cli::ClosedPipe&) {
    // Nothing to tell: as a program that the signal ends, which is what others do.
    return 128 + SIGPIPE;
  } catch (const vq::Error& error) {
    // An interrupt that came while an input was being opened ends it with an error of its own.
    const int signal = vq::cli::interrupt_signal();
    messages.error(signal != 0 ? "interrupted" : error.what() + vq::cli::advice(error, words));
    return signal != 0 ? vq::cli::interrupt_exit_code(signal) : error.exit_code();
  } catch (const std::bad_alloc&) {
    messages.error("out of memory. Try fewer --threads.");
    return static_cast<int>(vq::ErrorKind::kResource);
  } catch (const std::system_error& error) {
    messages.error(std::string("the system refused a resource: ") + error.what());
    return static_cast<int>(vq::ErrorKind::kResource);
  } catch (const std::exception& error) {
    messages.error(std::string("internal fault: ") + error.what());
    return static_cast<int>(vq::ErrorKind::kInternal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  reopen_closed_descriptors();
  std::set_terminate(end_at_once);
  const vq::ExactFloats exact;  // a library that was loaded may have changed how numbers round
  vq::cli::install_signal_handlers();
  vq::cli::Messages messages(vq::cli::write_stderr);
  int code = static_cast<int>(vq::ErrorKind::kResource);
  try {
    code = run(argc, argv, messages);
    messages.finish();
  } catch (...) {
    // There was not even the memory for the message.
    vq::cli::write_stderr(kOutOfMemory);
  }
  // A driver that is still at work must not meet the destructors of static objects.
  if (vq::vulkan::abandoned_work() > 0) std::_Exit(code);
  return code;
}
