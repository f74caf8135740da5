#include "cli/commands/program.h"

#include <cstdio>
#include <cstdlib>

#include "cli/commands/arguments.h"
#include "cli/commands/help.h"
#include "cli/inputs/remarks.h"
#include "cli/run/run.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/version.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

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
  write_stderr(kOutOfMemory);
  std::_Exit(exit_code(ErrorKind::kResource));
}

// Advice after these words ended with this error; empty if the error has it, as those of the command line and
// the inputs do.
std::string advice(const Error& error, const std::vector<std::string>& typed) {
  if (error.kind() != ErrorKind::kBackend) return "";
  if (std::string_view(error.what()).find(" Try: ") != std::string_view::npos) return "";  // it knows better
  const Subcommand* const subcommand = typed.empty() ? nullptr : find_subcommand(typed[0]);
  const bool several = subcommand != nullptr && subcommand->name == "selftest";
  return words(". Try {}", several ? "--backends cpu,scalar." : "--backend cpu.");
}

// Runs the command and says why it failed, if it did. Returns the exit code.
int run(int argc, char** argv, Command command, Messages& messages) {
  const std::vector<std::string> typed(argv + 1, argv + argc);
  try {
    return command(argc > 0 ? argv[0] : "", typed, messages);
  } catch (const ClosedPipe&) {
    // Nothing to tell: as a program that the signal ends, which is what others do.
    return kClosedPipeExitCode;
  } catch (const Error& error) {
    // An interrupt that came while an input was being opened ends it with an error of its own.
    const int signal = interrupt_signal();
    messages.error(signal != 0 ? "interrupted" : in_words(error) + advice(error, typed));
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
  prepare_process();
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
  // A run that ends while a device is being opened does not wait for it.
  if (vulkan::was_device_given_up() || vulkan::is_driver_in_use()) {
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}

constexpr char kGithub[] = "--github";

// A first word that is a subcommand of another program, or nearly one of this, and no file either, was meant
// as one.
static void check_first_word(const std::vector<std::string>& typed) {
  const std::string& word = typed[0];
  if (word.starts_with('-') || file_status(word)) return;
  const std::string ours = own_words(word), near = nearest_subcommand(word);
  if (ours.empty() && near.empty()) return;
  throw usage_error("\"{}\" is neither a file nor a subcommand. {}", printable(word),
                    ours.empty() ? words("Did you mean \"{}\"?", near) : words("Use: {}", ours));
}

// For a call without a word: how it is meant goes to standard error, before what is missing.
[[noreturn]] static void refuse_bare(const std::string& help, const std::string& missing) {
  write_stderr(help + "\n");
  throw usage_error(missing);
}

static ParsedArguments parse(const Subcommand& subcommand, const std::vector<std::string>& typed) {
  if (subcommand.takes_run_flags) return parse_run_words(typed, subcommand.flags);
  const auto own = [](const Flag& flag) { return flag.of_run ? find_run_flag(flag.name) : &flag; };
  return parse_words(mapped(subcommand.flags, own), typed, subcommand.name);
}

// A flag of a run that the subcommand does not take, and that changes something.
static void refuse_others(const Subcommand& subcommand, const ParsedArguments& parsed) {
  for (const auto& [flag, text] : parsed.flags) {
    if (find_run_flag(flag->name) == nullptr || takes(subcommand, *flag)) continue;
    if (!flag->neutral.empty() && text == flag->neutral) continue;
    throw usage_error(subcommand.otherwise.empty()
                          ? words("{} does not take {}. Score each video separately: cambi VIDEO {} ...",
                                  subcommand.name, flag->name, flag->name)
                          : words("{} {}", flag->name, subcommand.otherwise));
  }
}

static std::string missing_for(const Subcommand& subcommand) {
  return words("{} needs {}.", subcommand.name, subcommand.needs);
}

// Looks at the words before --; behind it are those of another program.
static void check_paths(const ParsedArguments& parsed, const std::string& name) {
  const bool has_command = contains(parsed.original, "--");
  const std::span<const std::string> all = parsed.arguments;
  if (contains(has_command ? all.first(std::min<size_t>(1, all.size())) : all, ""))
    throw usage_error("{}: a path is empty.", name);
}

static void check_arguments(const ParsedArguments& parsed, const Subcommand& subcommand) {
  const std::vector<std::string>& arguments = parsed.arguments;
  const std::string name(subcommand.name);
  if (arguments.size() < subcommand.least)
    throw usage_error("{} Try: cambi {} {}", missing_for(subcommand), name, subcommand.arguments);
  if (arguments.size() > subcommand.most)
    throw usage_error("{} does not take \"{}\".", name, printable(arguments[subcommand.most]));
  if (subcommand.completes.starts_with("FILE")) check_paths(parsed, name);
}

constexpr char kCaller[] = "CAMBI_PROGRAM";

static std::vector<std::string> plain_words(const ParsedArguments& typed) {
  std::vector<std::string> plain;
  for (const auto& [flag, text] : typed.flags)
    plain.push_back(std::string(flag->name) + (flag->type.empty() ? "" : "=" + text));
  const auto dashes = std::ranges::find(typed.original, "--");
  const std::ptrdiff_t behind = typed.original.end() - dashes - 1, all = std::ssize(typed.arguments);
  const auto dashes_at = typed.arguments.end() - std::clamp<std::ptrdiff_t>(behind, 0, all);
  plain.insert(plain.end(), typed.arguments.begin(), dashes_at);
  if (dashes != typed.original.end()) plain.push_back("--");
  plain.insert(plain.end(), dashes_at, typed.arguments.end());
  return plain;
}

[[noreturn]] static void become_external(std::string_view name, const ParsedArguments& typed) {
  const std::string program = words("cambi-{}", name);
  check_can_become(program);
  set_variable(kCaller, text_of(own_program()));
  block_stopping_signals();  // an interpreter that starts would be ended by them, or print where it was
  become_other(program, plain_words(typed));
}

static int run_subcommand(const Subcommand& subcommand, const std::vector<std::string>& typed,
                          Messages& messages) {
  if (typed.empty() && !subcommand.needs.empty()) refuse_bare(help_of(subcommand), missing_for(subcommand));
  const ParsedArguments parsed = parse(subcommand, typed);
  messages.annotate(parsed.has(kGithub));
  if (parsed.asks_for_help) {
    const size_t columns = stdout_width();
    write_stdout(subcommand.name == "help" ? full_help(subcommands(), columns)
                                           : help_of(subcommand, columns));
    return 0;
  }
  if (parsed.has("--version")) {
    write_stdout(version_text());
    return 0;
  }
  if (subcommand.takes_run_flags) refuse_others(subcommand, parsed);
  check_arguments(parsed, subcommand);
  if (subcommand.run == nullptr) become_external(subcommand.name, parsed);
  return subcommand.run(parsed, messages);
}

std::string version_text() { return words("cambi {}\n", version()); }

int run_command(std::string_view program, const std::vector<std::string>& typed, Messages& messages) {
  const fs::path name = path_of(program).filename();
  const bool is_vmaf = name == "vmaf" || name == "vmaf.exe";
  // Words that cannot be parsed are an annotation as well, though this may be the value of another flag.
  messages.annotate(contains(typed, kGithub));
  if (typed.empty()) refuse_bare(kShortHelp, "no video to score.");
  const bool asks_for_help = typed.back() == "-h";  // with a value it is the height of raw video
  if (const Subcommand* subcommand = is_vmaf ? nullptr : find_subcommand(typed[0])) {
    if (asks_for_help && typed.size() == 2) return run_subcommand(*subcommand, {"--help"}, messages);
    return run_subcommand(*subcommand, {typed.begin() + 1, typed.end()}, messages);
  }
  if (asks_for_help && typed.size() == 1) {
    write_stdout(full_help(subcommands(), stdout_width()));
    return 0;
  }
  if (!is_vmaf) check_first_word(typed);
  const ParsedArguments parsed = parse_run_words(typed);
  messages.annotate(parsed.has(kGithub));
  if (parsed.asks_for_help || parsed.has("--version")) {
    write_stdout(parsed.asks_for_help ? full_help(subcommands(), stdout_width()) : version_text());
    return 0;
  }
  return run_scoring(run_options(parsed, is_vmaf), messages);
}

void become_other(const std::string& name, const std::vector<std::string>& typed) {
  const fs::path folder = own_program().parent_path();
  if (const int signal = interrupt_signal(); signal != 0) std::exit(interrupt_exit_code(signal));
  const int error = become_program(folder, name, typed);
  const std::string place = shown_path(text_of(folder));
  if (error == ENOENT) {
    throw usage_error(
        "this needs the program {}, which is neither in {} nor in a folder of PATH. Install it, or build it: "
        "ninja {}",
        name, place, name);
  }
  throw usage_error("{} cannot be started: {}. It belongs in the folder {}, or in one of PATH", name,
                    errno_text(error), place);
}

bool is_external() { return std::getenv(kCaller) != nullptr; }

}  // namespace vq::cli
