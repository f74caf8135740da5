// Sources of every kind in the program: stills, sequences, RGB, turned videos, and pairs by time.
#include "cli/decoding/open_video.h"
#include "cli/pictures/picture.h"
#include "tests/support/bad_input.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

std::string format_file(const std::string& name) { return testdata("formats/" + name); }

const Words kComparing = {"psnr", "float_ssim", "vif", "ciede", "ssimulacra2", "butteraugli", "xpsnr"};

class SourcesProgram : public FolderTest {
 protected:
  // Frames of a clip as PNG files.
  std::string sequence_of(const std::string& clip, int first) const {
    SourceOptions options;
    options.path = clip;
    options.planes = kMaxPlanes;
    const std::unique_ptr<VideoSource> source = open_video(options);
    std::filesystem::create_directory(in_folder("shots"));
    while (const std::optional<Frame> frame = source->read()) {
      const PlaneView<const uint8_t> g = frame->planes[0].u8, b = frame->planes[1].u8,
                                     r = frame->planes[2].u8;
      RgbImage image(g.width, g.height);
      for (int y = 0; y < g.height; ++y) {
        for (int x = 0; x < g.width; ++x) image.set(x, y, {r.row(y)[x], g.row(y)[x], b.row(y)[x]});
      }
      write_file(in_folder("shots/s" + std::to_string(first + frame->index) + ".png"), encode_png(image));
    }
    return in_folder("shots/s%d.png");
  }

  // A grey film whose frames show these moments, unless told otherwise those of a moving edge.
  using Level = double(int x, int y, double moment);
  static double edge(int x, int y, double moment) {
    return 40 + (static_cast<int>(x + y + 240 * moment) % 40) * 4;
  }
  std::string film(const std::string& name, const std::vector<double>& moments, const std::string& rate,
                   Level* level = edge) const {
    std::string text = "YUV4MPEG2 W64 H48 F" + rate + " Ip A1:1 Cmono\n";
    for (const double moment : moments) {
      text += "FRAME\n";
      for (int y = 0; y < 48; ++y) {
        for (int x = 0; x < 64; ++x) text += static_cast<char>(std::lround(level(x, y, moment)));
      }
    }
    return made(name, text);
  }
  static std::vector<double> times(double rate, int count, double from = 0) {
    std::vector<double> all;
    for (int i = 0; i < count; ++i) all.push_back(from + i / rate);
    return all;
  }
  static json metrics(const json& report) {
    json all = json::array();
    for (const json& frame : report.at("frames")) all.push_back(frame.at("metrics"));
    return all;
  }
  static json psnr(const json& report) {
    json all = json::array();
    for (const json& frame : report.at("frames")) all.push_back(frame.at("metrics").at("psnr_y"));
    return all;
  }
};

TEST_F(SourcesProgram, ASequenceScoresAsTheSameFramesOfAVideo) {
  const std::string video = format_file("shots.mkv"), other = format_file("shots.mp4");
  const std::string sequence = sequence_of(video, 98);  // from two digits to three
  const json wanted = report_of_run({"-r", other, "-d", video}, kComparing);
  for (const Words& flags : {Words{}, {"--threads", "1"}}) {
    const json numbered = report_of_run({"-r", other, "-d", sequence}, kComparing, flags);
    EXPECT_EQ(numbered.at("frames").size(), 12U);
    EXPECT_EQ(metrics(numbered), metrics(wanted));
  }
  EXPECT_EQ(metrics(report_of_run({"-r", other, "-d", in_folder("shots/*.png")}, kComparing)),
            metrics(wanted));
  EXPECT_EQ(metrics(report_of_run({"-r", other, "-d", in_folder("shots")}, {"psnr"})),
            metrics(report_of_run({"-r", other, "-d", video}, {"psnr"})));
  EXPECT_EQ(metrics(report_of_run({"-r", sequence, "-d", other}, kComparing)),
            metrics(report_of_run({"-r", video, "-d", other}, kComparing)));
  EXPECT_EQ(metrics(report_of_run({sequence}, {"histogram"}, {"--start", "4", "--end", "7"})),
            metrics(report_of_run({video}, {"histogram"}, {"--start", "4", "--end", "7"})));
}

