#include "cli/bench/bench_text.h"

#include "core/text.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"
#include "core/text/text_table.h"
#include "engine/report/run_pace.h"

namespace vq::cli {
namespace {

constexpr auto kLeft = TextColumn::Align::kLeft;
constexpr auto kRight = TextColumn::Align::kRight;

std::string or_dash(std::optional<double> value, std::string (*text)(double)) {
  return value ? text(*value) : "-";
}

// Three digits or more.
std::string figure(double value) {
  return value >= 10 ? rate_text(value) : fixed_text(value, value < 1 ? 3 : 2);
}

std::string milliseconds(double value) {
  return fixed_text(value, value < 10 ? 3 : value < 100 ? 2 : 1);
}

std::string gigabytes(double bytes_a_second) {
  return rate_text(bytes_a_second * 1e-9) + " GB/s";
}

std::string cpu_name(const BenchBackend& backend) {
  return backend.simd.empty() ? "the CPU" : "CPU (" + backend.simd + ")";
}

std::string place_of(const BenchBackend& backend) {
  return backend.device.empty() ? cpu_name(backend) : printable(backend.device);
}

TextTable stage_table(const BenchBackend& backend) {
  TextTable table({{"stage", kLeft, 0, 12},
                   {"on", kLeft, 1},
                   {"ms/frame"},
                   {"MB"},
                   {"GB/s", kRight, 2},
                   {"of a copy"},
                   {"floor ms"},
                   {"x floor", kRight}});
  for (const BenchStage& stage : backend.stages) {
    const auto megabytes =
        stage.bytes ? std::optional(static_cast<double>(*stage.bytes) * 1e-6) : std::nullopt;
    table.add({backend.shown_name(stage), stage.on_device ? "device" : "host",
               milliseconds(stage.milliseconds), or_dash(megabytes, figure),
               stage.is_cached() ? "cached" : or_dash(stage.gigabytes_per_second(), figure),
               or_dash(stage.share_of_copy(), percent_text),
               or_dash(stage.floor_milliseconds(), milliseconds), or_dash(stage.times_floor(), figure)});
  }
  return table;
}

// Of made-up pictures nothing is decoded, and so there is no whole.
TextTable rate_table(const BenchVideo& video) {
  std::vector<TextColumn> columns = {
      {"frames/s", kLeft}, {"on", kLeft, 1, 12}, {"upload", kRight, 2}, {"score"}};
  if (!video.synthetic) {
    columns.insert(columns.begin() + 2, {{"decoder", kLeft, 3}, {"decode"}});
    columns.insert(columns.end(), {{"whole"}, {"start", kRight, 4}});
  }
  columns.push_back({"", kLeft, 0, 0, true});
  TextTable table(columns);
  for (const BenchBackend& backend : video.backends) {
    const double upload = backend.upload_milliseconds();
    const std::optional<double> upload_fps = upload > 0 ? std::optional(1e3 / upload) : std::nullopt;
    const auto seconds = [](double value) { return fixed_text(value, 2) + " s"; };
    std::vector<std::string> row = {backend.backend, place_of(backend), or_dash(upload_fps, rate_text),
                                    or_dash(backend.score_fps, rate_text)};
    if (!video.synthetic) {
      row.insert(row.begin() + 2, {backend.decoder.empty() ? "-" : printable(backend.decoder),
                                   or_dash(backend.decode_fps, rate_text)});
      row.push_back(or_dash(backend.whole_fps, rate_text));
      row.push_back(or_dash(backend.start_seconds, seconds));
    }
    row.push_back(backend.error.empty() ? "" : "failed: " + printable(backend.error));
    table.add(std::move(row));
  }
  return table;
}

// Shares of the time of the thread that hands frames over; empty where nothing was measured.
std::string pace_text(const BenchVideo& video, size_t width) {
  std::vector<TextColumn> columns = {{"time", kLeft}};
  for (const std::string_view part : pace::kParts) columns.push_back({std::string(part)});
  TextTable table(columns);
  bool is_empty = true;
  for (const BenchBackend& backend : video.backends) {
    std::vector<std::string> row = {backend.backend};
    const double all = total_seconds(backend.pace);
    if (all <= 0) continue;
    is_empty = false;
    for (const double seconds : backend.pace.seconds) {
      row.push_back(seconds > 0 ? percent_text(seconds / all) : "-");
    }
    table.add(std::move(row));
  }
  return is_empty ? "" : "\n" + table.text(width);
}

std::string heading(const BenchResult& result, const BenchVideo& video) {
  std::string text = printable(video.name) + "  ";
  if (!video.codec.empty()) text += video.codec + " ";
  text += std::to_string(video.width) + "x" + std::to_string(video.height) + " " +
          std::to_string(video.bit_depth) + "-bit";
  if (!video.synthetic) text += "  " + counted(result.threads, "thread");
  return text + "\n";
}

std::string copies(const BenchResult& result) {
  std::string text =
      "copies: host " + gigabytes(result.host_memory) + " on " + counted(result.threads, "thread");
  for (const BenchDevice& device : result.devices) {
    text += "; " + printable(device.name) + " " + gigabytes(device.memory) + ", to it " +
            gigabytes(device.upload) + ", back " + gigabytes(device.readback);
  }
  return text + "\n";
}

}  // namespace

std::string bench_text(const BenchResult& result, size_t width) {
  std::string text = copies(result);
  for (const BenchVideo& video : result.videos) {
    text += "\n" + heading(result, video);
    for (const BenchBackend& backend : video.backends) {
      if (backend.stages.empty()) continue;
      text += "\n" + backend.backend + " on " + place_of(backend) + "\n" + stage_table(backend).text(width);
    }
    text += "\n" + rate_table(video).text(width) + pace_text(video, width);
    const std::string sentence = limit_sentence(result, video);
    if (!sentence.empty()) text += sentence + "\n";
  }
  for (const std::string& note : result.notes) text += "\n" + note + "\n";
  return text;
}

}  // namespace vq::cli
