// Options of a feature as data: names, aliases, ranges and defaults in one table, from which parsing, help,
// range checks and metric names all follow.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vq {

enum class OptionKind { kBool, kInt, kReal, kChoice, kPath };

// Who sets an option: --feature, which takes exactly what the reference tool does, or this program's own
// flags, which know more.
enum class OptionForm { kExact, kOwn };

// What an option is about, for those who set or read it without knowing its name.
enum class OptionRole {
  kNone,
  kEncodedWidth,  // of the video, before it was scaled or padded
  kEncodedHeight,
  kEncodedDepth,
  kReference,  // kBool: scores the reference as well, by itself
};

using OptionValue = std::variant<bool, int, double, std::string>;

struct OptionSpec {
  std::string_view name = {};
  std::string_view alias = {};  // short form used in metric names; empty: the name itself
  OptionKind kind = OptionKind::kInt;
  double default_number = 0;           // kInt, kReal, kBool
  std::string_view default_text = {};  // kChoice, kPath
  double min = 0, max = 0;             // kInt, kReal; inclusive. The default is always allowed as well.
  std::span<const int> allowed = {};   // kInt: where set, exactly these values instead of a range
  std::span<const std::string_view> choices = {};      // kChoice
  std::span<const std::string_view> own_choices = {};  // kChoice: more that only OptionForm::kOwn has
  // What OptionSet::set_own_defaults() gives it, such as "auto"; empty: the default.
  std::string_view own_default = {};
  bool in_metric_name = true;
  bool in_exact_form = true;  // false: only OptionForm::kOwn has the option
  OptionRole role = OptionRole::kNone;
  std::string_view help = {};

  OptionValue default_value() const;
  std::string range_text() const;  // "15..127", "0, 1080, 1440 or 2160", "bt1886 or pq", ...
  std::string default_text_form() const;
};

// The first option with that role; null: there is none.
const OptionSpec* find_role(std::span<const OptionSpec> specs, OptionRole role);

// The values of one feature instance: every option of a table, set or default.
class OptionSet {
 public:
  explicit OptionSet(std::span<const OptionSpec> specs);

  std::span<const OptionSpec> specs() const { return specs_; }
  // Throws Error{kUsage} naming the option, the text, the range and, for an unknown name, the nearest one.
  void set(std::string_view name, std::string_view text, OptionForm form = OptionForm::kExact);
  // A value that set() may still replace, and that replaces none of its. Throws as set(); Error{kInternal}
  // for an unknown name.
  void put(std::string_view name, std::string_view text);
  // What came of an option that was left open, whoever left it so. Throws as put().
  void resolve(std::string_view name, std::string_view text);
  // The values of a feature that is not spelled out: what can be found out of the videos is left to that.
  void set_own_defaults();
  // set() was called for it. False as well where there is no such option: not every feature has each.
  bool is_set(std::string_view name) const;
  // Of an option that there is; otherwise Error{kInternal}.
  bool is_default(std::string_view name) const;  // its value equals the default
  bool get_bool(std::string_view name) const { return std::get<bool>(value(name)); }
  int get_int(std::string_view name) const { return std::get<int>(value(name)); }
  double get_real(std::string_view name) const { return std::get<double>(value(name)); }
  const std::string& get_text(std::string_view name) const { return std::get<std::string>(value(name)); }
  const OptionValue& value(std::string_view name) const;  // throws Error{kInternal} where there is none
  // The value, or nothing where there is no such option.
  std::optional<OptionValue> find(std::string_view name) const;
  // The value as it would be written on a command line, reals with as many digits as read back to the same.
  std::string text(std::string_view name) const;

  // `base` followed, for each option that differs from its default, is not left open (own_default) and
  // belongs in names, sorted by full option name, by _<alias or name>_<value>; integers as %d, reals as %g,
  // text as it is; of a boolean the name or alias alone.
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
