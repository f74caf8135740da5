#include "cli/commands/program.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "cli/commands/subcommand_table.h"
#include "cli/inputs/wording.h"
#include "cli/system/exit_code.h"
#include "cli/system/interrupt.h"
#include "cli/system/temporary_path.h"
#include "core/error.h"
#include "core/exact_floats.h"

namespace vq::cli {
namespace {

// A closed standard descriptor would be handed to the next file opened, and messages would end up in it.
void reopen_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Standard output only for reading: writing a report there must fail.
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Threads have stacks of the limit for that of the main thread, which may be less than they need.
void give_threads_stacks() {
  constexpr size_t kLeast = size_t{1} << 20;
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < kLeast &&
      pthread_attr_setstacksize(&attributes, kLeast) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

constexpr char kOutOfMemory[] = "cambi: error: out of memory. Try fewer --threads.\n";

bool is_out_of_memory() {
  const std::exception_ptr error = std::current_exception();
  // Compiled by g++ 12, functions that clean up before they end the program do not say what was thrown.
  if (!error) return std::uncaught_exceptions() > 0;
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Where an exception cannot go on. A library may run out of memory in a function that says it throws nothing,
// as CLI11 does while flags are declared; all else is a fault of this program.
[[noreturn]] void end_at_once() {
  if (!is_out_of_memory()) std::abort();
  remove_temporary_files();
  (void)!write(STDERR_FILENO, kOutOfMemory, sizeof kOutOfMemory - 1);
  std::_Exit(exit_code(ErrorKind::kResource));
}

// What to try where these words ended with this error; empty where the error says it itself, as those of the
// command line and the inputs do.
std::string advice(const Error& error, const std::vector<std::string>& words) {
  if (error.kind() != ErrorKind::kBackend) return "";
  if (std::string_view(error.what()).find(" Try: ") != std::string_view::npos) return "";  // it knows better
  const Subcommand* const subcommand = words.empty() ? nullptr : find_subcommand(words[0]);
  const bool several = subcommand != nullptr && subcommand->name == "selftest";
  return std::string(". Try ") + (several ? "--backends cpu,scalar." : "--backend cpu.");
}

// Runs the command and says why it failed, if it did. Returns the exit code.
int run(int argc, char** argv, Command command, Messages& messages) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return command(argc > 0 ? argv[0] : "", words, messages);
  } catch (const ClosedPipe&) {
    // Nothing to tell: as a program that the signal ends, which is what others do.
    return 128 + SIGPIPE;
  } catch (const Error& error) {
    // An interrupt that came while an input was being opened ends it with an error of its own.
    const int signal = interrupt_signal();
    messages.error(signal != 0 ? "interrupted" : in_words(error) + advice(error, words));
    return signal != 0 ? interrupt_exit_code(signal) : exit_code(error);
  } catch (const std::bad_alloc&) {
    messages.error("out of memory. Try fewer --threads.");
    return exit_code(ErrorKind::kResource);
  } catch (const std::exception&) {
    const Error error = error_of(std::current_exception());
    messages.error(error.what());
    return exit_code(error);
  }
}

}  // namespace

int run_program(int argc, char** argv, Command command) {
  reopen_closed_descriptors();
  give_threads_stacks();
  std::set_terminate(end_at_once);
  const ExactFloats exact;  // a library that was loaded may have changed how numbers round
  install_signal_handlers();
  Messages messages(write_stderr);
  int code = exit_code(ErrorKind::kResource);
  try {
    code = run(argc, argv, command, messages);
    messages.finish();
  } catch (...) {
    // There was not even the memory for the message.
    write_stderr(kOutOfMemory);
  }
  return code;
}

}  // namespace vq::cli
