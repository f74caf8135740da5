// What flags and subcommands are called, take and mean, as tables. The parser, the help, the manual page and
// the completions all follow from them. docs/make_docs.py reads the tables from the sources while the program
// is built, so rows are written out in designated initialisers whose values are strings, numbers and names;
// `set` and `run` it passes over.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq::cli {

struct CollectedFlags;
class Messages;
struct ParsedArguments;

inline constexpr int kMaxStream = 999;  // of --stream

// Text that the documents have and the program does without: it is not compiled into it.
struct DocumentText {
  constexpr DocumentText() = default;
  constexpr DocumentText(const char*) {}  // NOLINT(google-explicit-constructor)
};

struct Flag {
  std::string_view name = {};        // "--output"
  std::string_view short_name = {};  // "-o"; empty: there is none
  // Of its text; empty where it takes none. Lower-case words with | between them are offered by completions,
  // those with commas as a list; after FILE and DIR come paths.
  std::string_view type = {};
  std::string_view help = {};  // without a capital and a full stop
  DocumentText manual = {};    // sentences that the manual page adds
  // What completions offer where the type does not say it, written like that; FEATURE: the features' names;
  // MODEL: the built-in models'.
  DocumentText words = {};
  bool may_repeat = false;  // otherwise the last one counts
  bool of_run =
      false;  // of a subcommand: the run's flag of that name, and all that this row leaves out is as there
  // Takes the text in. Throws Error{kUsage}. Null where the subcommand asks for it itself.
  void (*set)(CollectedFlags& flags, const Flag& flag, const std::string& text) = nullptr;
};

// The words that a type like "auto|limited|full" consists of; none where it has any other part.
std::vector<std::string> choices_of(const Flag& flag);

// What flags of a scoring run decide. `plan` takes the first two roles, `shard` the second, `merge` the
// third.
enum class FlagRole {
  kScoring,    // what is scored, and with which features
  kRunning,    // how it is computed
  kReporting,  // what is written, except for pictures
  kDrawing,    // pictures, which need the frames
};

// A topic of the help: flags of a scoring run, each of which is in one topic, and the subcommands that name
// it.
struct Topic {
  std::string_view name = {};  // "sampling", as in `cambi help sampling`; empty: not listed
  std::string_view help = {};  // without a capital and a full stop
  std::string_view text = {};  // printed as it is, after `help`
  FlagRole role = FlagRole::kRunning;
  std::span<const Flag> flags = {};
};

struct Subcommand {
  std::string_view name = {};
  std::string_view arguments = {};  // "A B ..."; empty: none
  std::string_view help = {};       // without a capital and a full stop
  std::string_view details = {};    // sentences after that
  std::string_view topic = {};      // the topic that lists it as well; empty: none
  std::string_view needs = {};      // completes "... needs"; empty: it can be called without a word
  size_t least = 0, most = 0;       // number of arguments
  DocumentText completes = {};      // what its arguments are: FILE, FILE.json, FEATURE or SUBJECT (of help)
  bool takes_run_flags = false;     // those of a scoring run, beside its own
  // Its own. One that has the name of a run's flag says what that means here.
  std::span<const Flag> flags = {};
  // Returns the exit code. Throws Error. Null: a program of its own does it (see external.h).
  int (*run)(const ParsedArguments& words, Messages& messages) = nullptr;
};

}  // namespace vq::cli
