#include "engine/models/catalogue.h"

#include <cmath>
#include <iterator>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"

namespace vq::model {

constexpr bool kFast = true, kV1 = true;
constexpr CatalogueEntry kEntries[] = {
    {"vmaf_v1.0.16_3d0h", 1080, 3, !kFast, kV1, "HD on a television"},
    {"vmaf_v1.0.16_5d0h", 1080, 5, !kFast, kV1, "HD on a phone"},
    {"vmaf_v1.0.16_1d5h_2160", 2160, 1.5, !kFast, kV1, "4K seen from near by"},
    {"vmaf_v1.0.16_3d0h_2160", 2160, 3, !kFast, kV1, "4K seen from 3 heights; scores up to 110"},
    {"vmaf_v1.0.16_hfr_3d0h", 1080, 3, kFast, kV1, "HD on a television"},
    {"vmaf_v1.0.16_hfr_5d0h", 1080, 5, kFast, kV1, "HD on a phone"},
    {"vmaf_v1.0.16_hfr_1d5h_2160", 2160, 1.5, kFast, kV1, "4K seen from near by"},
    {"vmaf_v1.0.16_hfr_3d0h_2160", 2160, 3, kFast, kV1, "4K seen from 3 heights; scores up to 110"},
    {"vmaf_v0.6.1", 1080, 3, !kFast, !kV1, "the classic one; enable_transform: on a phone"},
    {"vmaf_v0.6.1neg", 1080, 3, !kFast, !kV1, "to compare encoders: sharpening gains nothing"},
    {"vmaf_4k_v0.6.1", 2160, 1.5, !kFast, !kV1, "the classic one for 4K"},
    {"vmaf_4k_v0.6.1neg", 2160, 1.5, !kFast, !kV1, "to compare encoders: sharpening gains nothing"},
    {"vmaf_b_v0.6.3", 1080, 3, !kFast, !kV1, "with a confidence interval, from 20 models more"},
};

// Between HD and 4K, as near to one as to the other: lines, and columns if pictures are wide.
constexpr int kMostLines = 1620, kMostColumns = 2880;
constexpr double kFastRate = 40;  // frames a second; between 30 and 50
constexpr int kBitsOfV1 = 10;     // of scaled pictures

constexpr int k4kLines = 2160;
constexpr double kHdDistance = 3, k4kDistance = 1.5;  // at which displays of these lines are seen
constexpr std::string_view kNoGain = "neg";  // the end of the names of models that reward no sharpening

static std::string without_neg(std::string_view version) {
  return std::string(version.ends_with(kNoGain) ? version.substr(0, version.size() - kNoGain.size())
                                                : version);
}

static std::string rate_text(const CatalogueEntry& entry) {
  if (!entry.is_v1) return "any";
  return entry.is_fast ? "50, 60" : "up to 30";
}

// The columns of a picture that stands upright are its lines.
static int lines_of(const VideoFormat& format) { return std::min(format.width, format.height); }

static int columns_of(const VideoFormat& format) { return std::max(format.width, format.height); }

static int columns_of(const CatalogueEntry& entry) { return entry.lines * 16 / 9; }

// Whether the pictures fill the display one way or the other.
static bool is_of_size(const CatalogueEntry& entry, const VideoFormat& format) {
  const int lines = lines_of(format);
  return lines == entry.lines || (columns_of(format) == columns_of(entry) && lines < entry.lines);
}

// A model of the same kind for a display of the pictures' size; null if there is none.
static const CatalogueEntry* twin_of_size(const CatalogueEntry& entry, const VideoFormat& format) {
  const auto is_twin = [&](const CatalogueEntry& other) {
    return other.is_v1 == entry.is_v1 && other.is_fast == entry.is_fast &&
           other.model.ends_with(kNoGain) == entry.model.ends_with(kNoGain) && is_of_size(other, format);
  };
  const auto found = std::ranges::find_if(kEntries, is_twin);
  return found == std::end(kEntries) ? nullptr : &*found;
}

std::span<const CatalogueEntry> catalogue() { return kEntries; }

const CatalogueEntry* find_entry(std::string_view model) {
  const auto found = std::ranges::find(kEntries, model, &CatalogueEntry::model);
  return found == std::end(kEntries) ? nullptr : &*found;
}

std::string score_title(std::string_view source) {
  const CatalogueEntry* const entry = find_entry(source);
  if (entry == nullptr) return std::string(source.substr(source.find_last_of('/') + 1));
  const double usual = entry->lines == k4kLines ? k4kDistance : kHdDistance;
  std::string title = entry->lines == k4kLines ? "VMAF 4K " : "VMAF ";
  title += entry->is_v1 ? "v1" : without_neg(source.substr(source.rfind("_v") + 1));
  if (source.ends_with(kNoGain)) title += " NEG";
  return entry->distance == usual ? title : words("{} {}H", title, shortest_text(entry->distance));
}

std::string score_purpose(std::string_view source) {
  const CatalogueEntry* const entry = find_entry(source);
  if (entry == nullptr) return {};
  return words(
      "for {} seen from {} heights{}{}; not comparable with {}", entry->lines == k4kLines ? "4K" : "HD",
      shortest_text(entry->distance), source.ends_with(kNoGain) ? "; sharpening gains nothing" : "",
      entry->is_v1 && entry->lines == k4kLines && entry->distance != k4kDistance ? "; scores up to 110" : "",
      entry->is_v1 ? "v0.6.1" : "v1");
}

std::string unknown_model_text(const std::string& name) {
  constexpr size_t kMostShown = 2;
  std::vector<std::string> names, near;
  for (const CatalogueEntry& entry : kEntries) names.emplace_back(entry.model);
  // Names of the older float features have a twin among the integer ones.
  constexpr std::string_view kFloat = "_float";
  std::string wanted = lower_case(name);
  if (const size_t place = wanted.find(kFloat); place != std::string::npos)
    wanted.erase(place, kFloat.size());
  std::copy_if(names.begin(), names.end(), std::back_inserter(near),
               [&](const std::string& known) { return known.find(wanted) != std::string::npos; });
  if (const std::string one = nearest(wanted, names); !one.empty() && near.size() < names.size()) {
    near = {one};
  } else {
    std::ranges::stable_sort(near, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  }
  std::string text = words("there is no model \"{}\".", printable(name));
  if (near.empty() || near.size() == names.size())
    return words("{} Write auto, the name of a model (see: cambi models), or path=FILE", text);
  near.resize(std::min(near.size(), kMostShown));
  return words("{} Did you mean \"{}\"?", text, join(near, "\" or \""));
}

const CatalogueEntry& suited_model(const VideoFormat& reference, std::optional<double> frame_rate) {
  const bool is_4k = lines_of(reference) > kMostLines || columns_of(reference) > kMostColumns;
  const bool is_fast = frame_rate && *frame_rate > kFastRate;
  const auto suits = [&](const CatalogueEntry& entry) {
    return entry.is_v1 && entry.is_fast == is_fast && entry.lines == (is_4k ? 2160 : 1080);
  };
  return *std::ranges::find_if(kEntries, suits);  // the nearer one of two is first
}

std::optional<Fitting> fitting_for(const CatalogueEntry& entry, const VideoFormat& reference,
                                   const VideoFormat& distorted) {
  const int lines = lines_of(reference), columns = columns_of(reference);
  Fitting fitting{.size = reference.size()};
  if (!is_of_size(entry, reference)) {
    const double factor =
        std::min(static_cast<double>(entry.lines) / lines, static_cast<double>(columns_of(entry)) / columns);
    const auto side = [&](int samples) {
      return std::max(2, static_cast<int>(std::lround(samples * factor / 2)) * 2);
    };
    fitting.size = {side(reference.width), side(reference.height)};
  }
  if (!changes(fitting, reference) && !changes(fitting, distorted)) return std::nullopt;
  // Values that scaling computes between two levels are kept.
  if (entry.is_v1) fitting.least_bits = kBitsOfV1;
  return fitting;
}

std::string catalogue_table(size_t width) {
  TextTable table({{"model", kFlushLeft},
                   {"lines", kFlushRight},
                   {"distance", kFlushRight, 1},
                   {"frames/s", kFlushLeft, 2},
                   {"for", kFlushLeft, 0, 0, true}});
  for (const CatalogueEntry& entry : kEntries) {
    table.add({std::string(entry.model), std::to_string(entry.lines),
               words("{} heights", shortest_text(entry.distance)), rate_text(entry),
               std::string(entry.purpose)});
  }
  return table.text(width);
}

std::string expectation(const CatalogueEntry& entry, const VideoFormat& distorted) {
  if (is_of_size(entry, distorted)) return {};
  const CatalogueEntry* const twin = twin_of_size(entry, distorted);
  return words("{} is meant for pictures of a display with {} lines; these are {}. Try: {}version={}:scaled",
               entry.model, entry.lines, size_text(distorted.size()),
               twin == nullptr ? "" : words("version={}, or ", twin->model), entry.model);
}

std::string rate_expectation(const CatalogueEntry& entry, std::optional<double> frame_rate) {
  if (!entry.is_v1 || !frame_rate || entry.is_fast == (*frame_rate > kFastRate)) return {};
  const auto is_twin = [&](const CatalogueEntry& other) {
    return other.is_v1 && other.is_fast != entry.is_fast && other.lines == entry.lines &&
           other.distance == entry.distance;
  };
  const auto twin = std::ranges::find_if(kEntries, is_twin);
  return words("{} is meant for {} frames a second; these are {}. Try: version={}", entry.model,
               entry.is_fast ? "50 or 60" : "up to 30", significant_text(*frame_rate, 5), twin->model);
}

std::vector<std::string> expectations(const CatalogueEntry& entry, const VideoFormat& distorted,
                                      std::optional<double> frame_rate) {
  std::vector<std::string> lines = {expectation(entry, distorted), rate_expectation(entry, frame_rate)};
  std::erase(lines, "");
  if (distorted.transfer == Transfer::kPq || distorted.transfer == Transfer::kHlg) {
    lines.push_back("VMAF's models were made for standard dynamic range, and these pictures are " +
                    std::string(to_string(distorted.transfer)) +
                    ": compare scores only with those of other encodes of one source");
  }
  return lines;
}

}  // namespace vq::model
