#include "cli/commands/flags.h"

#include <fstream>

#include "cli/batch/batch_task.h"
#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/compare.h"
#include "cli/reports/rate_report.h"
#include "cli/run/ending.h"
#include "cli/run/run_cuts.h"
#include "cli/run/scoring_run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/metric.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/comparison/setting_search.h"
#include "engine/known_metrics.h"
#include "engine/models/model_features.h"
#include "engine/report/json_values.h"
#include "engine/report/statistic.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// What stands for what in a command: in each word, any number of times.
constexpr std::string_view kPartInput = "{in}", kPartOutput = "{out}", kPartSetting = "{crf}";
constexpr int kCoresOfJob = 4;
constexpr size_t kShownLines = 8, kMostLog = size_t{1} << 20, kMostKept = size_t{64} << 20;

// The header of a y4m file of these frames, as they are delivered.
std::string y4m_header(const VideoInfo& info) {
  const VideoFormat& format = info.format;
  const char* const chroma = format.chroma == Chroma::k400   ? "mono"
                             : format.chroma == Chroma::k420 ? "420"
                             : format.chroma == Chroma::k422 ? "422"
                             : format.chroma == Chroma::k444 ? "444"
                                                             : nullptr;
  if (chroma == nullptr) {
    throw Error(ErrorKind::kMismatch, "{} has {} samples, which parts for an encoder cannot have",
                shown_path(info.path), to_string(format.chroma));
  }
  std::string samples = chroma;
  if (format.bit_depth > 8)
    samples += (format.chroma == Chroma::k400 ? "" : "p") + std::to_string(format.bit_depth);
  const FrameRate rate = info.frame_rate() ? info.rate : FrameRate{static_cast<int>(kAssumedFrameRate), 1};
  return words("YUV4MPEG2 W{} H{} F{}:{} Ip C{}{}\n", format.width, format.height, rate.num, rate.den,
               samples,
               format.range == Range::kFull      ? " XCOLORRANGE=FULL"
               : format.range == Range::kLimited ? " XCOLORRANGE=LIMITED"
                                                 : "");
}

template <typename Sample>
void write_plane(std::ofstream& file, const PlaneView<const Sample>& plane) {
  static_assert(std::endian::native == std::endian::little);
  for (int y = 0; y < plane.height; ++y) {
    file.write(reinterpret_cast<const char*>(plane.row(y)),
               static_cast<std::streamsize>(plane.width) * static_cast<std::streamsize>(sizeof(Sample)));
  }
}

std::string replaced(std::string word, std::string_view what, const std::string& with) {
  for (size_t at = word.find(what); at != word.npos; at = word.find(what, at + with.size()))
    word.replace(at, what.size(), with);
  return word;
}

// What the command left under the name of its output, perhaps with an extension of its own.
std::string output_in(const std::string& folder, std::string_view name) {
  std::string found;
  uintmax_t most = 0;  // logs and statistics are smaller
  for (const fs::directory_entry& entry : fs::directory_iterator(path_of(folder))) {
    const std::string own = text_of(entry.path().filename());
    if (!entry.is_regular_file() || !own.starts_with(name) || entry.file_size() == 0) continue;
    if (own == name) return text_of(entry.path());
    if (entry.file_size() > most) found = text_of(entry.path());
    most = std::max(most, entry.file_size());
  }
  return found;
}

// The last lines of what a program printed, where a carriage return ends a line as well.
std::string last_lines(const std::string& path) {
  const uintmax_t size = fs::file_size(path_of(path));
  if (size == 0) return ", and prints nothing";
  std::ifstream file(path_of(path), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(size - std::min<uintmax_t>(size, kMostLog)));
  std::string log(std::istreambuf_iterator<char>(file), {});
  std::ranges::replace(log, '\r', '\n');
  std::vector<std::string> lines;
  for (const std::string_view line : split(log, '\n')) {
    if (!line.empty()) lines.push_back(printable(line, 200));
  }
  const size_t first = lines.size() - std::min(lines.size(), kShownLines);
  return words(": {}", join(std::span(lines).subspan(first), " | "));
}

