// A metric's options as a table: what each is by default and when set, what it takes besides, and what it
// refuses.
#pragma once

#include "feature/metric_type.h"
#include "tests/support/expect_error.h"

namespace vq::test {

using Texts = std::vector<const char*>;

template <typename Options>
struct OptionRow {
  // The option `name` gives `member` the value `standard` by default, and `value` when set to `text`.
  template <typename T>
  OptionRow(const char* name_, T Options::*member, std::type_identity_t<T> standard_, const char* text_,
            std::type_identity_t<T> value_, Texts refused_ = {}, Texts taken_ = {})
      : name(name_),
        text(text_),
        refused(std::move(refused_)),
        taken(std::move(taken_)),
        standard(static_cast<double>(standard_)),
        value(static_cast<double>(value_)),
        read([member](const Options& options) { return static_cast<double>(options.*member); }) {}

  std::string name, text;
  Texts refused, taken;
  double standard, value;
  std::function<double(const Options&)> read;
};

inline OptionSet set_of(std::span<const OptionSpec> specs,
                        const std::vector<std::pair<std::string, std::string>>& values) {
  OptionSet set(specs);
  for (const auto& [name, text] : values) set.set(name, text);
  return set;
}

// Fails unless the rows are all options there are, each sets its own member alone, and nothing else is taken;
// `unknown` are names that a metric might have, but does not.
template <typename Options, typename ToOptions>
void check_options(std::span<const OptionSpec> specs, const ToOptions& to_options,
                   const std::vector<OptionRow<Options>>& rows, const Texts& unknown = {}) {
  EXPECT_EQ(rows.size(), specs.size());
  for (const OptionRow<Options>& row : rows) {
    SCOPED_TRACE(row.name);
    const Options standard = to_options(OptionSet(specs)),
                  set = to_options(set_of(specs, {{row.name, row.text}}));
    EXPECT_EQ(row.read(standard), row.standard);
    for (const OptionRow<Options>& one : rows)
      EXPECT_EQ(one.read(set), &one == &row ? one.value : one.standard) << one.name;
    for (const char* text : row.taken) EXPECT_NO_THROW(set_of(specs, {{row.name, text}})) << text;
    for (const char* text : row.refused)
      expect_error(ErrorKind::kUsage, {row.name, text}, [&] { set_of(specs, {{row.name, text}}); });
  }
  for (const char* name : unknown)
    expect_error(ErrorKind::kUsage, {name}, [&] { set_of(specs, {{name, "1"}}); });
}

template <typename Options, size_t count>
void check_options(const OptionTable<Options, count>& table, const std::vector<OptionRow<Options>>& rows,
                   const Texts& unknown = {}) {
  check_options(
      table.specs(), [&](const OptionSet& set) { return table.values(set); }, rows, unknown);
}

}  // namespace vq::test
