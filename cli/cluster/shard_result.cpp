#include "cli/cluster/shard_result.h"

#include <fstream>

#include "core/content_hash.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/json_values.h"
#include "engine/report/report_writer.h"

// Members of facts in JSON, for writing and for reading.

template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& out, const std::optional<T>& value) {
    out = value ? json(*value) : json(nullptr);
  }
  static void from_json(const json& from, std::optional<T>& value) {
    value = from.is_null() ? std::nullopt : std::optional(from.get<T>());
  }
};

namespace vq {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredLight, maxcll, maxfall, mastering_peak)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VideoFormat, name, width, height, bit_depth, chroma, range, transfer,
                                   matrix, primaries, chroma_location, frame_rate, stored_light)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VideoFormats, distorted, reference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ActiveArea, left, top, right, bottom)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BarsSeen, lit, plainly)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LookedBars, frame, reference, distorted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PaddedDepth::State, first, differing, bit_depth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SampledTypes::State, all, scored)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PartFindings, watches_pairs, bars, padding, types, pairs_read, shorter,
                                   distorted_frames, reference_frames, formats)

namespace cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FeatureShape, values, tallies, texts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShardShape, frames, pairs, features)

}  // namespace cli
}  // namespace vq

namespace vq::cli {
namespace {

// The file: kMagic, the plan's id, the number of the shard, the length of the facts and these; each frame
// with its number, time and flags, and of each feature values, tallies and words; each pair with its number
// and signatures; then the hash of all that, the length of the file and kEnd. Numbers are little endian, of 8
// bytes if nothing else is said; tallies of a frame are packed, behind their length.
constexpr std::string_view kMagic = "cambi shard 3\n", kEnd = "cambi.\n\n";
constexpr size_t kIdBytes = 16, kWord = 8;
constexpr size_t kHeadBytes = kMagic.size() + kIdBytes + kWord;
constexpr size_t kTailBytes = 2 * kWord + kEnd.size();
constexpr size_t kMostNumbers = size_t{1} << 20;  // of one kind that a feature has for a frame

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

// Frames that a feature did not look at have no values.
void put_frame(std::string& out, const PushedFrame& frame, const std::vector<FrameResult>& results,
               const ShardShape& shape, bool is_alone) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  put(out, frame.frame);
  put(out, frame.timestamp.value_or(kNone));
  put(out, flags_of(frame));
  for (size_t i = 0; i < shape.features.size(); ++i) {
    FrameValues values = is_alone ? results[i].values_if_last() : results[i].values;
    std::vector<std::string> texts = results[i].texts;
    values.resize(shape.features[i].values, kNone);
    texts.resize(shape.features[i].texts);
    for (const double value : values) put(out, value);
    if (shape.features[i].tallies > 0) put_words(out, packed(results[i].tallies));
    for (const std::string& text : texts) put_words(out, text);
  }
}

void put_pair(std::string& out, const LookedPair& pair, bool watches) {
  put(out, pair.frame);
  put(out, pair.scene.levels);
  if (!watches) return;
  put(out, pair.distorted.levels);
  put(out, pair.reference.levels);
}

// Reads what these write. Throws Error{kInput} at the end of the bytes.
class FrameBytes {
 public:
  FrameBytes(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}
  size_t at() const { return at_; }
  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) throw Error(ErrorKind::kInput, "its frames do not fit into it");
    return bytes_.substr(std::exchange(at_, at_ + count), count);
  }
  template <typename T>
  void read(T& value) {
    value = get<T>(take(sizeof(T)), 0);
  }
  std::string_view words() {
    uint64_t length = 0;
    read(length);
    return take(length);
  }
  PushedFrame frame() {
    PushedFrame frame;
    double time = 0;
    uint8_t flags = 0;
    read(frame.frame);
    read(time);
    read(flags);
    if (!std::isnan(time)) frame.timestamp = time;
    frame.is_reported = (flags & 1) != 0;
    frame.has_reference = (flags & 2) != 0;
    frame.distorted_repeats = flags >> 2 & 3;
    frame.reference_repeats = flags >> 4 & 3;
    return frame;
  }
  void results(const ShardShape& shape, std::vector<FrameResult>& results) {
    results.resize(shape.features.size());
    for (size_t i = 0; i < results.size(); ++i) {
      const FeatureShape& its = shape.features[i];
      FrameResult& result = results[i];
      result.values.resize(its.values);
      for (double& value : result.values) read(value);
      if (its.tallies > 0) unpack(words(), result.tallies, its.tallies);
      result.texts.resize(its.texts);
      for (std::string& text : result.texts) text = words();
    }
  }
  LookedPair pair(bool watches) {
    LookedPair pair;
    read(pair.frame);
    read(pair.scene.levels);
    if (!watches) return pair;
    read(pair.distorted.levels);
    read(pair.reference.levels);
    return pair;
  }

 private:
  const std::string_view bytes_;
  size_t at_;
};

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