// A part as it was kept; nothing if it was not, or not whole.
std::optional<EncodedPart> kept_part(const std::string& path) {
  if (path.empty() || !fs::exists(path_of(path))) return std::nullopt;
  try {
    const auto kept = nlohmann::json::parse(read_file(path, kMostKept));
    return EncodedPart{kept.at("scores"), kept.at("bytes"), kept.at("seconds")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

struct EncoderRequest {
  std::vector<std::string> command;  // with kPartInput, kPartOutput and kPartSetting
  std::string metric;                // as find_named() takes it
  std::string keep;                  // a folder for results, so that no part is encoded twice; empty: none
  std::string key;                   // all that decides the scores, besides the film and the command
  int jobs = 0;                      // parts at a time; 0: one for each four cores
};

// Parts of a film, encoded by a command of the user and scored against the film.
class PartEncoder {
 public:
  // Reads the packets of the film, which `options` name as both of its videos; its features are what is
  // scored. Options and messages, to which warnings go, outlive this. Throws as ScoringRun; Error{kUsage} for
  // a metric that is not scored, Error{kInput} for a film that cannot be cut.
  PartEncoder(const RunOptions& options, EncoderRequest request, Messages& messages)
      : options_(options),
        request_(std::move(request)),
        messages_(messages),
        of_parts_(sharing_devices(options)) {
    const std::string name = shown_path(options.distorted);
    check_read_twice(options.distorted, "search reads the film");
    index_ = index_of(options, Role::kReference);
    if (!index_.whole.empty()) throw Error(ErrorKind::kInput, "{} cannot be cut: {}", name, index_.whole);
    if (!index_.pictures || *index_.pictures < 1) throw Error(ErrorKind::kInput, "{} has no frames", name);
    Messages silent([](std::string_view) {});
    RunOptions checked = options;
    checked.joins_after = 0;  // nothing is scored here, so no device is opened
    const ScoringRun run(checked, silent);
    const SettledRun& settled = run.settled();
    const std::vector<Metric> metrics = settled.metrics();
    const std::optional<size_t> place = find_named(metrics, request_.metric);
    if (!place) throw usage_error("--target: {}", meant_none(metrics, request_.metric, ":95"));
    metric_ = metrics[*place];
    if (metric_info(metric_).better == Better::kNeither)
      throw usage_error("--target: neither side of {} is better", printable(metric_.name));
    ends_ = score_ends(settled.options.features, settled.options.models, settled.formats)[*place];
    seed_ = content_seed(in_software(source_options(options, Role::kReference)), index_, 0, frames());
    const int threads = thread_count(options);
    jobs_ = request_.jobs > 0 ? request_.jobs : std::max(1, threads / kCoresOfJob);
    of_parts_.threads = std::max(1, threads / jobs_);
    of_parts_.max_memory = std::max<int64_t>(1, memory_limit(options) / jobs_);
    of_parts_.quiet = true;
    of_parts_.raw.reset();
    of_parts_.frame_rate.reset();
    of_parts_.stream = -1;
    of_parts_.align = AlignRequest();  // off: a part that has all frames is not shifted
    if (request_.keep.empty()) return;
    ContentHash hash;
    const auto add = [&](const std::string& text) { hash.add(words("{}:{}", text.size(), text)); };
    for (const std::string& word : request_.command) add(word);
    for (const std::string& text : {hash_text(seed_), metric_.name, request_.key, std::string(version())})
      add(text);
    kept_folder_ = words("{}/{}", request_.keep, hash_text(hash.value()));
    make_folder(kept_folder_);
  }

  const StreamIndex& index() const { return index_; }
  int64_t frames() const { return *index_.pictures; }
  double frame_rate() const { return index_.info.frame_rate().value_or(kAssumedFrameRate); }
  uint64_t seed() const { return seed_; }           // by the content of the film
  const Metric& metric() const { return metric_; }  // without scores
  const ScoreEnds& ends() const { return ends_; }

  // Encodes and scores the parts, several at a time, each in a folder that is gone afterwards. Fewer if it is
  // stopped. Throws as ScoringRun, and Error{kInput} with the last lines of a command that fails or leaves no
  // video, once all that run have ended.
  std::vector<EncodedPart> encode(std::span<const FrameSpan> parts, const std::string& setting) {
    std::atomic<bool> has_failed = false;
    const StopToken stop([&] { return has_failed.load() || options_.stop.is_requested(); });
    std::vector<std::optional<EncodedPart>> found(parts.size());
    std::exception_ptr failure;
    {
      WorkerPool pool(jobs_);
      std::vector<std::future<void>> done;
      for (size_t i = 0; i < parts.size(); ++i) {
        done.push_back(pool.submit(std::packaged_task<void()>([&, i] {
          try {
            if (!stop.is_requested()) found[i] = encode(parts[i], setting, stop);
          } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!has_failed.exchange(true)) failure = std::current_exception();
          }
        })));
      }
      for (std::future<void>& one : done) one.get();
    }
    if (failure && !options_.stop.is_requested()) std::rethrow_exception(failure);
    std::vector<EncodedPart> all;
    for (std::optional<EncodedPart>& one : found) {
      if (one) all.push_back(std::move(*one));
    }
    return all;
  }

 private:
  std::optional<EncodedPart> encode(const FrameSpan& part, const std::string& setting,
                                    const StopToken& stop) {
    constexpr char kOutputName[] = "out.mkv";
    const std::string kept =
        kept_folder_.empty() ? "" : words("{}/{}-{}-{}.json", kept_folder_, setting, part.first, part.end);
    if (std::optional<EncodedPart> found = kept_part(kept);
        found && std::ssize(found->scores) == part.frames())
      return found;
    const WorkFolder folder;
    const std::string input = folder.path() + "/in.y4m", output = folder.path() + "/" + kOutputName,
                      log = folder.path() + "/log";
    if (stop.is_requested()) return std::nullopt;
    write_part(part, input, stop);
    std::vector<std::string> command;
    for (const std::string& word : request_.command) {
      command.push_back(
          replaced(replaced(replaced(word, kPartSetting, setting), kPartInput, input), kPartOutput, output));
    }
    const double begin = seconds_now();
    const int code = run_other_program(command, log, stop);
    const double seconds = seconds_now() - begin;
    if (stop.is_requested()) return std::nullopt;
    const std::string encoded = output_in(folder.path(), kOutputName);
    if (code != 0 || encoded.empty()) {
      throw Error(ErrorKind::kInput, "{} at {} {}{}", printable(command[0]), setting,
                  code != 0 ? words("ends with code {}", code) : "leaves no video at {out}", last_lines(log));
    }
    EncodedPart found = score(input, encoded, stop);
    if (stop.is_requested()) return std::nullopt;
    if (static_cast<int64_t>(found.scores.size()) != part.frames()) {
      throw Error(ErrorKind::kMismatch, "{} made {} of {}", printable(command[0]),
                  counted(static_cast<int64_t>(found.scores.size()), "frame"), part.frames());
    }
    if (!std::ranges::all_of(found.scores, [](double score) { return std::isfinite(score); }))
      throw Error(ErrorKind::kMismatch, "{} is not a number for all frames", printable(metric_.name));
    found.seconds = seconds;
    if (!kept.empty()) {
      const nlohmann::json json = {{"scores", found.scores}, {"bytes", found.bytes}, {"seconds", seconds}};
      write_outputs({{kept, json_text(json)}});
    }
    return found;
  }

  void write_part(const FrameSpan& part, const std::string& path, const StopToken& stop) const {
    SourceOptions options = in_software(source_options(options_, Role::kReference));
    options.stop = stop;
    options.planes = kMaxPlanes;
    options.threads = of_parts_.threads;
    options.decoders = 1;
    if (!index_.is_planar) options.parts = {index_.part(part.first, part.end)};
    const std::unique_ptr<VideoSource> source = open_video(options);
    source->skip(part.first);
    std::ofstream file(path_of(path), std::ios::binary);
    file << y4m_header(source->info());
    for (int64_t i = 0; i < part.frames(); ++i) {
      const std::optional<Frame> frame = source->read();
      if (!frame)
        throw Error(ErrorKind::kIncomplete, "{} has no frame {}", shown_path(options_.distorted),
                    part.first + i);
      file << "FRAME\n";
      for (const SampleView& plane : frame->planes) {
        if (!plane.empty()) plane.is_u8() ? write_plane(file, plane.u8) : write_plane(file, plane.u16);
      }
      if (!file) break;
    }
    if (!file.flush()) throw output_error(path, "cannot write", errno);
  }

  EncodedPart score(const std::string& reference, const std::string& encoded, const StopToken& stop) {
    RunOptions options = of_parts_;
    options.reference = reference;
    options.distorted = encoded;
    options.stop = stop;
    const auto named = [&](const std::string& line) {
      return replaced(replaced(line, reference, std::string(kPartInput)), encoded, std::string(kPartOutput));
    };
    Messages own([](std::string_view) {});
    std::optional<ScoringRun> run;
    try {
      run.emplace(options, own).score({});
    } catch (const Error& error) {
      throw Error(error.kind(), named(error.what()));
    }
    for (const std::string& line : own.warnings()) {  // once, whatever the part
      const std::lock_guard lock(mutex_);
      if (told_.insert(named(line)).second) messages_.warn(named(line));
    }
    const Report report = run->report();
    EncodedPart part{.scores = report.metrics[find_named(report.metrics, metric_.name).value()].values};
    const auto input = std::ranges::find(report.run.inputs, "distorted", &InputFacts::role);
    part.bytes = input->bit_rate ? static_cast<double>(*input->bit_rate) / 8 *
                                       static_cast<double>(part.scores.size()) / frame_rate()
                                 : static_cast<double>(input->file_bytes.value_or(0));
    return part;
  }

  const RunOptions& options_;
  const EncoderRequest request_;
  Messages& messages_;
  std::mutex mutex_;            // of the messages
  std::set<std::string> told_;  // warnings
  StreamIndex index_;
  Metric metric_;
  ScoreEnds ends_;
  uint64_t seed_ = 0;
  std::string kept_folder_;  // of this film and command; empty: none
  int jobs_ = 1;
  RunOptions of_parts_;
};

constexpr double kDefaultLow = 10, kDefaultHigh = 51;
constexpr int kMostSettings = 10'000;
constexpr int64_t kDefaultEncodes = 6, kDefaultSeconds = 120, kMostSeconds = 86'400;

struct SearchRequest {
  std::string master;
  std::vector<std::string> command;
  ScoreTarget target;
  Statistic statistic;
  double low = kDefaultLow, high = kDefaultHigh, step = 1;
  int64_t encodes = kDefaultEncodes, seconds = kDefaultSeconds;
  std::optional<uint64_t> seed;
  bool as_ab_av1 = false, quiet = false;
  std::vector<std::string> outputs;

  int last() const { return static_cast<int>(std::floor((high - low) / step + 1e-9)); }
  double setting(int place) const { return low + place * step; }
  std::string setting_text(int place) const { return significant_text(setting(place), 9); }
};

void set_settings(const ParsedArguments& typed, SearchRequest& request) {
  if (const std::string* const range = typed.find("--crf")) {
    const size_t colon = range->find(':');
    if (colon == range->npos || !parse_real(range->substr(0, colon), request.low) ||
        !parse_real(range->substr(colon + 1), request.high) || request.low > request.high) {
      throw usage_error("--crf: \"{}\" is not LOW:HIGH. Try: --crf 10:51", printable(*range));
    }
  }
  if (const std::string* const step = typed.find("--step")) {
    if (!parse_real(*step, request.step) || request.step <= 0)
      throw usage_error("--step: \"{}\" is not a number above 0.", printable(*step));
  }
  if ((request.high - request.low) / request.step >= kMostSettings)
    throw usage_error("--crf and --step: more than {} settings.", kMostSettings);
}

// Needs: one argument at least.
void check_words(const ParsedArguments& typed) {
  const auto dashes = std::ranges::find(typed.original, "--");
  if (dashes == typed.original.end()) throw usage_error("search needs -- before the command that encodes");
  const auto command = std::distance(dashes, typed.original.end()) - 1;
  if (std::ssize(typed.arguments) != command + 1) throw usage_error("search needs one video before --");
  if (command == 1 && typed.arguments.back().find(' ') != std::string::npos)
    throw usage_error("the command is a single word. Leave out the quotes around all of it.");
}

SearchRequest search_request(const ParsedArguments& typed) {
  check_words(typed);
  SearchRequest request{.master = typed.arguments.front(),
                        .command = {typed.arguments.begin() + 1, typed.arguments.end()},
                        .target = {},
                        .statistic = parse_statistic(typed.text("--by").value_or("mean"), "--by"),
                        .seed = {},
                        .outputs = {}};
  const std::string* const target = typed.find("--target");
  if (target == nullptr) throw usage_error("search needs a --target. Try: --target vmaf:95");
  request.target = score_target("--target", *target);
  if (request.target.metric.empty())
    throw usage_error("--target: \"{}\" names no metric. Try: --target vmaf:95", printable(*target));
  refuse_target_statistic(request.statistic);
  for (const std::string_view needed : {kPartInput, kPartOutput, kPartSetting}) {
    const auto has = [&](const std::string& word) { return word.find(needed) != word.npos; };
    if (std::ranges::none_of(request.command, has)) {
      throw usage_error("the command has no {}. Try: -- ffmpeg -i {} -c:v libx264 -crf {} {}", needed,
                        kPartInput, kPartSetting, kPartOutput);
    }
  }
  set_settings(typed, request);
  request.encodes = typed.number("--encodes", {2, 1000}, kDefaultEncodes);
  request.seconds = typed.number("--sample", {1, kMostSeconds}, kDefaultSeconds);
  if (const std::string* const seed = typed.find("--seed")) request.seed = seed_value("--seed", *seed);
  if (const std::string* const form = typed.find("--as")) {
    choice_value("--as", *form, {"ab-av1"});
    request.as_ab_av1 = true;
  }
  request.quiet = typed.has("--quiet");
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name != "--output") continue;
    check_path("--output", given.text);
    request.outputs.push_back(given.text);
  }
  if (request.outputs.empty() && typed.has("--json")) request.outputs = {"-"};
  return request;
}

