#include "tests/fuzz/target.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace vq::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

bool add_targets(std::span<const Target> added) {
  targets().insert(targets().end(), added.begin(), added.end());
  return true;
}

void broken_promise(const std::string& what) {
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

void check_message(std::string_view text) {
  require(!text.empty(), "an error has a message");
  if (printable(text, std::string_view::npos) != text)
    broken_promise("not one line of text: " + printable(text, std::string_view::npos));
}

void run_refusable(std::initializer_list<ErrorKind> kinds, const char* what,
                   const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    require(contains(kinds, error.kind()), what);
    check_message(error.what());
  }
}

uint8_t ByteTaker::byte() {
  if (bytes_.empty()) return 0;
  const uint8_t value = bytes_.front();
  bytes_ = bytes_.subspan(1);
  return value;
}

uint64_t ByteTaker::word(int size_bytes) {
  uint64_t value = 0;
  for (int i = 0; i < size_bytes; ++i) value = value << 8 | byte();
  return value;
}

int ByteTaker::integer(int min, int max) {
  const uint64_t range = static_cast<uint64_t>(max - min) + 1;
  return min + static_cast<int>(word(range > 256 ? 2 : 1) % range);
}

std::string ByteTaker::text() {
  const size_t wanted = byte();  // before what is left is looked at
  const size_t size = std::min(wanted, bytes_.size());
  const std::string value(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(size));
  bytes_ = bytes_.subspan(size);
  return value;
}

double ByteTaker::real() {
  constexpr double kSpecial[] = {0.0, -0.0, 1.0, 5.5, 1e-7, 1e300, 24.0, 0.1};
  const uint8_t kind = byte();
  if (kind < 64) return kSpecial[kind % 8];
  if (kind < 160) return static_cast<double>(word(2)) / 1024;
  return std::bit_cast<double>(word(8));
}

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
