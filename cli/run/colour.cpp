#include "cli/run/colour.h"
#include "cli/text/message_text.h"


namespace vq::cli {
namespace {

const char* own_eotf(Transfer transfer) {
  switch (transfer) {
    case Transfer::kPq:
      return "pq";
    case Transfer::kHlg:
      return "hlg";
    case Transfer::kUnspecified:
    case Transfer::kBt1886:
    case Transfer::kOther:
      break;
  }
  return "bt1886";
}

const char* own_range(Range range) {
  return range == Range::kFull ? "full" : "limited";
}

// One of the two settings: its option, what was wished and what the stream stands for.
struct Setting {
  const char* option;
  std::string wish;
  std::string of_stream;
  bool tagged;
};

std::string settle(const Setting& setting, OptionSet& options) {
  const bool automatic = setting.wish == "auto";
  const std::string value = automatic ? setting.of_stream : setting.wish;
  options.set(setting.option, value, OptionForm::kOwn);
  const char* origin = !automatic ? "as asked" : setting.tagged ? "from the stream" : "assumed";
  return std::string(setting.option) + "=" + value + " (" + origin + ")";
}

void warn_of_wishes(const ColourWishes& wishes, const VideoFormat& video, ColourOutcome& outcome) {
  const std::string name = shown_path(video.name);
  const bool hdr = video.transfer == Transfer::kPq || video.transfer == Transfer::kHlg;
  const bool tagged = video.transfer != Transfer::kUnspecified && video.transfer != Transfer::kOther;
  if (wishes.eotf != "auto" && (tagged || hdr) && wishes.eotf != own_eotf(video.transfer)) {
    outcome.warnings.push_back(name + " is tagged " + std::string(to_string(video.transfer)) +
                               ", but --eotf says " + wishes.eotf + ".");
  }
  if (wishes.range != "auto" && video.range != Range::kUnspecified &&
      wishes.range != own_range(video.range)) {
    outcome.warnings.push_back(name + " is tagged " + std::string(to_string(video.range)) +
                               " range, but --range says " + wishes.range + ".");
  }
}

}  // namespace

ColourOutcome settle_colour(const ColourWishes& wishes, const InputFormats& formats, OptionSet& options) {
  const VideoFormat& video = formats.distorted;
  ColourOutcome outcome;
  const bool known = video.transfer != Transfer::kUnspecified && video.transfer != Transfer::kOther;
  const std::string eotf = settle({"eotf", wishes.eotf, own_eotf(video.transfer), known}, options);
  outcome.notes.push_back(eotf);
  const std::string range =
      settle({"range", wishes.range, own_range(video.range), video.range != Range::kUnspecified}, options);
  // Limited range is what everybody expects.
  if (options.get_text("range") == "full" || wishes.range != "auto") outcome.notes.push_back(range);
  warn_of_wishes(wishes, video, outcome);
  if (!formats.reference || !options.get_bool("full_ref")) return outcome;
  const VideoFormat& reference = *formats.reference;
  const auto differs = [&](const std::string& what, const std::string& one, const std::string& other) {
    if (one == other) return;
    outcome.warnings.push_back(shown_path(video.name) + " is " + one + " and " +
                               shown_path(reference.name) + " is " + other + "; the " + what +
                               " of the first is used for both.");
  };
  differs("transfer function", own_eotf(video.transfer), own_eotf(reference.transfer));
  differs("range", std::string(own_range(video.range)) + " range",
          std::string(own_range(reference.range)) + " range");
  return outcome;
}

std::vector<std::string> exact_colour_warnings(const InputFormats& formats, bool uses_pq) {
  std::vector<std::string> warnings;
  for (const VideoFormat* format : {&formats.distorted, formats.reference ? &*formats.reference : nullptr}) {
    if (format == nullptr) continue;
    if (format->range == Range::kFull) {
      warnings.push_back(format->name + " is full range; CAMBI's thresholds assume limited range.");
    }
    if (format->transfer == Transfer::kPq && !uses_pq) {
      warnings.push_back(format->name + " is PQ, but visibility is that of BT.1886. Try --eotf pq.");
    }
  }
  return warnings;
}

}  // namespace vq::cli