// The feature that a metric is of, by its name: "psnr" for "psnr_y". Empty if there is none.
std::string feature_of(std::string metric) {
  const auto is_it = [&](const FeatureInfo* info) { return info->name == metric; };
  while (!metric.empty() && std::ranges::none_of(features(), is_it)) {
    const size_t end = metric.rfind('_');
    metric.resize(end == metric.npos ? 0 : end);
  }
  return metric;
}

// The options by which parts are scored: those of a run of the master against itself, with what the target is
// of if nothing else is asked for.
RunOptions scoring_options(ParsedArguments typed, const SearchRequest& request) {
  typed.arguments = {request.master};
  std::erase_if(typed.flags, [](const GivenFlag& given) {
    return given.flag->name == "--seed" || given.flag->name == "--output" || given.flag->name == "--json";
  });
  const RunOptions given = given_options(typed);
  if (given.asked_features.empty() && given.model_specs.empty()) {
    const std::string feature = feature_of(request.target.metric);
    if (request.target.metric == "vmaf")
      typed.flags.push_back({find_run_flag("--model"), "auto"});
    else if (!feature.empty())
      typed.flags.push_back({find_run_flag("--feature"), feature});
  }
  typed.flags.push_back({find_run_flag("--reference"), request.master});
  return several_options(typed);
}

