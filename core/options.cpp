#include "core/options.h"

#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/text.h"

namespace vq {

static std::string join_alternatives(const std::vector<std::string>& alternatives) {
  std::string text;
  for (size_t i = 0; i < alternatives.size(); ++i) {
    if (i > 0) text += i + 1 == alternatives.size() ? " or " : ", ";
    text += alternatives[i];
  }
  return text;
}

// %g without regard to the locale.
static std::string format_general(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
  return std::string(buffer, end.ptr);
}

static Error bad_value(const OptionSpec& spec, std::string_view text, std::string_view kind) {
  return usage_error("{}: \"{}\" is not {}; allowed: {}", spec.name, printable(text), kind,
                     spec.range_text());
}

static OptionValue parse_value(const OptionSpec& spec, std::string_view text, OptionForm form) {
  switch (spec.kind) {
    case OptionKind::kBool:
      if (text == "true") return true;
      if (text == "false") return false;
      throw bad_value(spec, text, "a truth value");
    case OptionKind::kInt: {
      long long value = 0;
      if (!parse_int(text, value)) throw bad_value(spec, text, "an integer");
      const bool in_range =
          spec.allowed.empty() ? value >= spec.min && value <= spec.max : contains(spec.allowed, value);
      if (!in_range && static_cast<double>(value) != spec.default_number) {
        throw bad_value(spec, text, "in range");
      }
      return static_cast<int>(value);
    }
    case OptionKind::kReal: {
      double value = 0;
      if (!parse_real(text, value)) throw bad_value(spec, text, "a number");
      if ((value < spec.min || value > spec.max) && value != spec.default_number) {
        throw bad_value(spec, text, "in range");
      }
      return value == 0 ? 0.0 : value;  // no negative zero in names
    }
    case OptionKind::kChoice: {
      if (contains(spec.choices, text)) return std::string(text);
      if (form == OptionForm::kOwn && contains(spec.own_choices, text)) return std::string(text);
      const std::vector<std::string> choices(spec.choices.begin(), spec.choices.end());
      const std::string near = nearest(text, choices);
      throw usage_error("{}: unknown value \"{}\"; allowed: {}{}", spec.name, printable(text),
                        spec.range_text(), near.empty() ? "" : words(". Did you mean \"{}\"?", near));
    }
    case OptionKind::kPath:
      if (text.empty()) throw bad_value(spec, text, "a path");
      if (text.find('\0') != std::string_view::npos) throw bad_value(spec, text, "a path");
      return std::string(text);
  }
  throw Error(ErrorKind::kInternal, "option of unknown kind");
}

static std::string to_text(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<int>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return format_general(*real);
  return std::get<std::string>(value);
}

OptionValue OptionSpec::default_value() const {
  switch (kind) {
    case OptionKind::kBool:
      return default_number != 0;
    case OptionKind::kInt:
      return static_cast<int>(default_number);
    case OptionKind::kReal:
      return default_number;
    case OptionKind::kChoice:
    case OptionKind::kPath:
      break;
  }
  return std::string(default_text);
}

std::string OptionSpec::range_text() const {
  switch (kind) {
    case OptionKind::kBool:
      return "true or false";
    case OptionKind::kPath:
      return "a path";
    case OptionKind::kChoice:
      return join_alternatives({choices.begin(), choices.end()});
    case OptionKind::kInt:
      if (!allowed.empty()) {
        std::vector<std::string> values;
        for (const int value : allowed) values.push_back(std::to_string(value));
        return join_alternatives(values);
      }
      break;
    case OptionKind::kReal:
      break;
  }
  std::string text = format_general(min) + ".." + format_general(max);
  if (default_number < min || default_number > max) text = format_general(default_number) + " or " + text;
  return text;
}

std::string OptionSpec::default_text_form() const { return to_text(default_value()); }

const OptionSpec* find_role(std::span<const OptionSpec> specs, OptionRole role) {
  const auto found = std::ranges::find(specs, role, &OptionSpec::role);
  return found == specs.end() ? nullptr : &*found;
}

OptionSet::OptionSet(std::span<const OptionSpec> specs) : specs_(specs), set_(specs.size(), false) {
  values_.reserve(specs.size());
  for (const OptionSpec& spec : specs) values_.push_back(spec.default_value());
}

std::optional<size_t> OptionSet::find_index(std::string_view name, OptionForm form) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name && (form == OptionForm::kOwn || specs_[i].in_exact_form)) return i;
  }
  return std::nullopt;
}