TEST_F(SourcesProgram, StillsOfEveryKindAreCompared) {
  sequence_of(format_file("shots.mkv"), 0);
  const std::string png = in_folder("shots/s0.png");
  struct Case {
    const char* name;
    double psnr;       // at the least
    const char* note;  // in the report
  };
  const Case cases[] = {{"still.tif", 60, "RGB to Y'CbCr (bt709, 4:4:4"},
                        {"still.jxl", 25, "RGB to Y'CbCr"},
                        {"still.jpg", 25, "(bt601, 4:2:0"},
                        {"still.webp", 20, "(bt601, 4:2:0"},
                        {"still.avif", 25, "(bt709, 4:2:0"},
                        {"still.pfm", 48, "floating-point"},
                        {"still_palette.png", 25, "palette"},
                        {"still_bits.png", 5, "one bit"},
                        {"shots.gif", 25, "RGB to Y'CbCr"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const bool has_chroma = std::string(c.name) != "still_bits.png";
    Words features = {has_chroma ? "psnr" : "psnr=enable_chroma=false"};
    if (has_chroma) features.emplace_back("ssimulacra2");
    const json report =
        report_of_run({"-r", png, "-d", format_file(c.name)}, features, {"--extended", "--frame_cnt", "1"});
    ASSERT_EQ(report.at("frames").size(), 1U);
    const json& scores = report.at("frames").at(0).at("metrics");
    EXPECT_GE(scores.at("psnr_y").get<double>(), c.psnr);
    if (std::string(c.name) == "still.tif") {
      EXPECT_EQ(scores.at("ssimulacra2"), 100);
    }
    if (std::string(c.name) == "still.pfm") {
      EXPECT_GT(scores.at("ssimulacra2"), 99.9);  // the same values in 16 bits
    }
    EXPECT_THAT(report.at("run").at("notes").get<Words>(), Contains(HasSubstr(c.note)));
  }
}

// The frames of an untagged video, as FFmpeg makes RGB of them.
TEST_F(SourcesProgram, PicturesOfAVideoAreReadAsItIs) {
  const std::string video = testdata("clips/colour_640x360_8b_haze_ref.mkv");
  run_ffmpeg("-i " + video + " -frames:v 2 " + in_folder("p%d.png"));
  const json report = report_of_run({"-r", video, "-d", in_folder("p%d.png"), "--frame_cnt", "2"},
                                    {"psnr", "ssimulacra2"}, {"--extended"});
  const json& scores = report.at("frames").at(0).at("metrics");
  EXPECT_GT(scores.at("psnr_y"), 46);
  EXPECT_GT(scores.at("ssimulacra2"), 90);
  EXPECT_THAT(report.at("run").at("notes").get<Words>(), Contains(HasSubstr("is taken for bt1886, as ")));
}

// Colours that are as bright as each other are much, little or no green.
TEST_F(SourcesProgram, PicturesOfAVideoAreThoseOfThatVideo) {
  run_ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 80 -pix_fmt yuv420p -c:v ffv1 " +
             in_folder("v.mkv"));
  run_ffmpeg("-i " + in_folder("v.mkv") + " " + in_folder("v%03d.png"));
  report_of_run({"-r", in_folder("v.mkv"), "-d", in_folder("v%03d.png")}, {"psnr"});
}

// One film in two matrices. Luma that is scored alone is converted with its chroma.
TEST_F(SourcesProgram, AVideoOfAnotherMatrixIsComparedInTheReferences) {
  const std::string film = "-i " + testdata("clips/colour_640x360_8b_ref.mp4") + " -frames:v 3 ";
  run_ffmpeg(film + "-colorspace smpte170m -c:v ffv1 " + in_folder("sd.mkv"));
  run_ffmpeg(film + "-vf scale=in_color_matrix=bt601:out_color_matrix=bt709 -colorspace bt709 -c:v ffv1 " +
             in_folder("hd.mkv"));
  const Words pair = {"-r", in_folder("hd.mkv"), "-d", in_folder("sd.mkv")};
  const json all = report_of_run(pair, {"psnr"}, {"--extended"}),
             luma = report_of_run(pair, {"psnr=enable_chroma=false"}),
             stored = report_of_run(pair, {"psnr"}, {"--as-stored"});
  EXPECT_EQ(psnr(luma), psnr(all));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GT(psnr(all).at(i), 40);
    EXPECT_LT(psnr(stored).at(i), 33);
  }
  EXPECT_THAT(all.at("run").at("notes").get<Words>(),
              Contains(HasSubstr("from the matrix of bt601 to that of bt709")));
  EXPECT_EQ(psnr(report_of_run(pair, {"psnr=enable_chroma=false"}, {"--backend", "scalar"})), psnr(luma));
}