// An encode that was tried.
struct Tried {
  EncodeStep step;
  int64_t frames = 0;
  double score = 0, bytes = 0, seconds = 0;
};

// What came out.
struct Found {
  bool reached = false;
  int setting = 0;              // the highest that reaches the target, or the best that there is
  int lowest = 0, highest = 0;  // that other samples would have chosen; -1: none reaches it
  FilmFigure score, bytes;
};

class Search {
 public:
  Search(const SearchRequest& request, const RunOptions& options, EncoderRequest encoder, Messages& messages)
      : request_(request),
        messages_(messages),
        encoder_(options, std::move(encoder), messages),
        seed_(request.seed.value_or(encoder_.seed())),
        sample_(draw_parts(encoder_.frames(), encoder_.frame_rate(), key_frames(), most_frames(), seed_)),
        search_({.metric = encoder_.metric(),
                 .ends = encoder_.ends(),
                 .statistic = request.statistic,
                 .value = request.target.value,
                 .last = request.last()},
                sample_, encoder_.frames(), seed_) {}

  // False if it was stopped.
  bool run() {
    while (tried_.size() < static_cast<size_t>(request_.encodes)) {
      const std::optional<EncodeStep> step = search_.next();
      if (!step) break;
      std::vector<FrameSpan> parts;
      for (const size_t place : sample_.groups[step->group]) parts.push_back(sample_.parts[place]);
      std::vector<EncodedPart> encoded = encoder_.encode(parts, request_.setting_text(step->setting));
      if (encoded.size() < parts.size()) return false;
      Tried tried{.step = *step, .score = search_.measured(encoded)};
      for (size_t i = 0; i < parts.size(); ++i) {
        tried.frames += parts[i].frames();
        tried.bytes += encoded[i].bytes;
        tried.seconds += encoded[i].seconds;
      }
      search_.add(*step, std::move(encoded));
      tried_.push_back(tried);
      if (!request_.quiet)
        messages_.note(words("crf {}: {} of {}, {} kbit/s, {} of the frames",
                             request_.setting_text(step->setting), score_text(tried.score), subject(),
                             rate_text(tried.bytes, tried.frames), share_text(tried.frames)));
    }
    found_ = found();
    return true;
  }