size_t OptionSet::index_of(std::string_view name) const {
  if (const std::optional<size_t> i = find_index(name)) return *i;
  throw Error(ErrorKind::kInternal, "a feature was asked for an option that it lacks, \"{}\"",
              printable(name));
}

std::string OptionSet::nearest_option(std::string_view name, OptionForm form) const {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs_) {
    if (form == OptionForm::kExact && !spec.in_exact_form) continue;
    // An alias is a name's short form in reports, not an option.
    if (!spec.alias.empty() && spec.alias == name) return std::string(spec.name);
    names.emplace_back(spec.name);
  }
  return nearest(name, names);
}

void OptionSet::set(std::string_view name, std::string_view text, OptionForm form) {
  const std::optional<size_t> i = find_index(name, form);
  if (!i) {
    const std::string near = nearest_option(name, form);
    throw usage_error("unknown option \"{}\".{}", printable(name),
                      near.empty() ? "" : words(" Did you mean \"{}\"?", near));
  }
  if (set_[*i]) throw usage_error("option \"{}\" is given twice", name);
  values_[*i] = parse_value(specs_[*i], text, form);
  set_[*i] = true;
}

void OptionSet::put(std::string_view name, std::string_view text) {
  const size_t i = index_of(name);
  if (!set_[i]) values_[i] = parse_value(specs_[i], text, OptionForm::kOwn);
}

void OptionSet::resolve(std::string_view name, std::string_view text) {
  const size_t i = index_of(name);
  values_[i] = parse_value(specs_[i], text, OptionForm::kOwn);
}

bool OptionSet::is_set(std::string_view name) const {
  const std::optional<size_t> i = find_index(name);
  return i && set_[*i];
}

std::optional<OptionValue> OptionSet::find(std::string_view name) const {
  const std::optional<size_t> i = find_index(name);
  return i ? std::optional(values_[*i]) : std::nullopt;
}

void OptionSet::set_own_defaults() {
  for (const OptionSpec& spec : specs_) {
    if (!spec.own_default.empty()) put(spec.name, spec.own_default);
  }
}

bool OptionSet::is_default(std::string_view name) const {
  const size_t i = index_of(name);
  return values_[i] == specs_[i].default_value();
}

const OptionValue& OptionSet::value(std::string_view name) const { return values_[index_of(name)]; }

std::string OptionSet::text(std::string_view name) const {
  const OptionValue& own = value(name);
  const double* real = std::get_if<double>(&own);
  if (!real) return to_text(own);
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, *real);
  return std::string(digits, end.ptr);
}

std::string OptionSet::metric_name(std::string_view base) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < specs_.size(); ++i) {
    const OptionSpec& spec = specs_[i];
    const bool is_open = !spec.own_default.empty() && to_text(values_[i]) == spec.own_default;
    if (spec.in_metric_name && !is_open && values_[i] != spec.default_value()) order.push_back(i);
  }
  std::ranges::sort(order, [&](size_t a, size_t b) { return specs_[a].name < specs_[b].name; });
  std::string name(base);
  for (const size_t i : order) {
    name += '_';
    name += specs_[i].alias.empty() ? specs_[i].name : specs_[i].alias;
    if (specs_[i].kind == OptionKind::kBool) continue;
    name += '_';
    name += to_text(values_[i]);
  }
  return name;
}

}  // namespace vq