// The file with another display matrix in its track.
std::string with_matrix(const std::string& bytes, const std::array<int, 4>& axes) {
  std::string changed = bytes;
  const size_t matrix = bytes.find("tkhd") + 44;
  const auto put = [&](size_t place, int value) {
    const auto fixed = static_cast<uint32_t>(value) << 16;
    for (size_t i = 0; i < 4; ++i) changed[matrix + 4 * place + i] = static_cast<char>(fixed >> (24 - 8 * i));
  };
  put(0, axes[0]);
  put(1, axes[1]);
  put(3, axes[2]);
  put(4, axes[3]);
  return changed;
}

// As y4m, turned by the same matrix in the simplest way.
std::string upright_y4m(const std::string& clip, const std::array<int, 4>& m) {
  SourceOptions options;
  options.path = clip;
  options.planes = kMaxPlanes;
  options.upright = false;
  const std::unique_ptr<VideoSource> source = open_video(options);
  const bool lies = m[0] == 0;
  const VideoFormat& format = source->info().format;
  std::string text = "YUV4MPEG2 W" + std::to_string(lies ? format.height : format.width) + " H" +
                     std::to_string(lies ? format.width : format.height) + " F25:1 Ip A1:1 C420mpeg2\n";
  while (const std::optional<Frame> frame = source->read()) {
    text += "FRAME\n";
    for (const SampleView& plane : frame->planes) {
      const int width = plane.width(), height = plane.height();
      const int to_width = lies ? height : width, to_height = lies ? width : height;
      std::string turned(static_cast<size_t>(width * height), 0);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          int to_x = m[0] * x + m[2] * y, to_y = m[1] * x + m[3] * y;
          if (m[0] + m[2] < 0) to_x += to_width - 1;
          if (m[1] + m[3] < 0) to_y += to_height - 1;
          turned[static_cast<size_t>(to_y * to_width + to_x)] = static_cast<char>(plane.u8.row(y)[x]);
        }
      }
      text += turned;
    }
  }
  return text;
}

TEST_F(SourcesProgram, ATurnedVideoScoresAsTheUprightOne) {
  const std::string clip = format_file("faststart.mp4"), bytes = read_file(clip);
  const std::array<int, 4> turns[] = {{0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}, {-1, 0, 0, 1},
                                      {1, 0, 0, -1}, {0, 1, 1, 0},   {0, -1, -1, 0}};
  for (const auto& turn : turns) {
    SCOPED_TRACE(::testing::PrintToString(turn));
    write_file(in_folder("turned.mp4"), with_matrix(bytes, turn));
    write_file(in_folder("upright.y4m"), upright_y4m(clip, turn));
    // Something else to compare with: the same film a frame later.
    const Words features = {"psnr", "vif", "motion", "ssimulacra2"};
    const Words late = {"--frame_skip_ref", "1", "--align", "off", "--extended"};
    const json turned =
        report_of_run({"-r", in_folder("upright.y4m"), "-d", in_folder("turned.mp4")}, features, late);
    const json upright =
        report_of_run({"-r", in_folder("upright.y4m"), "-d", in_folder("upright.y4m")}, features, late);
    EXPECT_EQ(metrics(turned), metrics(upright));
    EXPECT_THAT(turned.at("run").at("notes").get<Words>(), Contains(HasSubstr("is turned by its tag")));
    EXPECT_EQ(metrics(report_of_run({in_folder("turned.mp4")}, {"histogram"})),
              metrics(report_of_run({in_folder("upright.y4m")}, {"histogram"})));
  }
  const json stored = report_of_run({in_folder("turned.mp4"), "--as-stored"}, {"histogram"});
  EXPECT_EQ(metrics(stored), metrics(report_of_run({clip}, {"histogram"})));
  const Words pair = {"-r",         in_folder("upright.y4m"),
                      "-d",         in_folder("turned.mp4"),
                      "--feature",  "psnr",
                      "--as-stored"},
              scaled = joined(pair, {"--scale-to", "reference"});
  for (const Words& words : {pair, scaled})
    EXPECT_THAT(run_program(words), Ends(3, HasSubstr("turned.mp4 -c:v ffv1 upright.mkv")));
  EXPECT_THAT(run_well(joined(scaled, {"--compare-anyway"})).err,
              AllOf(HasSubstr("turned.mp4"), HasSubstr("90")));
}