  size_t tried() const { return tried_.size(); }
  bool reached() const { return found_.reached; }

  std::string text() const {
    std::string text = headline();
    const auto between = [&](const std::string& low, const std::string& high) {
      return low == high ? std::string() : words(" ({} to {})", low, high);
    };
    const auto size = [](double bytes) { return size_cell(std::llround(bytes)); };
    const auto rate = [&](double bytes) { return rate_text(bytes, encoder_.frames()); };
    const FilmFigure& bytes = found_.bytes;
    const bool has_spread = std::isfinite(bytes.low);
    text += words("size {}{}, {}{} kbit/s\n", size(bytes.value),
                  has_spread ? between(size(bytes.low), size(bytes.high)) : std::string(), rate(bytes.value),
                  has_spread ? between(rate(bytes.low), rate(bytes.high)) : std::string());
    text += words("after {}, which saw {} of the film; {}\n\n",
                  counted(static_cast<int64_t>(tried_.size()), "encode"), share_text(search_.seen_frames()),
                  others_text());
    return text + table().text(stdout_width());
  }

  // The line of ab-av1's crf-search.
  std::string ab_av1_text() const {
    double bytes = found_.bytes.value;
    const char* unit = "KiB";
    bytes /= 1024;
    for (const char* const larger : {"MiB", "GiB"}) {
      if (bytes < 1024) break;
      bytes /= 1024, unit = larger;
    }
    const double seconds = search_.seconds();
    const std::string time = seconds < 60     ? words("{} seconds", std::llround(seconds))
                             : seconds < 3600 ? words("{} minutes", std::llround(seconds / 60))
                                              : words("{} hours", std::llround(seconds / 3600));
    const std::optional<int64_t> whole = encoder_.index().info.file_bytes;
    const double share = whole && *whole > 0 ? found_.bytes.value / static_cast<double>(*whole) : 0;
    return words("crf {} {} {} predicted video stream size {} {} ({}%) taking {}\n",
                 request_.setting_text(found_.setting), upper(request_.target.metric),
                 fixed_text(found_.score.value, 2), fixed_text(bytes, 2), unit, std::llround(100 * share),
                 time);
  }

