#include "tests/support/golden_cases.h"

#include "cli/decoding/open_video.h"
#include "feature/cvvdp/cvvdp.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "tests/support/decoded_plane.h"

namespace vq::cli::test {

namespace {

using Ways = std::vector<GoldenWay>;

// Videos that are made from clips.

struct Video {
  VideoFormat format;
  std::vector<Frame> frames;
  std::string rate = "24:1";
};

// The frames from `first` on, at most `count`.
Video decoded(const std::string& clip, int64_t first = 0, size_t count = SIZE_MAX) {
  SourceOptions options;
  options.path = testdata("clips/" + clip);
  options.threads = 1;
  options.planes = kMaxPlanes;
  const std::unique_ptr<VideoSource> source = open_video(options);
  source->skip(first);
  Video video{.format = source->info().format, .frames = {}};
  while (video.frames.size() < count) {
    std::optional<Frame> frame = source->read();
    if (!frame) break;
    video.frames.push_back(std::move(*frame));
  }
  if (video.frames.empty() || (count != SIZE_MAX && video.frames.size() < count))
    throw std::runtime_error(clip + " has too few frames");
  return video;
}

int sample(const Frame& frame, int x, int y, int plane = 0) {
  const SampleView& view = frame.planes[static_cast<size_t>(plane)];
  return view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
}

// The frames with ((7x + 13y + 5n + 3p) mod 9 - 4) 2^(d-8) added to plane p of frame n, clamped to d bits.
Video stirred(const Video& video, int first = 0) {
  Video result{.format = video.format, .frames = {}};
  const int depth = video.format.bit_depth;
  for (const Frame& frame : video.frames) {
    const int n = first + static_cast<int>(result.frames.size());
    result.frames.push_back(vq::test::drawn_frame(video.format, [&](int plane, int x, int y) {
      const int stir = ((7 * x + 13 * y + 5 * n + 3 * plane) % 9 - 4) * (1 << (depth - 8));
      return std::clamp(sample(frame, x, y, plane) + stir, 0, (1 << depth) - 1);
    }));
  }
  return result;
}

template <typename Level>
Frame drawn_luma(int width, int height, int bit_depth, const Level& level) {
  const VideoFormat format = {
      .name = {}, .width = width, .height = height, .bit_depth = bit_depth, .chroma = Chroma::k400};
  return vq::test::drawn_frame(format, [&](int, int x, int y) { return level(x, y); });
}

template <typename Level>
Frame with_levels(const Frame& frame, const Level& level) {
  return drawn_luma(frame.luma().width(), frame.luma().height(), frame.bit_depth,
                    [&](int x, int y) { return level(sample(frame, x, y)); });
}

Frame mirrored(const Frame& frame) {
  const int width = frame.luma().width();
  return drawn_luma(width, frame.luma().height(), frame.bit_depth,
                    [&](int x, int y) { return sample(frame, width - 1 - x, y); });
}

Frame crop_of(const Frame& frame, int left, int top, int width, int height) {
  return drawn_luma(width, height, frame.bit_depth,
                    [&](int x, int y) { return sample(frame, left + x, top + y); });
}

// Samples as little-endian words, or bytes if 8 bits hold them.
void append_plane(std::string& text, const Frame& frame, int plane) {
  const SampleView& view = frame.planes[static_cast<size_t>(plane)];
  for (int y = 0; y < view.height(); ++y) {
    for (int x = 0; x < view.width(); ++x) {
      const int level = sample(frame, x, y, plane);
      text.push_back(static_cast<char>(level & 0xFF));
      if (frame.bit_depth > 8) text.push_back(static_cast<char>(level >> 8));
    }
  }
}

// Writes as many planes as the sampling has.
void write_y4m(const std::string& path, const std::vector<Frame>& frames, Chroma chroma = Chroma::k400,
               const std::string& rate = "24:1") {
  std::string sampling(to_string(chroma));
  std::erase(sampling, ':');
  const Frame& first = frames.front();
  std::string text = y4m_header({.width = first.luma().width(),
                                 .height = first.luma().height(),
                                 .bit_depth = first.bit_depth,
                                 .chroma = sampling});
  text.replace(text.find("24:1"), 4, rate);
  for (const Frame& frame : frames) {
    text += "FRAME\n";
    for (int plane = 0; plane < plane_count(chroma); ++plane) append_plane(text, frame, plane);
  }
  write_file(path, text);
}

std::string clip_of(const json& golden, const char* side) {
  return testdata("clips/" + golden.at(side).get<std::string>());
}

// The path of the distorted video, which is written if it is the reference stirred: then it has `count`
// frames.
std::string distorted_of(const json& golden, size_t count, const TemporaryFolder& folder) {
  if (!golden.contains("stir")) return clip_of(golden, "distorted");
  const Video video = stirred(decoded(golden.at("reference"), 0, count));
  write_y4m(folder.path() + "/stirred.y4m", video.frames, video.format.chroma);
  return folder.path() + "/stirred.y4m";
}

// Comparisons with a case.

std::string text_of(const std::string& feature, const GoldenWay& way) {
  return feature + ", " + way.backend + ", mask " + std::to_string(way.cpumask);
}

Words words_of(const GoldenWay& way) {
  return {"--backend", way.backend, "--cpumask", std::to_string(way.cpumask)};
}

void expect_frames(const json& report, const json& golden, const std::string& where, double tolerance = 0,
                   double share = 0) {
  ASSERT_TRUE(report.is_object()) << where;
  const json &frames = report.at("frames"), &expected = golden.at("frames");
  ASSERT_EQ(frames.size(), expected.size()) << where;
  for (size_t i = 0; i < frames.size(); ++i) {
    expect_same(frames[i].at("metrics"), expected[i], where + ", frame " + std::to_string(i), tolerance,
                share);
  }
}

// A pair of clips: every frame, pooled, and of the whole run. The reference compares samples as they are.
void compare_clips(const json& golden, const Ways& ways, double tolerance) {
  for (const GoldenWay& way : ways) {
    Words more = words_of(way);
    more.insert(more.end(), {"--frame_skip_ref", std::to_string(golden.value("skip_reference", 0)),
                             "--frame_cnt", std::to_string(golden.at("frames").size()), "--as-stored"});
    const json report =
        report_of_clips(golden.at("reference"), golden.at("distorted"), {feature_text(golden)}, more);
    const std::string where = text_of(feature_text(golden), way);
    expect_frames(report, golden, where, tolerance);
    const json pooled = golden.value("pooled", json::object());
    for (const auto& [name, statistics] : pooled.items())
      expect_same(report.at("pooled_metrics").at(name), statistics, where + ", pooled " + name, tolerance);
    expect_same(report.at("aggregate_metrics"), golden.value("aggregate", json::object()),
                where + ", aggregates", tolerance);
  }
}
void compare_clips_exactly(const json& golden, const Ways& ways) { compare_clips(golden, ways, 0); }
// Computed with the C library's functions, so that some differences of colours differ by the last bit of a
// float.
void compare_ciede(const json& golden, const Ways& ways) { compare_clips(golden, ways, 1e-9); }

// One of ["random" or "binary", seed, low, high], in raster order.
Frame noise(const json& recipe, int width, int height, int bit_depth) {
  uint32_t state = recipe[1].get<uint32_t>();
  const auto low = recipe[2].get<uint32_t>(), high = recipe[3].get<uint32_t>();
  return drawn_luma(width, height, bit_depth, [&](int, int) {
    state = 1664525 * state + 1013904223;
    const uint64_t within = (uint64_t{state >> 8} * (high - low + 1)) >> 24;
    const uint32_t binary = state >= 0x80000000 ? high : low;
    return static_cast<int>(recipe[0] == "binary" ? binary : low + within);
  });
}

// The path of a clip, or of a sequence of noise and crops of clips, which is written to `path`.
std::string sequence_path(const json& video, int bit_depth, const std::string& path) {
  if (video.is_string()) return testdata("clips/" + video.get<std::string>());
  static std::map<std::pair<std::string, int>, Frame> decoded_frames;
  const int width = video.at("size")[0], height = video.at("size")[1];
  std::vector<Frame> frames;
  for (const json& one : video.at("frames")) {
    const std::string first = one[0];
    if (first == "random" || first == "binary") {
      frames.push_back(noise(one, width, height, bit_depth));
      continue;
    }
    const std::pair<std::string, int> key = {first, one[1]};
    if (!decoded_frames.contains(key)) decoded_frames[key] = decoded(first, key.second, 1).frames[0];
    frames.push_back(crop_of(decoded_frames[key], one[2], one[3], width, height));
  }
  write_y4m(path, frames);
  return path;
}

void compare_sequences(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const int depth = golden.at("depth");
  Words words = {"-r", sequence_path(golden.at("reference"), depth, folder.path() + "/reference.y4m"), "-d",
                 sequence_path(golden.at("distorted"), depth, folder.path() + "/distorted.y4m"),
                 "--compare-anyway"};
  const json tool = golden.value("tool", json::object()), &expected = golden.at("frames");
  for (const auto& [flag, value] : tool.items()) words.insert(words.end(), {"--" + flag, value.dump()});
  const bool are_sampled = golden.contains("frame_numbers");
  if (!are_sampled) words.insert(words.end(), {"--frame_cnt", std::to_string(expected.size())});
  for (const GoldenWay& way : ways) {
    const json frames = report_of_run(words, {feature_text(golden)}, words_of(way)).at("frames");
    // The file may have the first sampled frames alone.
    ASSERT_GE(frames.size(), expected.size());
    if (!are_sampled) {
      ASSERT_EQ(frames.size(), expected.size());
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const json number = are_sampled ? golden["frame_numbers"][i] : json(i);
      EXPECT_EQ(frames[i].at("frameNum"), number);
      expect_same(frames[i].at("metrics"), expected[i],
                  text_of(feature_text(golden), way) + ", frame " + number.dump());
    }
  }
}

// The numbers in a text, in order.
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  const std::regex number("-?[0-9]+");
  for (std::sregex_iterator found(text.begin(), text.end(), number), end; found != end; ++found)
    numbers.push_back(std::stoi(found->str()));
  return numbers;
}

// One of FFmpeg's filters in the golden file of ADM.
Frame filtered(const std::string& filter, const Frame& frame) {
  const std::vector<int> numbers = numbers_in(filter);
  if (filter == "hflip") return mirrored(frame);
  if (filter == "negate")
    return with_levels(frame, [&](int level) { return (1 << frame.bit_depth) - 1 - level; });
  if (filter.starts_with("crop="))
    return crop_of(frame, numbers.at(2), numbers.at(3), numbers.at(0), numbers.at(1));
  if (filter.starts_with("lutyuv=y=floor"))
    return with_levels(frame, [&](int level) { return level / numbers.at(0) * numbers.at(0); });
  if (!filter.starts_with("lutyuv=y='if(gt(val,127),255,0)'"))
    throw std::runtime_error("unknown filter " + filter);
  const Frame binary = with_levels(frame, [](int level) { return level > 127 ? 255 : 0; });
  return filter.ends_with(",hflip") ? mirrored(binary) : binary;
}

void compare_adm(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  Words words = {"--compare-anyway"};
  for (const std::string side : {"reference", "distorted"}) {
    const std::string filter = golden.value(side + "_filter", "");
    const bool is_trim = filter.starts_with("trim=");
    std::vector<Frame> frames =
        decoded(golden.at(side), is_trim ? numbers_in(filter).at(0) : 0, golden.at("frames").size()).frames;
    std::string bytes;
    for (Frame& frame : frames) {
      if (!filter.empty() && !is_trim) frame = filtered(filter, frame);
      append_plane(bytes, frame, 0);
    }
    // So that a decoder or a filter that differs is not taken for a score that does.
    const bool is_distorted = side == "distorted";
    ASSERT_EQ(sha256_of(bytes), golden.at("luma_sha256").at(is_distorted).get<std::string>()) << side;
    const std::string path = folder.path() + "/" + side + ".y4m";
    write_y4m(path, frames);
    words.insert(words.end(), {is_distorted ? "-d" : "-r", path});
  }
  for (const GoldenWay& way : ways)
    expect_frames(report_of_run(words, {feature_text(golden)}, words_of(way)), golden,
                  text_of(feature_text(golden), way));
}

// What testdata/golden/bounds.py finds. Names go on with the options.
void compare_bounds(const json& golden, const Ways& ways) {
  for (const GoldenWay& way : ways) {
    json report = report_of_run({clip_of(golden, "clip")}, {feature_text(golden)}, words_of(way));
    for (json& frame : report.at("frames")) {
      json metrics;
      for (const auto& [name, value] : frame.at("metrics").items())
        metrics[name.substr(0, name.find('_', std::string("bounds_").size()))] = value;
      EXPECT_EQ(metrics.size(), frame.at("metrics").size());
      frame["metrics"] = metrics;
      if (!golden.contains("cropdetect")) continue;
      const json rectangle = {metrics.at("bounds_x"), metrics.at("bounds_y"), metrics.at("bounds_width"),
                              metrics.at("bounds_height")};
      EXPECT_EQ(rectangle, golden.at("cropdetect").at(frame.at("frameNum").get<size_t>()))
          << "FFmpeg's cropdetect, " << text_of(feature_text(golden), way);
    }
    expect_frames(report, golden, text_of(feature_text(golden), way));
  }
}

// What testdata/golden/histogram.py finds. NumPy adds up in another order.
void compare_histogram(const json& golden, const Ways& ways) {
  for (const GoldenWay& way : ways) {
    Words more = words_of(way);
    more.insert(more.end(), {"--frame_cnt", std::to_string(golden.at("frames").size())});
    expect_frames(report_of_run({clip_of(golden, "clip")}, {feature_text(golden)}, more), golden,
                  text_of(feature_text(golden), way), 0, 1e-11);
  }
}

// Heatmaps too.
void compare_cambi(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const std::string distorted = golden.at("distorted"), maps = folder.path() + "/maps";
  std::string feature = feature_text(golden);
  const json sums = golden.value("heatmaps_sha256", json::object());
  if (!sums.empty()) feature += (feature == "cambi" ? "=" : ":") + ("heatmaps_path=" + maps);
  for (const GoldenWay& way : ways) {
    expect_frames(report_of_run({"-r", testdata("clips/" + golden.value("reference", distorted)), "-d",
                                 testdata("clips/" + distorted), "-n", "--json", "--backend", way.backend},
                                {feature}),
                  golden, text_of(feature_text(golden), way), 1e-9);
    for (const auto& [name, sum] : sums.items())
      EXPECT_EQ(sha256_of(read_file(maps + "/" + name)), sum.get<std::string>()) << name;
  }
}

// The words of Butteraugli's and SSIMULACRA 2's options for what a golden file says of a video.
std::map<std::string, std::string> light_options(const json& input) {
  const std::string location = input.at("location");
  return {{"matrix", "bt" + input.at("matrix").get<std::string>()},
          {"primaries", "bt" + input.value("primaries", "709")},
          {"transfer", input.at("transfer")},
          {"range", input.at("range")},
          {"chroma_location", location == "centre" ? "center" : location}};
}

// Figures of libjxl's program, whose arithmetic is another. All ways find the same.
void compare_butteraugli(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const std::string distorted = distorted_of(golden, 1, folder);
  std::string feature = "butteraugli=intensity=" + golden.at("intensity_target").dump();
  for (const auto& [name, value] : light_options(golden.at("input"))) {
    if (name != "primaries" || golden.at("input").contains(name)) feature += ":" + name + "=" + value;
  }
  std::optional<json> first;
  for (const GoldenWay& way : ways) {
    Words more = words_of(way);
    more.insert(more.end(), {"--frame_cnt", "1", "--as-stored"});
    const json report = report_of_run({"-r", clip_of(golden, "reference"), "-d", distorted}, {feature}, more),
               metrics = report.at("frames").at(0).at("metrics");
    if (!first) first = metrics;
    EXPECT_EQ(metrics, *first) << way.backend << ", mask " << way.cpumask;
    ASSERT_EQ(metrics.size(), 4U);
    const std::string third = "butteraugli_3norm", key = metrics.begin().key();
    ASSERT_TRUE(key == "butteraugli" || key.starts_with(third)) << key;
    const std::string suffix = key == "butteraugli" ? "" : key.substr(third.size());
    for (const auto& [name, figure] : {std::pair{"butteraugli", "butteraugli"},
                                       {"butteraugli_3norm", "butteraugli_3norm"},
                                       {"butteraugli_norm3", "plain_3norm"},
                                       {"butteraugli_norm2", "plain_2norm"}}) {
      const double expected = golden.at(figure);
      EXPECT_NEAR(metrics.at(name + suffix).get<double>(), expected, 1e-4 * expected)
          << golden.dump() << ", " << name;
    }
  }
}

Backend host_backend(const GoldenWay& way) {
  return way.backend == "scalar" ? Backend::kScalar : Backend::kCpu;
}

// This program's definition, and the reference's figures. All ways find the same.
void compare_ssimulacra2(const json& golden, const Ways& ways) {
  const int number = golden.at("frame");
  const Video reference = decoded(golden.at("reference"), number, 1);
  const Video distorted =
      golden.contains("stir") ? stirred(reference, number) : decoded(golden.at("distorted"), number, 1);
  const FramePair pair{.distorted = distorted.frames[0], .reference = reference.frames[0]};
  for (const char* const form : {"short", "exact"}) {
    OptionSet set(ssimulacra2::feature_info().options);
    set.set("form", form);
    for (const auto& [name, value] : light_options(golden.at("input"))) set.set(name, value);
    std::optional<double> first;
    for (const GoldenWay& way : ways) {
      const double score = ssimulacra2::feature_info()
                               .make(set, {distorted.format, reference.format},
                                     {.backend = host_backend(way), .cpumask = way.cpumask})
                               ->score(pair)
                               .values.at(0);
      EXPECT_NEAR(score, golden.at(std::string(form) + "_form").get<double>(), 0.001) << golden.dump();
      if (!first) first = score;
      EXPECT_EQ(score, *first) << golden.dump();
    }
  }
  // What the reference's rounding errors take away.
  const double theirs = golden.at("ssimulacra2"), ours = golden.at("short_form");
  EXPECT_GT(ours - theirs, -0.05);
  EXPECT_LT(ours - theirs, ours < 70 ? 0.1 : 2);
}

// The frames with these numbers.
Video chosen(const Video& video, const json& numbers) {
  Video result{.format = video.format, .frames = {}};
  for (const size_t number : numbers.get<std::vector<size_t>>()) {
    result.frames.push_back(video.frames.at(number));
    result.frames.back().index = static_cast<int64_t>(result.frames.size()) - 1;
  }
  return result;
}

// "24000/1001" too.
double rate_of(const json& fps) {
  if (!fps.is_string()) return fps.get<double>();
  const std::string text = fps;
  const size_t slash = text.find('/');
  return std::stod(text) / (slash == std::string::npos ? 1 : std::stod(text.substr(slash + 1)));
}

// The clip's score, and its frames' differences, in floats as the definition has them. All ways find the
// same.
void compare_cvvdp(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const Video reference = chosen(decoded(golden.at("reference")), golden.at("order"));
  const Video distorted =
      golden.contains("stir")
          ? stirred(reference)
          : chosen(decoded(golden.at("distorted")), golden.value("distorted_order", golden.at("order")));
  const auto text_at = [](const json& from, const char* name) { return from.at(name).get<std::string>(); };
  const json& input = golden.at("input");
  const std::string location = text_at(input, "location");
  const std::string feature = words(
      "cvvdp=display={}:fps={}:padding={}:matrix=bt{}:range={}:chroma_location={}:chroma={}",
      text_at(golden, "display"), number_text(rate_of(golden.at("fps")), {NumberStyle::Kind::kShortest}),
      text_at(golden, "padding"), text_at(input, "matrix"), text_at(input, "range"),
      location == "centre" ? "center" : location, text_at(input, "chroma"));
  Words videos = {"--compare-anyway"};
  for (const auto& [flag, video] : {std::pair{"-r", &reference}, {"-d", &distorted}}) {
    const std::string path = folder.path() + "/" + flag + ".y4m";
    write_y4m(path, video->frames, video->format.chroma);
    videos.insert(videos.end(), {flag, path});
  }
  json first;
  for (const GoldenWay& way : ways) {
    const json report = report_of_run(videos, {feature}, words_of(way));
    json scores = json::array();
    for (const json& frame : report.at("frames")) scores.push_back(*frame.at("metrics").begin());
    const json score = report.at("pooled_metrics").begin()->at("mean");
    EXPECT_NEAR(score, golden.at("float_jod").get<double>(), 1e-6);
    EXPECT_NEAR(score, golden.at("jod").get<double>(), 1e-4);
    ASSERT_EQ(scores.size(), golden.at("frames").size());
    for (size_t i = 0; scores.size() > 1 && i < scores.size(); ++i) {
      const double expected = golden.at("frames").at(i).at("q");
      EXPECT_NEAR(cvvdp::quality_of(scores.at(i)), expected, 2e-5 * (1 + expected)) << i;
    }
    if (first.is_null()) first = scores;
    EXPECT_EQ(scores, first) << way.backend << ", mask " << way.cpumask;
  }
}

// The filter's figures of every frame and of the run. They tell the integers apart that they are made from.
void compare_xpsnr(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const json &frames = golden.at("frames"), &run = golden.at("run");
  const std::string distorted = distorted_of(golden, frames.size(), folder);
  for (const GoldenWay& way : ways) {
    SCOPED_TRACE(text_of(feature_text(golden), way));
    Words more = words_of(way);
    more.insert(more.end(),
                {"--as-stored", "--compare-anyway", "--frame_cnt", std::to_string(frames.size())});
    const json report =
        report_of_run({"-r", clip_of(golden, "reference"), "-d", distorted}, {feature_text(golden)}, more);
    ASSERT_TRUE(report.is_object());
    ASSERT_EQ(report.at("frames").size(), frames.size());
    constexpr const char* kPlanes[] = {"xpsnr_y", "xpsnr_u", "xpsnr_v"};
    for (size_t i = 0; i < frames.size(); ++i) {
      const json& metrics = report.at("frames")[i].at("metrics");
      json least;  // null is infinite
      for (const char* name : kPlanes) {
        EXPECT_EQ(metrics.at(name), frames[i].at(name)) << i;
        if (least.is_null() || (!metrics.at(name).is_null() && metrics.at(name) < least))
          least = metrics.at(name);
      }
      EXPECT_EQ(metrics.at("xpsnr_min"), least) << i;
    }
    const json& aggregates = report.at("aggregate_metrics");
    for (const char* name : kPlanes) EXPECT_EQ(aggregates.at(name), run.at(name));
    EXPECT_EQ(aggregates.at("xpsnr_min"), run.at("minimum"));
  }
}

// The pictures that a golden case of light describes by formulae.

uint32_t hashed(const std::array<uint32_t, 4>& place) {  // x, y, frame, plane
  uint32_t v = place[0] * 0x9E37 + place[1] * 0x79B9 + place[2] * 0x7F4A + place[3] * 0x1003F + 1;
  v = (v ^ (v >> 15)) * 0x2C1B3C6D;
  v = (v ^ (v >> 12)) * 0x297A2D39;
  return (v ^ (v >> 15)) & 0xFFFF;
}

struct Place {
  int x = 0, y = 0, n = 0, p = 0, w = 0, top = 0;
  int noise() const { return noise_of(n); }
  int moving() const { return 60 + (x * 3 + y * 5 + 7 * n) % 100; }
  bool is_odd_third() const { return n / 3 % 2 == 1; }
  int noise_of(int frame) const {
    return static_cast<int>(hashed({static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                                    static_cast<uint32_t>(frame), static_cast<uint32_t>(p)}));
  }
};

const std::map<std::string, int (*)(const Place&)> kFormulae = {
    {"128", [](const Place&) { return 128; }},
    {"512", [](const Place&) { return 512; }},
    {"700", [](const Place&) { return 700; }},
    {"40 + 37*x + 11*y", [](const Place& at) { return 40 + 37 * at.x + 11 * at.y; }},
    {"noise(x, y, n, p)", [](const Place& at) { return at.noise(); }},
    {"noise(x, y, n, p) & 255", [](const Place& at) { return at.noise() & 255; }},
    {"noise(x, y, n, p) >> 6", [](const Place& at) { return at.noise() >> 6; }},
    {"noise(x, y, 0, p) >> 4", [](const Place& at) { return at.noise_of(0) >> 4; }},
    {"where((x + y + n) % 2 == 0, 0, top)",
     [](const Place& at) { return (at.x + at.y + at.n) % 2 == 0 ? 0 : at.top; }},
    {"(x + y*w) % 1024", [](const Place& at) { return (at.x + at.y * at.w) % 1024; }},
    {"(x*16 + y) % 1024", [](const Place& at) { return (at.x * 16 + at.y) % 1024; }},
    {"(x*37 + y*11) % 1024", [](const Place& at) { return (at.x * 37 + at.y * 11) % 1024; }},
    {"(x*29 + y*13) % 1024", [](const Place& at) { return (at.x * 29 + at.y * 13) % 1024; }},
    {"100 + (noise(x, y, n, p) & 1)", [](const Place& at) { return 100 + (at.noise() & 1); }},
    {"100 + n//4", [](const Place& at) { return 100 + at.n / 4; }},
    {"40 + n*3", [](const Place& at) { return 40 + at.n * 3; }},
    {"60 + (x*3 + y*5 + 7*n) % 100", [](const Place& at) { return at.moving(); }},
    {"where(n >= 30, 64, 4*(60 + (x*3 + y*5 + 7*n) % 100))",
     [](const Place& at) { return at.n >= 30 ? 64 : 4 * at.moving(); }},
    {"where(n//10 % 2 == 1, 60 + (x*3 + y*5 + 77) % 100, 60 + (x*3 + y*5 + 7*n) % 100)",
     [](const Place& at) {
       return at.n / 10 % 2 == 1 ? 60 + (at.x * 3 + at.y * 5 + 77) % 100 : at.moving();
     }},
    {"where((n >= 5) & (n < 20) & (x < 63), 16 + n % 3, 60 + (x*3 + y*5 + 7*n) % 100)",
     [](const Place& at) { return at.n >= 5 && at.n < 20 && at.x < 63 ? 16 + at.n % 3 : at.moving(); }},
    {"where(n//3 % 2 == 1, 200, 40)", [](const Place& at) { return at.is_odd_third() ? 200 : 40; }},
    {"where(n//3 % 2 == 1, 110, 100)", [](const Place& at) { return at.is_odd_third() ? 110 : 100; }},
    {"where(n//3 % 2 == 1, 640, 620)", [](const Place& at) { return at.is_odd_third() ? 640 : 620; }},
    {"where((n//3 % 2 == 1) & (x < w//4), 200, 40)",
     [](const Place& at) { return at.is_odd_third() && at.x < at.w / 4 ? 200 : 40; }},
    {"where((n//3 % 2 == 1) & (x < w//4 + 4), 200, 40)",
     [](const Place& at) { return at.is_odd_third() && at.x < at.w / 4 + 4 ? 200 : 40; }},
    {"where((n % 25)//3 % 2 == 1, where(n % 25 < 18, 200, 40), 40)",
     [](const Place& at) { return at.n % 25 / 3 % 2 == 1 && at.n % 25 < 18 ? 200 : 40; }},
    {"512 + (x - 8)*20", [](const Place& at) { return 512 + (at.x - 8) * 20; }},
    {"512 - (y - 8)*20", [](const Place& at) { return 512 - (at.y - 8) * 20; }}};

Video video_of(const json& recipe) {
  const json& format = recipe.at("format");
  const std::map<std::string, Chroma> chromas = {
      {"420", Chroma::k420}, {"400", Chroma::k400}, {"444", Chroma::k444}, {"rgb", Chroma::k444}};
  Video video{.format = {.name = {},
                         .width = format.at("width"),
                         .height = format.at("height"),
                         .bit_depth = format.value("depth", 8),
                         .chroma = chromas.at(format.value("chroma", "420"))},
              .frames = {}};
  video.rate = format.value("rate", "24");
  const size_t slash = video.rate.find('/');
  slash == std::string::npos ? video.rate += ":1" : video.rate.replace(slash, 1, ":");
  const json& formulae = recipe.at("planes");
  const int top = (1 << video.format.bit_depth) - 1;
  for (int n = 0; n < recipe.at("frames"); ++n) {
    video.frames.push_back(vq::test::drawn_frame(video.format, [&](int p, int x, int y) {
      const std::string formula = formulae.at(std::min(static_cast<size_t>(p), formulae.size() - 1));
      const int width = plane_size(video.format, p).width;
      return std::clamp(kFormulae.at(formula)({x, y, n, p, width, top}), 0, top);
    }));
  }
  return video;
}

// What a case says of how its videos are read, in the words of options that the feature has.
std::vector<std::pair<std::string, std::string>> options_of_input(const json& golden,
                                                                  const FeatureInfo& info) {
  json format = golden.value("input", json::object());
  for (const char* const side : {"video", "reference"}) {
    if (golden.contains(side) && golden.at(side).is_object()) format = golden.at(side).at("format");
  }
  std::vector<std::pair<std::string, std::string>> options;
  const auto add = [&](const char* key, const std::string& option,
                       const std::map<std::string, std::string>& words) {
    const auto has = [&](const OptionSpec& spec) { return spec.name == option; };
    if (!format.contains(key) || std::ranges::none_of(info.options, has)) return;
    const json& value = format.at(key);
    const std::string word =
        value.is_boolean() ? (value.get<bool>() ? "true" : "false") : value.get<std::string>();
    options.emplace_back(option, words.contains(word) ? words.at(word) : word);
  };
  add("matrix", "matrix", {});
  add("curve", "transfer", {});
  add("bt2020", "primaries", {{"true", "bt2020"}, {"false", "bt709"}});
  add("full", "range", {{"true", "full"}, {"false", "limited"}});
  add("location", "chroma_location", {});
  if (golden.contains("chroma")) options.emplace_back("chroma", "repeat");
  if (golden.value("form", "legacy") != "legacy") options.emplace_back("form", golden.at("form"));
  return options;
}

// The words by which a run reads a case's videos, which are written if they are made.
Words videos_of(const json& golden, const std::string& folder) {
  const auto written = [&](const Video& video, const std::string& name) {
    const std::string path = folder + "/" + name + ".y4m";
    write_y4m(path, video.frames, video.format.chroma, video.rate);
    return path;
  };
  const auto path_of = [&](const json& video, const std::string& name) {
    return video.is_string() ? testdata("clips/" + video.get<std::string>()) : written(video_of(video), name);
  };
  if (golden.contains("video")) return {path_of(golden.at("video"), "video")};
  const json &reference = golden.at("reference"), &distorted = golden.at("distorted");
  if (distorted != "stir")
    return {"-r", path_of(reference, "reference"), "-d", path_of(distorted, "distorted")};
  const size_t count = golden.at("figures").at("frames").size();
  const Video first = reference.is_string() ? decoded(reference, 0, count) : video_of(reference);
  return {"-r", path_of(reference, "reference"), "-d", written(stirred(first), "distorted")};
}

// Figures of a slow program of this project; PSNR of all planes has other names there.
void compare_light(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const bool is_psnr = golden.at("feature") == "psnr_yuv";
  const FeatureInfo& info = find_feature(is_psnr ? "psnr" : golden.at("feature").get<std::string>());
  std::string feature(info.name);
  OptionSet set(info.options);
  auto options = options_of_input(golden, info);
  if (is_psnr) {
    const json weights = golden.value("weights", json{6, 1, 1});
    options = {{"luma_weight", weights.at(0).dump()}, {"enable_apsnr", "true"}};
    if (golden.value("shifted_peak", false)) options.emplace_back("reduced_hbd_peak", "true");
  }
  for (const auto& [name, value] : options) {
    set.set(name, value);
    feature += (feature == info.name ? "=" : ":") + name + "=" + value;
  }
  const std::vector<std::string> names = info.metric_names(set);
  // A figure's name is that of a metric, without what options add; "ti" stands for "ti_pq".
  const auto metric_of = [&](const std::string& figure) {
    const std::string form = golden.value("form", "legacy"),
                      base = form == "legacy" ? figure : figure + "_" + form;
    if (is_psnr) return names.back();
    OptionSet others = set;
    if (golden.contains("form")) others.resolve("form", "legacy");
    return others.metric_name(base);
  };
  Words words = videos_of(golden, folder.path());
  if (golden.contains("reference")) words.insert(words.end(), {"--as-stored", "--compare-anyway"});
  if (golden.contains("crop")) {
    const json& crop = golden.at("crop");
    words.insert(words.end(), {"--crop", crop[2].dump() + ":" + crop[3].dump() + ":" + crop[0].dump() + ":" +
                                             crop[1].dump()});
  }
  const json& figures = golden.at("figures");
  json run = figures.value("run", json::object());
  if (is_psnr) {
    const std::string suffix = names.back().substr(std::string("psnr_yuv").size());
    run = {{"psnr_yuv", figures.at("mean_of_frames")},
           {"apsnr_yuv" + suffix, figures.at("of_mean_mse")},
           {"apsnr_all", figures.at("of_all_samples")}};
  }
  constexpr double kShare = 1e-12;
  for (const GoldenWay& way : ways) {
    const std::string where = text_of(feature, way);
    Words more = words_of(way);
    more.insert(more.end(), {"--frame_cnt", std::to_string(figures.at("frames").size())});
    const json report = report_of_run(words, {feature}, more);
    ASSERT_TRUE(report.is_object()) << where;
    const json& frames = report.at("frames");
    ASSERT_EQ(frames.size(), figures.at("frames").size()) << where;
    for (size_t i = 0; i < frames.size(); ++i) {
      json expected = figures.at("frames")[i], found = json::object();
      if (is_psnr) expected = {{"psnr_yuv", expected}};
      for (const auto& [name, value] : expected.items())
        found[name] = frames[i].at("metrics").at(metric_of(name));
      expect_same(found, expected, where + ", frame " + std::to_string(i), 0, kShare);
    }
    json found = json::object();
    for (const auto& [name, value] : run.items()) {
      const json &aggregates = report.at("aggregate_metrics"), &pooled = report.at("pooled_metrics");
      // TI of a single frame has no statistics.
      if (aggregates.contains(name))
        found[name] = aggregates.at(name);
      else
        found[name] = pooled.contains(metric_of(name)) ? pooled.at(metric_of(name)).at("mean") : json();
    }
    expect_same(found, run, where + ", run", 0, kShare);
  }
}

// The same program's figures and stretches of one kind. Repeated ones are not looked for.
void expect_stretches(const json& found, const json& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (size_t i = 0; i < expected.size(); ++i) {
    const int64_t first = expected[i].at("first_frame"), frames = expected[i].at("frames");
    EXPECT_EQ(found[i].at("first"), first) << where;
    EXPECT_EQ(found[i].at("last"), first + frames - 1) << where;
    for (const char* const time : {"start", "end"})
      EXPECT_NEAR(found[i].at(time).get<double>(), expected[i].at(time).get<double>(), 1e-9) << where;
  }
}

void compare_stretches(const json& golden, const Ways& ways) {
  const TemporaryFolder folder;
  const json &figures = golden.at("figures"), options = golden.value("options", json::object());
  std::string feature = words("stretches=freeze={}:noise={}", options.value("freeze", json(2)).dump(),
                              options.value("noise", json(0.001)).dump());
  for (const auto& [name, value] : options_of_input(golden, find_feature("stretches")))
    feature += ":" + name + "=" + value;
  const Words videos = videos_of(golden, folder.path());
  for (const GoldenWay& way : ways) {
    const auto segments_from = [&](const std::string& metric, const std::string& from, double shortest) {
      Words more = words_of(way);
      more.insert(more.end(), {"--extended", "--segments", metric + ":" + from, "--segments-shortest",
                               json(shortest).dump() + "s"});
      return report_of_run(videos, {feature}, more);
    };
    const std::string where = text_of(feature, way);
    const json black = segments_from("black_share", "0.98", options.value("black", 2.0));
    ASSERT_TRUE(black.is_object()) << where;
    const json& frames = black.at("frames");
    ASSERT_EQ(frames.size(), figures.at("flashes").size()) << where;
    for (size_t i = 0; i < frames.size(); ++i) {
      for (const auto& [name, value] : frames[i].at("metrics").items()) {
        if (name.starts_with("frozen")) continue;
        EXPECT_EQ(value, figures.at(name.starts_with("black") ? "black_share" : "flashes")[i]) << where << i;
      }
    }
    expect_stretches(black.at("run").at("segments").at("list"), figures.at("black"), where);
    expect_stretches(segments_from("flash_rate", "3.5", 0.0).at("run").at("segments").at("list"),
                     figures.at("flashing"), where);
    expect_stretches(segments_from("frozen_run", "1", 0.0).at("run").at("segments").at("list"),
                     figures.at("frozen"), where);
  }
}

struct GoldenFile {
  const char* name;
  void (*compare)(const json& golden, const Ways& ways);
};
const std::map<std::string, GoldenFile> kFiles = {{"adm", {"adm", compare_adm}},
                                                  {"bounds", {"bounds", compare_bounds}},
                                                  {"butteraugli", {"butteraugli", compare_butteraugli}},
                                                  {"cambi", {"cambi", compare_cambi}},
                                                  {"ciede", {"fidelity", compare_ciede}},
                                                  {"cvvdp", {"cvvdp", compare_cvvdp}},
                                                  {"float_ms_ssim", {"fidelity", compare_clips_exactly}},
                                                  {"float_ssim", {"fidelity", compare_clips_exactly}},
                                                  {"histogram", {"histogram", compare_histogram}},
                                                  {"itp", {"hdr", compare_light}},
                                                  {"light", {"hdr", compare_light}},
                                                  {"motion", {"motion", compare_sequences}},
                                                  {"psnr", {"fidelity", compare_clips_exactly}},
                                                  {"psnr_hvs", {"fidelity", compare_clips_exactly}},
                                                  {"psnr_yuv", {"hdr", compare_light}},
                                                  {"siti", {"hdr", compare_light}},
                                                  {"speed_chroma", {"speed", compare_clips_exactly}},
                                                  {"speed_temporal", {"speed", compare_clips_exactly}},
                                                  {"ssimulacra2", {"ssimulacra2", compare_ssimulacra2}},
                                                  {"stretches", {"hdr", compare_stretches}},
                                                  {"vif", {"vif", compare_sequences}},
                                                  {"xpsnr", {"xpsnr", compare_xpsnr}}};

// Clips have their size in their name.
int64_t frame_samples(const json& golden) {
  const json& video = golden.at("reference");
  if (video.is_object()) return video.at("size")[0].get<int64_t>() * video.at("size")[1].get<int64_t>();
  const std::string clip = video;
  std::smatch size;
  if (!std::regex_search(clip, size, std::regex("_([0-9]+)x([0-9]+)")))
    throw std::runtime_error(clip + " does not say its size");
  return int64_t{std::stoi(size[1])} * std::stoi(size[2]);
}

}  // namespace