TEST_F(SourcesProgram, InfoSaysHowAVideoIsTurned) {
  write_file(in_folder("phone.mp4"), with_matrix(read_file(format_file("faststart.mp4")), {0, 1, -1, 0}));
  const ProgramResult info = run_program({"info", in_folder("phone.mp4")});
  EXPECT_THAT(info.out, HasSubstr("48x64, stored as 64x48 and turned 90 degrees clockwise"));
  const json file =
      json::parse(run_program({"info", "--json", in_folder("phone.mp4")}).out).at("files").at(0);
  EXPECT_EQ(file.at("input").at("width"), 48);
  EXPECT_EQ(file.at("streams").at(0).at("width"), 64);
}

TEST_F(SourcesProgram, PairsByTime) {
  const std::string full = film("full.y4m", times(24, 24), "24:1"),
                    half = film("half.y4m", times(12, 12), "12:1"),
                    twice = film("twice.y4m", times(48, 48), "48:1");
  EXPECT_THAT(run_program({"-r", full, "-d", half, "--feature", "psnr"}), Ends(3, HasSubstr("--pair time")));
  const Words by_time = {"--pair", "time", "--extended"};
  const json halved = report_of_run({"-r", full, "-d", half}, {"psnr"}, by_time);
  ASSERT_EQ(halved.at("frames").size(), 12U);
  for (const json& score : psnr(halved)) EXPECT_EQ(score, 60);
  EXPECT_THAT(halved.at("run").at("notes").get<Words>(),
              AllOf(Contains("pair=time"), Contains(HasSubstr("12 frames of"))));
  EXPECT_TRUE(halved.at("run").at("warnings").empty()) << halved.at("run").at("warnings");
  const json doubled = report_of_run({"-r", full, "-d", twice}, {"psnr"}, by_time);
  ASSERT_EQ(doubled.at("frames").size(), 48U);
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(psnr(doubled)[i] == 60, i % 2 == 0) << i;
  EXPECT_EQ(doubled.at("frames").at(47).at("frameNum"), 47);
  // A part, a sample and an offset by time.
  const json part = report_of_run({"-r", full, "-d", half}, {"psnr"},
                                  {"--pair", "time", "--start", "3", "--end", "0.75s", "--subsample", "2"});
  EXPECT_EQ(psnr(part), json({60, 60, 60}));
  const json first = report_of_run({"-r", full, "-d", half}, {"psnr"},
                                   {"--pair", "time", "--frame_cnt", "5", "--strict", "--extended"});
  EXPECT_EQ(psnr(first), json({60, 60, 60, 60, 60}));
  EXPECT_TRUE(first.at("run").at("warnings").empty()) << first.at("run").at("warnings");
  const json late =
      report_of_run({"-r", full, "-d", half}, {"psnr"},
                    {"--pair", "time", "--frame_skip_ref", "0.5s", "--frame_skip_dist", "00:00.5"});
  EXPECT_EQ(psnr(late), json({60, 60, 60, 60, 60, 60}));
  EXPECT_EQ(run_program({full, "--pair", "time"}).code, 1);
}

// Each sixth frame is shown twice, by a program that rounds another way than the nearest frame does; and
// three frames are of another moment.
TEST_F(SourcesProgram, PairsByTimeAreAlike) {
  const auto film_of = [&](const std::string& name, const std::vector<int>& moments,
                           const std::string& rate) {
    return film(name, {moments.begin(), moments.end()}, rate, [](int x, int y, double moment) {
      return 128 + 80 * std::sin(0.1 * (x + 2 * y) + 0.1 * moment);
    });
  };
  std::vector<int> all, converted;
  for (int i = 0; i < 50; ++i) all.push_back(i);
  for (int i = 0; i < 60; ++i) converted.push_back(i * 5 / 6);
  for (int& moment : converted) moment -= moment > 0 && moment % 5 == 3 ? 1 : 0;
  const std::string full = film_of("full.y4m", all, "25:1"), cadence = film_of("30.y4m", converted, "30:1");
  const Words by_time = {"--pair", "time", "--extended"};
  const json report = report_of_run({"-r", full, "-d", cadence}, {"psnr"}, by_time);
  ASSERT_EQ(report.at("frames").size(), 60U);
  for (const json& score : psnr(report)) EXPECT_EQ(score, 60);
  EXPECT_THAT(report.at("run").at("notes").get<Words>(),
              Contains(HasSubstr(" of 60 frames fit an earlier frame of " + full +
                                 " better than the nearest in time and are compared with it")));
  EXPECT_TRUE(report.at("run").at("warnings").empty()) << report.at("run").at("warnings");
  for (const size_t i : {20U, 21U, 22U}) converted[i] += 31;
  const Words other = {"-r", full, "-d", film_of("other.y4m", converted, "30:1"), "--feature", "psnr"};
  const auto with = [&](const std::string& flag) {
    Words words = other;
    words.insert(words.end(), {"--pair", "time", flag});
    return run_program(words);
  };
  const ProgramResult warned = with("--compare-anyway");
  EXPECT_EQ(warned.code, 0) << warned.err;
  EXPECT_THAT(warned.err,
              HasSubstr("other.y4m match no frame of " + full + " near their time (20, 21, 22)."));
  EXPECT_THAT(warned.err, HasSubstr("3 frames of "));
  EXPECT_EQ(with("--strict").code, 3);
  EXPECT_EQ(run_program({"-r", full, "-d", cadence, "--feature", "psnr", "--pair", "time", "--strict"}).code,
            0);
}