  std::string json() const {
    const auto figure = [](const FilmFigure& of, double factor) {
      return ordered_json{{"value", of.value * factor},
                          {"low", finite_or_null(of.low * factor)},
                          {"high", finite_or_null(of.high * factor)}};
    };
    const auto setting = [&](int place) {
      return place < 0 ? ordered_json(nullptr) : ordered_json(request_.setting(place));
    };
    ordered_json parts = ordered_json::array(), encodes = ordered_json::array();
    for (const FrameSpan& part : sample_.parts) parts.push_back({{"first", part.first}, {"end", part.end}});
    for (const Tried& tried : tried_) {
      encodes.push_back({{"setting", request_.setting(tried.step.setting)},
                         {"parts", sample_.groups[tried.step.group]},
                         {"frames", tried.frames},
                         {"score", tried.score},
                         {"bytes", tried.bytes},
                         {"seconds", tried.seconds}});
    }
    return json_file_text(
        ordered_json{{"version", version()},
                     {"master", request_.master},
                     {"command", request_.command},
                     {"metric", encoder_.metric().name},
                     {"statistic", request_.statistic.name},
                     {"target", request_.target.value},
                     {"range", {{"low", request_.low}, {"high", request_.high}, {"step", request_.step}}},
                     {"seed", hash_text(seed_)},
                     {"frames", encoder_.frames()},
                     {"frame_rate", encoder_.frame_rate()},
                     {"seen_frames", search_.seen_frames()},
                     {"reached", found_.reached},
                     {"setting", setting(found_.setting)},
                     {"lowest", setting(found_.lowest)},
                     {"highest", setting(found_.highest)},
                     {"score", figure(found_.score, 1)},
                     {"bytes", figure(found_.bytes, 1)},
                     {"bit_rate", figure(found_.bytes, bits_of_byte())},
                     {"encode_seconds", search_.seconds()},
                     {"encodes", std::move(encodes)},
                     {"parts", std::move(parts)}});
  }

