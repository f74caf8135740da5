#include "tests/support/random_feature.h"

#include <algorithm>

#include "feature/registry.h"

namespace vq::cli::test {
namespace {

// Any value in its range, as text.
std::string random_value(const OptionSpec& spec, std::mt19937& random) {
  const auto share = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  switch (spec.kind) {
    case OptionKind::kBool:
      return random() % 2 ? "true" : "false";
    case OptionKind::kChoice:
      return std::string(spec.choices[random() % spec.choices.size()]);
    case OptionKind::kInt:
      if (!spec.allowed.empty()) return std::to_string(spec.allowed[random() % spec.allowed.size()]);
      return std::to_string(static_cast<int>(spec.min + share() * (spec.max - spec.min)));
    case OptionKind::kReal:
      return std::to_string(std::clamp(spec.min + share() * (spec.max - spec.min), spec.min, spec.max));
    case OptionKind::kPath:
      break;
  }
  return "";
}

}  // namespace

std::string random_feature(std::mt19937& random) {
  const FeatureInfo& info = find_feature("cambi");
  std::string text = "cambi";
  char separator = '=';
  for (const OptionSpec& spec : info.options) {
    // A source of 8K takes seconds; the other tests have those.
    if (spec.kind == OptionKind::kPath || !spec.in_exact_form) continue;
    if (spec.name.starts_with("src_") || random() % 3 != 0) continue;
    text += separator;
    text.append(spec.name).append("=").append(random_value(spec, random));
    separator = ':';
  }
  return text;
}

}  // namespace vq::cli::test
