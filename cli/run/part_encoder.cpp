#include "cli/run/part_encoder.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/decoding/open_video.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/run_cuts.h"
#include "cli/run/scoring_run.h"
#include "cli/system/output_file.h"
#include "cli/system/progress.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/models/model_features.h"
#include "engine/report/json_values.h"
#include "engine/report/statistic.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

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
  const bool has_rate = info.frame_rate_num > 0 && info.frame_rate_den > 0;
  return words("YUV4MPEG2 W{} H{} F{}:{} Ip C{}{}\n", format.width, format.height,
               has_rate ? info.frame_rate_num : static_cast<int>(kAssumedFrameRate),
               has_rate ? info.frame_rate_den : 1, samples,
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

}  // namespace

PartEncoder::PartEncoder(const RunOptions& options, EncoderRequest request, Messages& messages)
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

double PartEncoder::frame_rate() const { return index_.info.frame_rate().value_or(kAssumedFrameRate); }

void PartEncoder::write_part(const FilmPart& part, const std::string& path, const StopToken& stop) const {
  SourceOptions options = in_software(source_options(options_, Role::kReference));
  options.stop = stop;
  options.planes = kMaxPlanes;
  options.threads = of_parts_.threads;
  options.decoders = 1;
  if (!index_.is_planar) options.part = index_.part(part.first, part.end);
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

EncodedPart PartEncoder::score(const std::string& reference, const std::string& encoded,
                               const StopToken& stop) {
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

std::optional<EncodedPart> PartEncoder::encode(const FilmPart& part, const std::string& setting,
                                               const StopToken& stop) {
  constexpr char kOutputName[] = "out.mkv";
  const std::string kept =
      kept_folder_.empty() ? "" : words("{}/{}-{}-{}.json", kept_folder_, setting, part.first, part.end);
  if (std::optional<EncodedPart> found = kept_part(kept); found && std::ssize(found->scores) == part.frames())
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

std::vector<EncodedPart> PartEncoder::encode(std::span<const FilmPart> parts, const std::string& setting) {
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

}  // namespace vq::cli
