// A feature's options as data: one table of names, aliases, ranges and defaults, from which parsing, help,
// range checks and metric names follow.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vq {

enum class OptionKind { kBool, kInt, kReal, kChoice, kPath };

// Which syntax sets an option: --feature, which takes exactly what the reference tool takes, or this
// program's own flags, which accept more.
enum class OptionForm { kExact, kOwn };

// The purpose of an option, for code that reads or sets it without knowing its name.
enum class OptionRole {
  kNone,
  kEncodedWidth,  // of the video before it was scaled or padded
  kEncodedHeight,
  kEncodedDepth,
  kReference,  // kBool: also scores the reference as a video of its own
};

using OptionValue = std::variant<bool, int, double, std::string>;

struct OptionSpec {
  std::string_view name = {};
  std::string_view alias = {};  // short form used in metric names; empty: the name itself
  OptionKind kind = OptionKind::kInt;
  double default_number = 0;           // kInt, kReal, kBool
  std::string_view default_text = {};  // kChoice, kPath
  double min = 0, max = 0;             // kInt, kReal; inclusive. The default is allowed even if outside.
  std::span<const int> allowed = {};   // kInt: if not empty, the allowed values, instead of a range
  std::span<const std::string_view> choices = {};      // kChoice
  std::span<const std::string_view> own_choices = {};  // kChoice: choices that only OptionForm::kOwn accepts
  // The value that OptionSet::set_own_defaults() sets, such as "auto"; empty: the default.
  std::string_view own_default = {};
  bool in_metric_name = true;
  bool in_exact_form = true;  // false: only OptionForm::kOwn accepts the option
  OptionRole role = OptionRole::kNone;
  std::string_view help = {};

  OptionValue default_value() const;
  std::string range_text() const;  // "15..127", "0, 1080, 1440 or 2160", "bt1886 or pq", ...
  std::string default_text_form() const;
};

// The first option with that role; null if there is none.
const OptionSpec* find_role(std::span<const OptionSpec> specs, OptionRole role);

// The values of one feature instance: every option of a table, explicit or default.
class OptionSet {
 public:
  explicit OptionSet(std::span<const OptionSpec> specs);

  std::span<const OptionSpec> specs() const { return specs_; }
  // Throws Error{kUsage} naming the option, the text, the range and, for an unknown name, the nearest one.
  void set(std::string_view name, std::string_view text, OptionForm form = OptionForm::kExact);
  // A value that set() may still replace, and that replaces no value of set(). Throws as set(), and
  // Error{kInternal} for an unknown name.
  void put(std::string_view name, std::string_view text);
  // Sets the value of an option that was left open. Throws as put().
  void resolve(std::string_view name, std::string_view text);
  // Sets the defaults of this program's own flags: options that can be derived from the videos are left open.
  void set_own_defaults();
  // Whether set() was called for the option. False if the feature has no such option.
  bool is_set(std::string_view name) const;
  // Throws Error{kInternal} if there is no such option.
  bool is_default(std::string_view name) const;  // whether its value equals the default
  bool get_bool(std::string_view name) const { return std::get<bool>(value(name)); }
  int get_int(std::string_view name) const { return std::get<int>(value(name)); }
  double get_real(std::string_view name) const { return std::get<double>(value(name)); }
  const std::string& get_text(std::string_view name) const { return std::get<std::string>(value(name)); }
  // throws Error{kInternal} if there is no such option
  const OptionValue& value(std::string_view name) const;
  // The value, or nothing if there is no such option.
  std::optional<OptionValue> find(std::string_view name) const;
  // The value as written on a command line; reals with enough digits to read back unchanged.
  std::string text(std::string_view name) const;

  // `base` followed by _<alias or name>_<value> for each option that differs from its default, is not left
  // open (own_default) and belongs in names, sorted by full option name. Integers as %d, reals as %g, text
  // unchanged; for a boolean only the name or alias.
  std::string metric_name(std::string_view base) const;

 private:
  std::optional<size_t> find_index(std::string_view name, OptionForm form = OptionForm::kOwn) const;
  size_t index_of(std::string_view name) const;
  std::string nearest_option(std::string_view name, OptionForm form) const;

  std::span<const OptionSpec> specs_;
  std::vector<OptionValue> values_;
  std::vector<bool> set_;
};

}  // namespace vq