 private:
  std::vector<int64_t> key_frames() const {
    return mapped(encoder_.index().starts, &StreamStartPoint::picture);
  }
  int64_t most_frames() const {
    return std::max<int64_t>(1, std::llround(static_cast<double>(request_.seconds) * encoder_.frame_rate()));
  }

  Found found() const {
    const std::optional<int> answer = search_.answer();
    const auto [lowest, highest] = search_.answers();
    const int setting = answer.value_or(0);
    return {.reached = answer.has_value(),
            .setting = setting,
            .lowest = lowest,
            .highest = highest,
            .score = search_.score(setting),
            .bytes = search_.bytes(setting)};
  }

  const MetricInfo& info() const { return *encoder_.metric().info; }
  std::string score_text(double score) const {
    return fixed_text(score, coarse_decimals(info()).value_or(mean_decimals(info())));
  }
  // "95.2 (94.9 to 95.5)"
  std::string spread_text(const FilmFigure& figure) const {
    if (!std::isfinite(figure.low) || figure.low == figure.high) return score_text(figure.value);
    return words("{} ({} to {})", score_text(figure.value), score_text(figure.low), score_text(figure.high));
  }
  std::string subject() const {
    const std::string name = printable(title_of(encoder_.metric()));
    return request_.statistic.name == "mean" ? name
                                             : words("{} of {}", words_of(request_.statistic, info()), name);
  }
  double bits_of_byte() const { return 8 * encoder_.frame_rate() / static_cast<double>(encoder_.frames()); }
  std::string rate_text(double bytes, int64_t frames) const {
    return fixed_text(8 * bytes * encoder_.frame_rate() / static_cast<double>(frames) / 1000, 0);
  }
  std::string share_text(int64_t frames) const {
    return percent_text(static_cast<double>(frames) / static_cast<double>(encoder_.frames()));
  }
  static std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
    return text;
  }

  std::string headline() const {
    const std::string target = words("{} of {}", subject(), shortest_text(request_.target.value)),
                      setting = request_.setting_text(found_.setting), score = spread_text(found_.score);
    if (found_.reached && found_.setting == request_.last())
      return words("crf {} reaches {}: {}; as it is the last of --crf, higher ones may\n", setting, target,
                   score);
    if (found_.reached) return words("crf {} is the highest that reaches {}: {}\n", setting, target, score);
    return words("no crf from {} on reaches {}; {} has {}\n", setting, target, setting, score);
  }

  std::string others_text() const {
    if (search_.seen_frames() == encoder_.frames()) return "no other sample could choose differently";
    if (found_.lowest == found_.highest) return "19 of 20 other samples would choose the same";
    const auto text = [&](int place) { return place < 0 ? "none" : request_.setting_text(place); };
    return words("19 of 20 other samples would choose {} to {}", text(found_.lowest), text(found_.highest));
  }

  TextTable table() const {
    TextTable table({{.heading = "crf"},
                     {.heading = subject()},
                     {.heading = "kbit/s"},
                     {.heading = "film"},
                     {.heading = "encoding"}});
    for (const Tried& tried : tried_) {
      table.add({request_.setting_text(tried.step.setting), score_text(tried.score),
                 rate_text(tried.bytes, tried.frames), share_text(tried.frames),
                 words("{} s", fixed_text(tried.seconds, 1))});
    }
    return table;
  }

  const SearchRequest& request_;
  Messages& messages_;
  PartEncoder encoder_;
  const uint64_t seed_;
  const FilmSample sample_;
  SettingSearch search_;
  std::vector<Tried> tried_;
  Found found_;
};

}  // namespace