TEST_F(SourcesProgram, PairsByTimeEndTogether) {
  const std::string full = film("full.y4m", times(24, 24), "24:1"),
                    half = film("half.y4m", times(12, 6), "12:1"),
                    slow = film("slow.y4m", times(12, 24), "12:1");
  EXPECT_THAT(run_well({"-r", full, "-d", half, "--feature", "psnr", "--pair", "time"}).err,
              AllOf(HasSubstr("half.y4m ended before " + full), HasSubstr("; scored 6.")));
  const ProgramResult strict =
      run_program({"-r", full, "-d", half, "--feature", "psnr", "--pair", "time", "--strict"});
  EXPECT_EQ(strict.code, 6) << strict.err;
  const json longer = report_of_run({"-r", full, "-d", slow}, {"psnr"}, {"--pair", "time"});
  EXPECT_EQ(longer.at("frames").size(), 12U);
}

TEST_F(SourcesProgram, TimesToSkipAreCountedAsFrames) {
  const std::string clip = format_file("h264.mkv");  // 25 frames a second, with B-frames
  const auto frames = [&](const std::string& time) {
    const json report = report_of_run({clip}, {"histogram"}, {"--frame_skip_dist", time, "--extended"});
    return report.at("run").at("inputs").at(0).at("skipped").get<int>();
  };
  EXPECT_EQ(frames("0s"), 0);
  EXPECT_EQ(frames("0.4s"), 10);
  EXPECT_EQ(frames("0.39s"), 10);
  EXPECT_EQ(frames("00:00:01.0"), 25);
  EXPECT_EQ(frames("12"), 12);
  EXPECT_EQ(metrics(report_of_run({clip}, {"histogram"}, {"--frame_skip_dist", "1.2s"})),
            metrics(report_of_run({clip}, {"histogram"}, {"--frame_skip_dist", "30"})));
  EXPECT_EQ(run_program({clip, "--frame_skip_dist", "-1s"}).code, 1);
  EXPECT_EQ(run_program({clip, "--feature", "histogram", "--frame_skip_dist", "9s"}).code, 2);
  const std::string raw = in_folder("a.yuv");
  write_file(raw, std::string(size_t{64} * 48 * 10, '\x40'));
  const Words geometry = {raw, "-w", "64", "-h", "48", "-p", "400", "-b", "8", "--frame_skip_dist", "0.2s"};
  EXPECT_THAT(run_program(geometry), Ends(1, HasSubstr("--fps")));
  Words timed = geometry;
  timed.insert(timed.end(), {"--fps", "10"});
  EXPECT_EQ(report_of_run(timed, {"histogram"}).at("frames").size(), 8U);
}

TEST_F(SourcesProgram, SeveralVideosShareAReferencePairedByTime) {
  const std::string full = film("full.y4m", times(24, 24), "24:1"),
                    half = film("half.y4m", times(12, 12), "12:1"),
                    third = film("third.y4m", times(8, 8), "8:1");
  run_well({"compare", half, third, "-r", full, "--feature", "psnr", "--pair", "time", "--frame_skip_ref",
            "0s", "-o", in_folder("c.json"), "-q"});
  const json all = read_json(in_folder("c.json"));
  EXPECT_THAT(all.dump(), HasSubstr("60"));
}

}  // namespace
}  // namespace vq::cli::test