json golden_cases(const std::string& path, const std::string& feature) {
  std::ifstream stream(path);
  json all = json::parse(stream), cases = json::array();
  for (json& one : all.at("cases")) {
    if (one.value("feature", feature) != feature) continue;
    one["feature"] = feature;
    cases.push_back(one);
  }
  if (cases.empty()) throw std::runtime_error(path + " has no cases of " + feature);
  return cases;
}

std::string feature_text(const json& golden) {
  const std::string name = golden.at("feature");
  std::string text = name;
  for (const auto& [key, value] : golden.at("options").items()) {
    text += (text == name ? "=" : ":") + key + "=" +
            (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

void expect_same(const json& actual, const json& expected, const std::string& where, double tolerance,
                 double share) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (const auto& [name, value] : expected.items()) {
    ASSERT_TRUE(actual.contains(name)) << where << ": " << name;
    if (value.is_null() || actual.at(name).is_null()) {
      EXPECT_EQ(actual.at(name), value) << where << ": " << name;
    } else {
      const double found = actual.at(name).get<double>(), wanted = value.get<double>();
      EXPECT_LE(std::abs(found - wanted), tolerance + share * std::abs(wanted))
          << where << ": " << name << " is " << actual.at(name) << ", not " << value;
    }
  }
}

std::vector<GoldenWay> host_ways() {
  std::vector<GoldenWay> ways = {{"scalar", 0}};
  int64_t last = 0;
  for (const uint32_t mask : {0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    const std::vector<SimdTarget> targets = allowed_simd_targets(mask);
    if (targets.empty() || targets.front().id == last) continue;
    last = targets.front().id;
    ways.push_back({"cpu", mask});
  }
  return ways;
}

GoldenChoice numbered(std::vector<size_t> numbers) {
  return [numbers = std::move(numbers)](const json&) { return numbers; };
}

GoldenChoice those(std::function<bool(const json& golden)> is_wanted) {
  return [is_wanted = std::move(is_wanted)](const json& cases) {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (is_wanted(cases[i])) numbers.push_back(i);
    }
    return numbers;
  };
}

GoldenChoice all_cases() {
  return those([](const json&) { return true; });
}

GoldenChoice up_to(int64_t samples) {
  return those([=](const json& golden) { return frame_samples(golden) <= samples; });
}

GoldenChoice larger_than(int64_t samples) {
  return those([=](const json& golden) { return frame_samples(golden) > samples; });
}

void GoldenTests::expect_reference() {
  const auto& [name, feature, choice, ways] = GetParam();
  const auto& [file, compare] = kFiles.at(feature);
  const json cases = golden_cases(testdata("golden/" + std::string(file) + ".json"), feature);
  const std::vector<size_t> numbers = choice(cases);
  EXPECT_FALSE(numbers.empty());
  for (const size_t i : numbers) {
    SCOPED_TRACE("case " + std::to_string(i) + " of " + file);
    compare(cases.at(i), ways);
  }
}

}  // namespace vq::cli::test
