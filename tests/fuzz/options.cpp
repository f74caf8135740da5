#include "tests/fuzz/options.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace vq::fuzz {
namespace {

// A part of a range, 0 to 1.
double share_of_range(ByteTaker& taker, bool is_round) {
  constexpr int kSteps = 39;  // of 0.1 in 0.1 to 4
  return is_round ? static_cast<double>(taker.integer(0, kSteps)) / kSteps
                  : static_cast<double>(taker.word(2)) / 65535;
}

}  // namespace

OptionSet take_options(ByteTaker& taker, std::span<const OptionSpec> specs,
                       double (*most_of)(const OptionSpec&)) {
  OptionSet set(specs);
  for (const OptionSpec& spec : specs) {
    const uint8_t how = taker.byte();
    if ((how & 1) == 0) continue;
    switch (spec.kind) {
      case OptionKind::kBool:
        set.set(spec.name, spec.default_number == 0 ? "true" : "false");
        break;
      case OptionKind::kChoice: {
        std::vector<std::string_view> words(spec.choices.begin(), spec.choices.end());
        words.insert(words.end(), spec.own_choices.begin(), spec.own_choices.end());
        set.set(spec.name, words[taker.byte() % words.size()], OptionForm::kOwn);
        break;
      }
      case OptionKind::kInt:
        set.set(spec.name,
                std::to_string(spec.allowed.empty() ? taker.integer(static_cast<int>(spec.min),
                                                                    static_cast<int>(most_of(spec)))
                                                    : spec.allowed[taker.byte() % spec.allowed.size()]));
        break;
      case OptionKind::kReal: {
        const double share = share_of_range(taker, (how & 2) != 0);
        set.set(spec.name, std::to_string(spec.min + share * (most_of(spec) - spec.min)));
        break;
      }
      case OptionKind::kPath:
        break;
    }
  }
  return set;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double one, double other) {
    return std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(other) ||
           (std::isnan(one) && std::isnan(other));
  });
}

}  // namespace vq::fuzz
