#include "cli/cluster/shard_result.h"

#include <nlohmann/json.hpp>

#include <fstream>

#include "core/content_hash.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/json_values.h"
#include "engine/report/report_writer.h"

namespace vq::cli {
namespace {

// The file: kMagic, the plan's id, the number of the shard, the length of the facts and these; of all frames
// their numbers, times and flags; of each feature all values, all tallies, all words; of all pairs their
// numbers and signatures; then the hash of all that, the length of the file and kEnd. Numbers are little
// endian, of 8 bytes if nothing else is said; tallies of a frame are packed, behind their length.
constexpr std::string_view kMagic = "cambi shard 2\n", kEnd = "cambi.\n\n";
constexpr size_t kIdBytes = 16, kWord = 8;
constexpr size_t kHeadBytes = kMagic.size() + kIdBytes + kWord;
constexpr size_t kTailBytes = 2 * kWord + kEnd.size();
constexpr size_t kMostTallies = size_t{1} << 20;  // of a frame
constexpr size_t kSignatureBytes = sizeof(Signature::levels);

template <typename T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

std::string head_of(const ShardId& id) {
  std::string head(kMagic);
  head += id.plan;
  head.resize(kMagic.size() + kIdBytes, ' ');
  put(head, id.shard);
  return head;
}

// One byte: whether it is reported, whether there is a reference, and repeated planes of either.
uint8_t flags_of(const PushedFrame& frame) {
  return static_cast<uint8_t>((frame.is_reported ? 1 : 0) | (frame.has_reference ? 2 : 0) |
                              frame.distorted_repeats << 2 | frame.reference_repeats << 4);
}

constexpr size_t kFrameBytes = 2 * kWord + 1;

ShardShape shape_of(const PartFindings& findings) {
  ShardShape shape{.frames = findings.frames.size(), .pairs = findings.pairs.size(), .features = {}};
  for (const std::vector<FrameResult>& results : findings.results) {
    shape.features.resize(std::max(shape.features.size(), results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      FeatureShape& feature = shape.features[i];
      feature.values = std::max(feature.values, results[i].values.size());
      feature.tallies = std::max(feature.tallies, results[i].tallies.size());
      feature.texts = std::max(feature.texts, results[i].texts.size());
    }
  }
  return shape;
}

// Packs numbers of which most are 0 or whole, as counts are: of each that is not 0 the zeros before it, times
// 8, and how many of its lowest bytes are 0, as one number of 7 bits a byte, the lowest first; then the other
// bytes.
std::string packed(const std::vector<double>& numbers) {
  std::string out;
  uint64_t zeros = 0;
  for (const double number : numbers) {
    const auto bits = std::bit_cast<uint64_t>(number);
    if (bits == 0) {
      ++zeros;
      continue;
    }
    const auto low = static_cast<size_t>(std::countr_zero(bits) / 8);
    uint64_t head = 8 * std::exchange(zeros, 0) + low;
    for (; head >= 128; head >>= 7) out += static_cast<char>(head | 128);
    out += static_cast<char>(head);
    out.append(reinterpret_cast<const char*>(&bits) + low, kWord - low);
  }
  return out;
}

// Throws Error{kInput} if the bytes do not hold `count` numbers.
void unpack(std::string_view bytes, std::vector<double>& numbers, size_t count) {
  numbers.assign(count, 0);
  size_t place = 0;
  const auto need = [](bool holds) {
    if (!holds) throw Error(ErrorKind::kInput, "its tallies are no such numbers");
  };
  for (size_t at = 0; at < bytes.size(); ++place) {
    uint64_t head = 0;
    for (int shift = 0, more = 1; more != 0; shift += 7) {
      need(at < bytes.size() && shift < 35);
      const auto byte = static_cast<uint8_t>(bytes[at++]);
      head |= uint64_t{byte & 127U} << shift;
      more = byte & 128;
    }
    place += head / 8;
    const size_t low = head % 8;
    need(place < count && bytes.size() - at >= kWord - low);
    std::memcpy(reinterpret_cast<char*>(&numbers[place]) + low, bytes.data() + at, kWord - low);
    at += kWord - low;
  }
}

void put_words(std::string& out, const std::string& text) {
  put(out, uint64_t{text.size()});
  out += text;
}

void put_feature(std::string& out, const PartFindings& findings, size_t feature, const FeatureShape& shape) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  // Frames that a feature did not look at have no values.
  for (const auto& results : findings.results) {
    const FrameResult& result = results[feature];
    const bool is_alone = findings.results.size() == 1 && result.if_last;
    const FrameValues values = is_alone ? result.if_last() : result.values;
    for (size_t i = 0; i < shape.values; ++i) put(out, i < values.size() ? values[i] : kNone);
  }
  for (const auto& results : findings.results) {
    if (shape.tallies > 0) put_words(out, packed(results[feature].tallies));
  }
  for (const auto& results : findings.results) {
    for (size_t i = 0; i < shape.texts; ++i)
      put_words(out, i < results[feature].texts.size() ? results[feature].texts[i] : std::string());
  }
}

void put_pair(std::string& out, const LookedPair& pair, bool watches) {
  put(out, pair.frame);
  put(out, pair.scene.levels);
  if (!watches) return;
  put(out, pair.distorted.levels);
  put(out, pair.reference.levels);
}

struct ReadResult {
  ResultState state = ResultState::kDamaged;
  const char* fault = "";  // in words that go on after the path
  std::string bytes = {};
};

// The only check there is: what it calls whole is merged, anything else is scored again. Of another plan is
// what is whole by itself.
ReadResult read_result(const std::string& path, const ShardId& id) {
  errno = 0;  // which C++ libraries need not set
  std::ifstream file(path_of(path), std::ios::binary | std::ios::ate);
  if (!file && input_error_kind(errno) == ErrorKind::kResource)
    throw input_error(path, "cannot be opened", errno);
  if (!file) return {ResultState::kAbsent, "is not there"};
  std::string bytes(static_cast<size_t>(std::max<std::streamoff>(0, file.tellg())), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return {ResultState::kDamaged, "cannot be read"};
  const size_t most = bytes.size() - std::min(bytes.size(), kTailBytes);
  const bool is_cut = most < kHeadBytes + kWord || !bytes.ends_with(kEnd) ||
                      get<uint64_t>(bytes, most + kWord) != bytes.size();
  if (is_cut) return {ResultState::kDamaged, "was cut"};
  if (get<uint64_t>(bytes, most) != content_hash(std::string_view(bytes).substr(0, most)))
    return {ResultState::kDamaged, "was changed"};
  if (!bytes.starts_with(head_of(id))) return {ResultState::kForeign, "is of another plan"};
  return {ResultState::kWhole, "", std::move(bytes)};
}

using nlohmann::json;

json light_json(const StoredLight& light) {
  json levels = json::array();
  for (const std::optional<double>& level : {light.maxcll, light.maxfall, light.mastering_peak})
    levels.push_back(level ? json(*level) : json(nullptr));
  return levels;
}

StoredLight light_of(const json& from) {
  const auto level = [&](size_t i) {
    return from.at(i).is_null() ? std::nullopt : std::optional(from.at(i).get<double>());
  };
  return {level(0), level(1), level(2)};
}

json format_json(const VideoFormat& format) {
  return {{"name", format.name},
          {"width", format.width},
          {"height", format.height},
          {"bit_depth", format.bit_depth},
          {"chroma", static_cast<int>(format.chroma)},
          {"range", static_cast<int>(format.range)},
          {"transfer", static_cast<int>(format.transfer)},
          {"matrix", static_cast<int>(format.matrix)},
          {"primaries", static_cast<int>(format.primaries)},
          {"chroma_location", static_cast<int>(format.chroma_location)},
          {"frame_rate", format.frame_rate},
          {"stored_light", light_json(format.stored_light)}};
}

int number_of(const json& from, int least, int most) {
  return static_cast<int>(whole_number(from, least, most));
}

size_t size_of(const json& from) {
  return static_cast<size_t>(whole_number(from));
}

template <typename Enumeration>
Enumeration one_of(const json& from, Enumeration last) {
  return static_cast<Enumeration>(number_of(from, 0, static_cast<int>(last)));
}

VideoFormat format_of(const json& from) {
  return {.name = from.at("name"),
          .width = number_of(from.at("width"), 1, kMaxSide),
          .height = number_of(from.at("height"), 1, kMaxSide),
          .bit_depth = number_of(from.at("bit_depth"), 8, 16),
          .chroma = one_of(from.at("chroma"), Chroma::kOther),
          .range = one_of(from.at("range"), Range::kFull),
          .transfer = one_of(from.at("transfer"), Transfer::kLinear),
          .matrix = one_of(from.at("matrix"), Matrix::kRgb),
          .primaries = one_of(from.at("primaries"), Primaries::kOther),
          .chroma_location = one_of(from.at("chroma_location"), ChromaLocation::kBottom),
          .frame_rate = from.at("frame_rate"),
          .stored_light = light_of(from.at("stored_light"))};
}

json formats_json(const VideoFormats& formats) {
  return {{"distorted", format_json(formats.distorted)},
          {"reference", formats.reference ? format_json(*formats.reference) : json(nullptr)}};
}

VideoFormats formats_of(const json& from) {
  VideoFormats formats{.distorted = format_of(from.at("distorted")), .reference = {}};
  if (!from.at("reference").is_null()) formats.reference = format_of(from.at("reference"));
  return formats;
}

json area_json(const ActiveArea& area) {
  return {area.left, area.top, area.right, area.bottom};
}

ActiveArea area_of(const json& from) {
  const auto place = [&](size_t i) { return number_of(from.at(i), 0, kMaxSide); };
  return {place(0), place(1), place(2), place(3)};
}

json bars_json(const BarsSeen& bars) {
  return {area_json(bars.lit), area_json(bars.plainly)};
}

BarsSeen bars_of(const json& from) {
  return {area_of(from.at(0)), area_of(from.at(1))};
}

json looked_bars_json(const std::vector<LookedBars>& looked) {
  json list = json::array();
  for (const LookedBars& bars : looked)
    list.push_back({bars.frame, bars_json(bars.reference), bars_json(bars.distorted)});
  return list;
}

std::vector<LookedBars> looked_bars_of(const json& from) {
  std::vector<LookedBars> looked;
  for (const json& bars : from) {
    looked.push_back({bars.at(0).get<int64_t>(), bars_of(bars.at(1)), bars_of(bars.at(2))});
  }
  return looked;
}

json optional_json(const std::optional<int64_t>& number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<int64_t> optional_of(const json& from) {
  return from.is_null() ? std::nullopt : std::optional(whole_number(from));
}

json shape_json(const ShardShape& shape) {
  json features = json::array();
  for (const FeatureShape& feature : shape.features)
    features.push_back({feature.values, feature.tallies, feature.texts});
  return {{"frames", shape.frames}, {"pairs", shape.pairs}, {"features", std::move(features)}};
}

ShardShape shape_of(const json& from) {
  ShardShape shape{.frames = size_of(from.at("frames")), .pairs = size_of(from.at("pairs")), .features = {}};
  for (const json& feature : from.at("features"))
    shape.features.push_back({size_of(feature.at(0)), size_of(feature.at(1)), size_of(feature.at(2))});
  return shape;
}

PaddedDepth::State padding_of(const json& from) {
  const auto bits = [&](size_t i) { return static_cast<uint16_t>(number_of(from.at(i), 0, UINT16_MAX)); };
  return {bits(0), bits(1), number_of(from.at(2), 0, 16)};
}

SampledTypes::Counts counts_of(const json& from) {
  SampledTypes::Counts counts;
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = whole_number(from.at(i));
  return counts;
}

// Reports have a frame at the least.
Report with_one_frame(Report report) {
  report.frames = {0};
  report.timestamps = {std::nullopt};
  for (Metric& metric : report.metrics) metric.values = {0};
  report.texts.clear();
  report.run.scene_cuts.reset();
  report.run.segments.clear();
  return report;
}

std::string facts_text(const ShardShape& shape, const ShardFacts& facts, const PartFindings& findings) {
  const NumberStyle exact = {NumberStyle::Kind::kShortest, 0};
  const std::string report = write_json(with_one_frame(facts.report),
                                        {.format = ReportFormat::kJson, .numbers = exact, .extended = true});
  return json_text(
      json{{"shape", shape_json(shape)},
           {"report", report},
           {"opening_warnings", facts.opening_warnings},
           {"watches_pairs", findings.watches_pairs},
           {"bars", looked_bars_json(findings.bars)},
           {"padding", {findings.padding.first, findings.padding.differing, findings.padding.bit_depth}},
           {"types", {findings.types.all, findings.types.scored}},
           {"pairs_read", findings.pairs_read},
           {"shorter", static_cast<int>(findings.shorter)},
           {"distorted_frames", optional_json(findings.distorted_frames)},
           {"reference_frames", optional_json(findings.reference_frames)},
           {"formats", formats_json(findings.formats)}});
}

// Throws Error{kInput}, or what the reader of JSON throws, if the text was not made by facts_text().
void read_facts_text(const std::string& text, ShardShape& shape, ShardFacts& facts, PartFindings& findings) {
  const json from = json::parse(text);
  shape = shape_of(from.at("shape"));
  facts.report = parse_report(from.at("report").get<std::string>(), "shard").report;
  facts.opening_warnings = size_of(from.at("opening_warnings"));
  findings.watches_pairs = from.at("watches_pairs");
  findings.bars = looked_bars_of(from.at("bars"));
  findings.padding = padding_of(from.at("padding"));
  findings.types = {counts_of(from.at("types").at(0)), counts_of(from.at("types").at(1))};
  findings.pairs_read = whole_number(from.at("pairs_read"));
  findings.shorter = one_of(from.at("shorter"), ShorterVideo::kReference);
  const size_t least = findings.shorter == ShorterVideo::kNone ? 1 : 2;
  if (facts.report.run.inputs.size() < least) throw Error(ErrorKind::kInput, "it does not name its videos");
  findings.distorted_frames = optional_of(from.at("distorted_frames"));
  findings.reference_frames = optional_of(from.at("reference_frames"));
  findings.formats = formats_of(from.at("formats"));
}

}  // namespace

std::string shard_file(const ShardId& id, std::string_view facts, std::string_view columns) {
  std::string out = head_of(id);
  put(out, uint64_t{facts.size()});
  out.append(facts).append(columns);
  put(out, content_hash(out));
  put(out, uint64_t{out.size() + kWord + kEnd.size()});
  return out += kEnd;
}

std::string shard_text(const ShardId& id, const ShardFacts& facts, const PartFindings& findings) {
  if (findings.results.size() != findings.frames.size()) {
    throw Error(ErrorKind::kInternal, "a shard has {} results for {} frames", findings.results.size(),
                findings.frames.size());
  }
  const ShardShape shape = shape_of(findings);
  std::string out;
  for (const PushedFrame& frame : findings.frames) put(out, frame.frame);
  for (const PushedFrame& frame : findings.frames)
    put(out, frame.timestamp.value_or(std::numeric_limits<double>::quiet_NaN()));
  for (const PushedFrame& frame : findings.frames) put(out, flags_of(frame));
  for (size_t i = 0; i < shape.features.size(); ++i) put_feature(out, findings, i, shape.features[i]);
  for (const LookedPair& pair : findings.pairs) put_pair(out, pair, findings.watches_pairs);
  return shard_file(id, facts_text(shape, facts, findings), out);
}

ResultState result_state(const std::string& path, const ShardId& id) {
  return read_result(path, id).state;
}

ShardResult::ShardResult(const std::string& path, const ShardId& id) {
  ReadResult read = read_result(path, id);
  if (read.state != ResultState::kWhole) refuse(path, read.fault);
  bytes_ = std::move(read.bytes);
  const size_t most = bytes_.size() - kTailBytes;
  const auto length = get<uint64_t>(bytes_, kHeadBytes);
  try {
    if (length > most - kHeadBytes - kWord) throw Error(ErrorKind::kInput, "its facts do not fit into it");
    read_facts_text(bytes_.substr(kHeadBytes + kWord, length), shape_, facts_, findings_);
    read_columns(kHeadBytes + kWord + length);
    check_numbers();
  } catch (const nlohmann::json::exception& error) {
    refuse(path, "cannot be understood: " + printable(error.what(), 200));
  } catch (const Error& error) {
    refuse(path, "cannot be understood: " + printable(error.what(), 200));
  }
}

void ShardResult::refuse(const std::string& path, const std::string& why) const {
  throw Error(ErrorKind::kIncomplete, shown_path(path) + " " + why);
}

void ShardResult::read_columns(size_t at) {
  const size_t most = bytes_.size() - kTailBytes;
  const auto take = [&](size_t count, size_t each, size_t bytes) {
    if (count > 0 && each > (most - at) / bytes / count)
      throw Error(ErrorKind::kInput, "its frames do not fit into it");
    return std::exchange(at, at + count * each * bytes);
  };
  frames_at_ = take(frames(), 1, kFrameBytes);
  for (const FeatureShape& shape : shape_.features) {
    Columns& columns = features_.emplace_back();
    columns.values = take(frames(), shape.values, kWord);
    if (shape.tallies > kMostTallies) throw Error(ErrorKind::kInput, "it has too many tallies");
    at = read_words(shape.tallies > 0 ? 1 : 0, columns.tallies, at);
    at = read_words(shape.texts, columns.words, at);
    std::vector<double> tallies;
    for (const auto& words : columns.tallies) unpack(words.front(), tallies, shape.tallies);
  }
  pairs_at_ = take(pairs(), 1, pair_bytes());
  if (at != most) throw Error(ErrorKind::kInput, "it has more than its frames");
}

size_t ShardResult::read_words(size_t count, WordsOfFrames& all, size_t at) const {
  const size_t most = bytes_.size() - kTailBytes;
  if (count == 0) return at;
  all.resize(frames());
  for (std::vector<std::string>& words : all) {
    for (size_t i = 0; i < count; ++i) {
      if (most - at < kWord || get<uint64_t>(bytes_, at) > most - at - kWord)
        throw Error(ErrorKind::kInput, "its words do not fit into it");
      const auto length = get<uint64_t>(bytes_, at);
      words.push_back(bytes_.substr(at + kWord, length));
      at += kWord + length;
    }
  }
  return at;
}

void ShardResult::check_numbers() const {
  const auto check = [&](size_t count, size_t from, size_t stride) {
    int64_t last = -1;
    for (size_t i = 0; i < count; ++i) {
      const auto number = get<int64_t>(bytes_, from + i * stride);
      if (number <= last || number > kMaxFrameNumber)
        throw Error(ErrorKind::kInput, "its frames are out of order");
      last = number;
    }
  };
  check(frames(), frames_at_, kWord);
  check(pairs(), pairs_at_, pair_bytes());
}

size_t ShardResult::pair_bytes() const {
  return kWord + kSignatureBytes * (findings_.watches_pairs ? 3 : 1);
}

PushedFrame ShardResult::frame(size_t i) const {
  const auto time = get<double>(bytes_, frames_at_ + (frames() + i) * kWord);
  const auto flags = get<uint8_t>(bytes_, frames_at_ + 2 * frames() * kWord + i);
  return {.frame = get<int64_t>(bytes_, frames_at_ + i * kWord),
          .timestamp = std::isnan(time) ? std::nullopt : std::optional(time),
          .is_reported = (flags & 1) != 0,
          .has_reference = (flags & 2) != 0,
          .distorted_repeats = flags >> 2 & 3,
          .reference_repeats = flags >> 4 & 3};
}

void ShardResult::fill(size_t i, std::vector<FrameResult>& results) const {
  results.resize(features_.size());
  for (size_t f = 0; f < features_.size(); ++f) {
    const Columns& columns = features_[f];
    const FeatureShape& shape = shape_.features[f];
    const size_t bytes = shape.values * kWord;
    results[f].values.resize(shape.values);
    if (bytes > 0) std::memcpy(results[f].values.data(), bytes_.data() + columns.values + i * bytes, bytes);
    if (shape.tallies > 0) unpack(columns.tallies[i].front(), results[f].tallies, shape.tallies);
    if (shape.texts > 0) results[f].texts = columns.words[i];
  }
}

LookedPair ShardResult::pair(size_t i) const {
  const size_t at = pairs_at_ + i * pair_bytes();
  LookedPair pair;
  pair.frame = get<int64_t>(bytes_, at);
  pair.scene.levels = get<decltype(Signature::levels)>(bytes_, at + kWord);
  if (!findings_.watches_pairs) return pair;
  pair.distorted.levels = get<decltype(Signature::levels)>(bytes_, at + kWord + kSignatureBytes);
  pair.reference.levels = get<decltype(Signature::levels)>(bytes_, at + kWord + 2 * kSignatureBytes);
  return pair;
}

}  // namespace vq::cli