// Throws Error{kInput} for numbers that no shard finds.
void check(const ShardShape& shape, const PartFindings& found) {
  const auto lies = [](auto value, auto least, auto most) {
    if (value < least || value > most) throw Error(ErrorKind::kInput, "it has numbers that no shard finds");
  };
  const auto is_one = [&](auto value, auto last) { lies(value, decltype(last){}, last); };
  const auto check_format = [&](const VideoFormat& format) {
    lies(format.width, 1, kMaxSide);
    lies(format.height, 1, kMaxSide);
    lies(format.bit_depth, 8, 16);
    is_one(format.chroma, Chroma::kOther);
    is_one(format.range, Range::kFull);
    is_one(format.transfer, Transfer::kLinear);
    is_one(format.matrix, Matrix::kRgb);
    is_one(format.primaries, Primaries::kOther);
    is_one(format.chroma_location, ChromaLocation::kBottom);
  };
  check_format(found.formats.distorted);
  if (found.formats.reference) check_format(*found.formats.reference);
  for (const LookedBars& bars : found.bars) {
    for (const BarsSeen* const seen : {&bars.reference, &bars.distorted}) {
      for (const ActiveArea& area : {seen->lit, seen->plainly}) {
        for (const int place : {area.left, area.top, area.right, area.bottom}) lies(place, 0, kMaxSide);
      }
    }
  }
  lies(found.padding.bit_depth, 0, 16);
  for (const SampledTypes::Counts& counts : {found.types.all, found.types.scored}) {
    for (const int64_t count : counts) lies(count, 0, kMostCounted);
  }
  is_one(found.shorter, ShorterVideo::kReference);
  for (const int64_t count :
       {found.pairs_read, found.distorted_frames.value_or(0), found.reference_frames.value_or(0)})
    lies(count, 0, kMostCounted);
  for (const FeatureShape& feature : shape.features) {
    for (const size_t count : {feature.values, feature.tallies, feature.texts})
      lies(count, size_t{0}, kMostNumbers);
  }
}

using nlohmann::json;

std::string facts_text(const ShardShape& shape, const ShardFacts& facts, const PartFindings& findings) {
  const std::string report =
      write_json(with_one_frame(facts.report),
                 {.format = ReportFormat::kJson, .numbers = kShortestNumbers, .extended = true});
  return json_text(json{{"shape", shape},
                        {"report", report},
                        {"opening_warnings", facts.opening_warnings},
                        {"findings", findings}});
}

// Throws Error{kInput}, or what the reader of JSON throws, if the text was not made by facts_text().
void read_facts_text(std::string_view text, ShardShape& shape, ShardFacts& facts, PartFindings& findings) {
  const json from = json::parse(text);
  from.at("shape").get_to(shape);
  facts.report = parse_report(from.at("report").get<std::string>(), "shard").report;
  from.at("opening_warnings").get_to(facts.opening_warnings);
  from.at("findings").get_to(findings);
  check(shape, findings);
  const size_t least = findings.shorter == ShorterVideo::kNone ? 1 : 2;
  if (facts.report.run.inputs.size() < least) throw Error(ErrorKind::kInput, "it does not name its videos");
}

}  // namespace

std::string shard_file(const ShardId& id, std::string_view facts, std::string_view frames) {
  std::string out = head_of(id);
  put(out, uint64_t{facts.size()});
  out.append(facts).append(frames);
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
  for (size_t i = 0; i < findings.frames.size(); ++i)
    put_frame(out, findings.frames[i], findings.results[i], shape, findings.frames.size() == 1);
  for (const LookedPair& pair : findings.pairs) put_pair(out, pair, findings.watches_pairs);
  return shard_file(id, facts_text(shape, facts, findings), out);
}

ResultState result_state(const std::string& path, const ShardId& id) { return read_result(path, id).state; }

ShardResult::ShardResult(const std::string& path, const ShardId& id) {
  ReadResult read = read_result(path, id);
  if (read.state != ResultState::kWhole) refuse(path, read.fault);
  bytes_ = std::move(read.bytes);
  bytes_.resize(bytes_.size() - kTailBytes);
  try {
    FrameBytes reader(bytes_, kHeadBytes);
    read_facts_text(reader.words(), shape_, facts_, findings_);
    read_places(reader.at());
  } catch (const nlohmann::json::exception& error) {
    refuse(path, "cannot be understood: " + printable(error.what(), 200));
  } catch (const Error& error) {
    refuse(path, "cannot be understood: " + printable(error.what(), 200));
  }
}

void ShardResult::refuse(const std::string& path, const std::string& why) const {
  throw Error(ErrorKind::kIncomplete, shown_path(path) + " " + why);
}

// All of it is read once, so that nothing is wrong later.
void ShardResult::read_places(size_t at) {
  FrameBytes reader(bytes_, at);
  std::vector<FrameResult> results;
  const auto read_all = [&](size_t count, std::vector<size_t>& places, auto read) {
    int64_t last = -1;
    for (size_t i = 0; i < count; ++i) {
      places.push_back(reader.at());
      const int64_t number = read();
      if (number <= last || number > kMaxFrameNumber)
        throw Error(ErrorKind::kInput, "its frames are out of order");
      last = number;
    }
  };
  read_all(shape_.frames, frames_, [&] {
    const int64_t number = reader.frame().frame;
    reader.results(shape_, results);
    return number;
  });
  read_all(shape_.pairs, pairs_, [&] { return reader.pair(findings_.watches_pairs).frame; });
  if (reader.at() != bytes_.size()) throw Error(ErrorKind::kInput, "it has more than its frames");
}

PushedFrame ShardResult::frame(size_t i) const { return FrameBytes(bytes_, frames_[i]).frame(); }

void ShardResult::fill(size_t i, std::vector<FrameResult>& results) const {
  FrameBytes reader(bytes_, frames_[i]);
  reader.frame();
  reader.results(shape_, results);
}

LookedPair ShardResult::pair(size_t i) const {
  return FrameBytes(bytes_, pairs_[i]).pair(findings_.watches_pairs);
}

}  // namespace vq::cli
