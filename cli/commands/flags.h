// Tables of flags and subcommands, from which the parser and the help come, and the manual page and the
// completions: docs/make_docs.py makes them from `cambi help --json`.
#pragma once

#include "cli/inputs/run_options.h"
#include "core/number_text.h"

namespace vq::cli {

class Messages;
struct ParsedArguments;

inline constexpr int kMaxStream = 999;  // of --stream

// A row of a table with this value of a member.
template <typename Row, typename T>
constexpr Row with(Row row, T Row::*member, std::type_identity_t<T> value) {
  row.*member = value;
  return row;
}

struct Flag {
  // Stores a value. Throws Error{kUsage}.
  using Setter = void (*)(RunOptions& options, const Flag& flag, const std::string& text);

  // `names`: "--output -o". `role`: if it is not that of the topic. `set`: null if the subcommand reads it.
  constexpr Flag(std::string_view names, std::string_view type_of, std::string_view help_text,
                 Setter setter = nullptr, FlagRole role_of = FlagRole::kOfTopic,
                 FlagNeeds needed = FlagNeeds::kNothing)
      : name(names.substr(0, names.find(' '))),
        short_name(names.substr(std::min(name.size() + 1, names.size()))),
        type(type_of),
        help(help_text),
        role(role_of),
        needs(needed),
        set(setter) {}
  constexpr Flag(std::string_view names, std::string_view type_of, std::string_view help_text, Setter setter,
                 FlagNeeds needed)
      : Flag(names, type_of, help_text, setter, FlagRole::kOfTopic, needed) {}
  constexpr Flag in_manual(std::string_view sentences) const { return with(*this, &Flag::manual, sentences); }
  constexpr Flag completed_by(std::string_view list) const { return with(*this, &Flag::words, list); }
  constexpr Flag neutral_at(std::string_view value) const { return with(*this, &Flag::neutral, value); }
  constexpr Flag repeated() const { return with(*this, &Flag::may_repeat, true); }
  constexpr bool names_path() const { return type == "FILE" || type == "DIR"; }

  std::string_view name;        // "--output"
  std::string_view short_name;  // "-o"; empty: there is none
  // Kind of its value; empty if it takes none. Completions offer lower-case words separated by |, and words
  // separated by commas as a list; after FILE and DIR they offer paths.
  std::string_view type;
  std::string_view help;         // without a capital and a full stop
  std::string_view manual = {};  // sentences that the manual page adds
  // Words for completion, if the type does not give them, in the same syntax; FEATURE: the names of features;
  // MODEL: the built-in models.
  std::string_view words = {};
  bool may_repeat = false;  // otherwise the last one counts
  FlagRole role;
  FlagNeeds needs;
  std::string_view neutral = {};  // a value that changes nothing, as if the flag were not given
  // in a subcommand's table: the run's flag of that name, from which empty fields of this row are taken
  bool of_run = false;
  Setter set;
};

constexpr Flag of_run(std::string_view name, std::string_view help = {}) {
  return with(Flag(name, {}, help), &Flag::of_run, true);
}

// A subcommand's row, with what it takes from the run's flag of its name if it is `of_run`.
Flag whole(const Flag& own);

// The words of a type like "auto|limited|full"; none if it has any other part.
std::vector<std::string> choices_of(const Flag& flag);

// A topic of the help: flags of a scoring run, each of which is in one topic, and the subcommands that name
// it.
struct Topic {
  std::string_view name = {};  // "sampling", as in `cambi help sampling`; empty: not listed
  std::string_view help = {};  // without a capital and a full stop
  FlagRole role = FlagRole::kRunning;
  std::span<const Flag> flags = {};
  std::string_view text = {};  // printed as it is, after `help`
};

struct Subcommand {
  // Returns the exit code. Throws Error.
  using Run = int (*)(const ParsedArguments& typed, Messages& messages);

  // `names`: with the alias, if there is one, behind it.
  constexpr Subcommand(std::string_view names, std::string_view argument_names, std::string_view help_text,
                       std::span<const Flag> own = {}, Run runs = nullptr)
      : name(names.substr(0, names.find(' '))),
        alias(names.substr(std::min(name.size() + 1, names.size()))),
        arguments(argument_names),
        help(help_text),
        flags(own),
        run(runs) {}
  constexpr Subcommand taking(size_t fewest, size_t largest, std::string_view kind,
                              std::string_view needed = {}) const {
    Subcommand all = *this;
    all.least = fewest, all.most = largest, all.completes = kind, all.needs = needed;
    return all;
  }
  constexpr Subcommand everyday() const { return with(*this, &Subcommand::is_everyday, true); }
  constexpr Subcommand listed_by(std::string_view of) const { return with(*this, &Subcommand::topic, of); }
  constexpr Subcommand in_detail(std::string_view text) const {
    return with(*this, &Subcommand::details, text);
  }
  constexpr Subcommand with_run_flags(std::span<const FlagRole> of_roles = {},
                                      std::span<const std::string_view> further = {},
                                      std::span<const std::string_view> none_of = {},
                                      std::string_view for_others = {}) const {
    Subcommand all = *this;
    all.takes_run_flags = true, all.roles = of_roles, all.also = further, all.but = none_of;
    all.otherwise = for_others;
    return all;
  }

  std::string_view name;
  std::string_view alias;           // another name; empty: none
  std::string_view arguments;       // "A B ..."; empty: none
  std::string_view help;            // without a capital and a full stop
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
  std::span<const Flag> flags;
  Run run;  // null if it is a separate program (become_external())
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
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // The same, or a number within the range. Throws Error{kUsage}.
  std::optional<std::string> text(std::string_view name) const;
  int64_t number(std::string_view name, const IntRange& range, int64_t otherwise) const;
};

// The words here for a flag, a subcommand, "--feature NAME" or "--backend NAME" of another program; empty if
// none are known.
std::string own_words(const std::string& foreign);

// `flags`: each name once; --help is always known. `subcommand`: whose help has them; empty: the program's.
// Throws Error{kUsage}.
ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& typed,
                            std::string_view subcommand = {});

// The flags of a scoring run.

// The topics of the help, in its order; every flag has `set`. Those that features own are in a
// topic without a name: `cambi features NAME` prints them.
const std::vector<Topic>& topics();

// Null if there is no topic of that name; the one without a name is not found.
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

// Implementations of subcommands, which the table describes. Beside 0 and the codes of errors, of which the
// first of several videos or shards counts, they return 7 if what is compared differs or is not aligned, no
// setting reaches a score, or a threshold is crossed; run_merge() 6 if shards are missing or failed; and 128
// + signal.
std::remove_pointer_t<Subcommand::Run> run_devices, run_features, run_models, run_diff, run_info, run_align,
    run_batch, run_compare, run_fingerprint, run_gate, run_report, run_search, run_plan, run_shard_command,
    run_merge;

}  // namespace vq::cli
