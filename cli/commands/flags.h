// Tables of flags and subcommands, from which the parser and the help come, and the manual page and the
// completions: docs/make_docs.py makes them from `cambi help --json`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/inputs/run_options.h"

namespace vq::cli {

class Messages;
struct ParsedArguments;

inline constexpr int kMaxStream = 999;  // of --stream

struct Flag {
  std::string_view name = {};        // "--output"
  std::string_view short_name = {};  // "-o"; empty: there is none
  // Kind of its value; empty if it takes none. Completions offer lower-case words separated by |, and words
  // separated by commas as a list; after FILE and DIR they offer paths.
  std::string_view type = {};
  std::string_view help = {};    // without a capital and a full stop
  std::string_view manual = {};  // sentences that the manual page adds
  // Words for completion, if the type does not give them, in the same syntax; FEATURE: the names of features;
  // MODEL: the built-in models.
  std::string_view words = {};
  bool may_repeat = false;  // otherwise the last one counts
  FlagRole role = FlagRole::kOfTopic;
  FlagNeeds needs = FlagNeeds::kNothing;
  std::string_view neutral = {};  // a value that changes nothing, as if the flag were not given
  // in a subcommand's table: the run's flag of that name, from which empty fields of this row are taken
  bool of_run = false;
  // Stores the value. Throws Error{kUsage}. Null if the subcommand reads it itself.
  void (*set)(RunOptions& options, const Flag& flag, const std::string& text) = nullptr;
};

// A subcommand's row, with what it takes from the run's flag of its name if it is `of_run`.
Flag whole(const Flag& own);

// The words of a type like "auto|limited|full"; none if it has any other part.
std::vector<std::string> choices_of(const Flag& flag);

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
  std::string_view alias = {};      // another name; empty: none
  std::string_view arguments = {};  // "A B ..."; empty: none
  std::string_view help = {};       // without a capital and a full stop
  std::string_view details = {};    // sentences after that
  std::string_view topic = {};      // the topic that also lists it; empty: none
  std::string_view needs = {};      // completes "... needs"; empty: it needs no arguments
  size_t least = 0, most = 0;       // number of arguments
  std::string_view completes = {};  // kind of its arguments: FILE, FILE.json, FEATURE or SUBJECT (of help)
  bool is_everyday = false;         // otherwise it is listed with what machines and their upkeep need
  bool takes_run_flags = false;     // also takes the flags of a scoring run
  std::span<const FlagRole> roles = {};                   // those of these roles; empty: of all
  std::span<const std::string_view> also = {}, but = {};  // further ones of these names, and none of those
  // Follows the name of any other that is given; empty: says to score videos one by one.
  std::string_view otherwise = {};
  // Its own flags. A flag with the name of a run's flag replaces its description.
  std::span<const Flag> flags = {};
  // Returns the exit code. Throws Error. Null if it is a separate program (see external.h).
  int (*run)(const ParsedArguments& typed, Messages& messages) = nullptr;
};

// Parsing of a command line by a table of flags. In long flags "-" and "_" are equivalent; an error for an
// unknown flag names the nearest one.

struct GivenFlag {
  const Flag* flag;
  std::string text;  // meaningless if the flag takes no value
};

struct ParsedArguments {
  std::vector<std::string> original = {};
  // In the order given; a flag that may not repeat is at the position of its last occurrence.
  std::vector<GivenFlag> flags = {};
  std::vector<std::string> arguments = {};
  bool asks_for_help = false;  // then everything else is empty

  // The text of the last flag of that name; null if it was not given.
  const std::string* find(std::string_view name) const;
};

// The words here for a flag, a subcommand, "--feature NAME" or "--backend NAME" of another program; empty if
// none are known.
std::string own_words(const std::string& foreign);

// `flags`: each name once; --help is always known. Throws Error{kUsage}.
ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& typed);

// The flags of a scoring run.

// The topics of the help, in its order; every flag has `set`. Those that features own are in a
// topic without a name: `cambi features NAME` prints them.
const std::vector<Topic>& topics();

// Null if there is no topic of that name.
const Topic* find_topic(std::string_view name);

// The effect of a flag of a run, never kOfTopic.
FlagRole role_of(const Flag& flag);

// Null if there is no flag of that name.
const Flag* find_run_flag(std::string_view name);

// The subcommands of the program.

// In the order of the help.
std::span<const Subcommand> subcommands();

// Whether it takes this flag of a run.
bool takes(const Subcommand& subcommand, const Flag& flag);

// Null if there is no subcommand of that name.
const Subcommand* find_subcommand(const std::string& name);

// The name nearest to the word; empty if none is near.
std::string nearest_subcommand(const std::string& word);

}  // namespace vq::cli