int run_search(const ParsedArguments& typed, Messages& messages) {
  const SearchRequest request = search_request(typed);
  const RunOptions options = scoring_options(typed, request);
  std::vector<std::string> inputs = {request.master};
  check_standard_input(inputs);
  check_outputs(request.outputs, inputs);
  Ending ending(messages, {.quiet = request.quiet, .files = inputs, .outputs = request.outputs});
  return ending.run([&] {
    EncoderRequest encoder{.command = request.command,
                           .metric = request.target.metric,
                           .keep = typed_path(typed, "--keep"),
                           .key = origin_of(options, {}).scores,
                           .jobs = static_cast<int>(typed.number("--jobs", {0, kMaxThreads}, 0))};
    Search search(request, options, std::move(encoder), messages);
    if (!search.run()) {
      const int signal = interrupt_signal();
      messages.error(words("interrupted after {}", counted(static_cast<int64_t>(search.tried()), "encode")));
      return interrupt_exit_code(signal);
    }
    std::vector<OutputText> outputs;
    for (const std::string& path : request.outputs) outputs.push_back({path, search.json()});
    ending.write(std::move(outputs));
    const bool is_silent = request.quiet && !request.outputs.empty();
    ending.show(is_silent           ? ""
                : request.as_ab_av1 ? search.ab_av1_text()
                                    : search.text(),
                Ending::Text::kResult);
    return search.reached() ? 0 : exit_code(ErrorKind::kThreshold);
  });
}

}  // namespace vq::cli
