// Videos read ahead, for one reader or several; brought to another size or depth; cropped.
#include "cli/decoding/frame_reader.h"
#include "cli/inputs/remarks.h"
#include "feature/fitting/fitting.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

using nlohmann::json;

std::unique_ptr<FrameReader> opened(const std::string& clip, int planes) {
  return std::make_unique<FrameReader>(options_for(clip_path(clip), 1, planes), ReadLimits{});
}

Frame first_of(FrameReader& reader) {
  reader.start();
  return *reader.next({});
}

int sample(const SampleView& view, int x, int y) {
  return view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
}

// Counts its frames instead of decoding any; the one behind the last is an error if it `fails`.
class CountingSource final : public VideoSource {
 public:
  CountingSource(int64_t frames, bool fails, std::atomic<int64_t>& read)
      : frames_(frames), fails_(fails), read_(read) {}
  int64_t skip(int64_t) override { return 3; }

 private:
  std::optional<Frame> read_stored() override {
    if (read_ == frames_ && fails_) throw Error(ErrorKind::kIncomplete, "cut");
    if (read_ == frames_) return std::nullopt;
    report_.warnings = {std::to_string(read_)};
    Frame frame;
    frame.index = 5 + read_++;
    return frame;
  }

  const int64_t frames_;
  const bool fails_;
  std::atomic<int64_t>& read_;
};

TEST(FrameReader, OneThatReadsNothingAheadReadsWhatItIsAskedFor) {
  std::atomic<int64_t> read = 0;
  FrameReader reader({}, {.capacity = 0, .skip = 5},
                     [&](const SourceOptions&) { return std::make_unique<CountingSource>(2, true, read); });
  reader.start();
  for (int64_t k = 0; k < 2; ++k) {
    EXPECT_EQ(read, k);
    EXPECT_EQ(reader.next({})->index, k);
  }
  EXPECT_EQ(reader.skipped(), 3);
  EXPECT_THROW(reader.next({}), Error);
  EXPECT_THROW(reader.next({}), Error);
}

TEST(FrameReader, StretchesAreReadOneAfterAnother) {
  for (const size_t capacity : {size_t{0}, size_t{2}}) {
    std::atomic<int64_t> read = 0;
    FrameReader reader({}, {.capacity = capacity, .stretches = {{3, 6}, {6, 8}}}, [&](const SourceOptions&) {
      return std::make_unique<CountingSource>(100, false, read);
    });
    reader.start();
    std::vector<int64_t> indices;
    while (const auto frame = reader.next({})) indices.push_back(frame->index);
    EXPECT_THAT(indices, ElementsAre(5, 6, 7)) << capacity;
  }
}

// Readers of one source, which skips 5 frames, of which there are 3.
struct SharedReaders {
  SharedReaders(int64_t frames, size_t count, bool fails = false) {
    const auto open = [&, frames, fails](const SourceOptions&) {
      return std::make_unique<CountingSource>(frames, fails, read);
    };
    readers.push_back(
        std::make_unique<FrameReader>(SourceOptions(), ReadLimits{.capacity = 2, .skip = 5}, open));
    while (readers.size() < count) readers.push_back(readers.front()->share());
    for (const auto& reader : readers) reader->start();
  }
  std::optional<Frame> next(size_t reader) { return readers[reader]->next({}); }

  std::atomic<int64_t> read = 0;
  std::vector<std::unique_ptr<FrameReader>> readers;
};

constexpr int64_t kAhead = 6;  // frames read ahead of the slowest of several readers

TEST(SharedReaders, EachGetsEveryFrameInOrderAndEachIsReadOnce) {
  constexpr int64_t kFrames = 2000;
  SharedReaders shared(kFrames, 3);
  std::vector<std::vector<int64_t>> got(3);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        while (const auto frame = shared.next(i)) got[i].push_back(frame->index);
      });
    }
  }
  EXPECT_EQ(shared.read, kFrames);
  for (const auto& indices : got) {
    ASSERT_EQ(indices.size(), static_cast<size_t>(kFrames));
    for (int64_t k = 0; k < kFrames; ++k) EXPECT_EQ(indices[static_cast<size_t>(k)], k);
  }
}

TEST(SharedReaders, NoneGetsFurtherAheadThanTheWindow) {
  SharedReaders shared(100, 2);
  for (int64_t k = 0; k < kAhead; ++k) EXPECT_EQ(shared.next(0)->index, k);
  EXPECT_FALSE(shared.readers[0]->next(StopToken([] { return true; })));  // would have to wait
  EXPECT_EQ(shared.read, kAhead);
  EXPECT_EQ(shared.next(1)->index, 0);
  EXPECT_EQ(shared.next(0)->index, kAhead);
  EXPECT_EQ(shared.readers[1]->skipped(), 3);
}

TEST(SharedReaders, EachKnowsHowLongItWaited) {
  SharedReaders shared(100, 2);
  for (int64_t k = 0; k < kAhead; ++k) EXPECT_TRUE(shared.next(0));
  const double before = shared.readers[0]->waited();
  EXPECT_FALSE(shared.readers[0]->next(
      StopToken([ends = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)] {
        return std::chrono::steady_clock::now() >= ends;
      })));
  EXPECT_GE(shared.readers[0]->waited() - before, 0.02);
  EXPECT_EQ(shared.readers[1]->waited(), 0);
}

TEST(SharedReaders, OneThatHasLeftOrIsGoneIsNotWaitedFor) {
  SharedReaders shared(100, 3);
  shared.readers[1]->leave();
  shared.readers.pop_back();
  for (int64_t k = 0; k < 100; ++k) EXPECT_EQ(shared.next(0)->index, k);
  EXPECT_FALSE(shared.next(0));
}

TEST(SharedReaders, AnErrorComesToEachAfterTheFramesBeforeIt) {
  SharedReaders shared(2, 2, true);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(shared.next(i)->index, 0);
    EXPECT_EQ(shared.next(i)->index, 1);
    EXPECT_THROW(shared.next(i), Error);
  }
}

TEST(SharedReaders, EachWarningIsTakenOnce) {
  SharedReaders shared(1, 2);
  for (size_t i = 0; i < 2; ++i) {
    while (shared.next(i)) {
    }
  }
  EXPECT_THAT(shared.readers[1]->take_warnings(), ElementsAre("0"));
  EXPECT_THAT(shared.readers[0]->take_warnings(), IsEmpty());
  EXPECT_THAT(shared.readers[0]->report().warnings, ElementsAre("0"));
}

// Bits that are added one by one.
TEST(FittedFrames, DepthIsAShiftToTheLeft) {
  const std::unique_ptr<FrameReader> plain = opened("sky_640x360_8b.mp4", 3);
  const Frame before = first_of(*plain);
  const std::unique_ptr<FrameReader> deep = opened("sky_640x360_8b.mp4", 3);
  for (const int bits : {9, 10}) deep->fit({.least_bits = bits}, 3);
  EXPECT_EQ(deep->info().format.bit_depth, 10);
  EXPECT_EQ(deep->source_info().format.bit_depth, 8);
  const Frame after = first_of(*deep);
  EXPECT_EQ(after.bit_depth, 10);
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    ASSERT_EQ(after.planes[i].width(), before.planes[i].width());
    for (int y = 0; y < after.planes[i].height(); ++y) {
      for (int x = 0; x < after.planes[i].width(); ++x) {
        ASSERT_EQ(sample(after.planes[i], x, y), sample(before.planes[i], x, y) << 2)
            << i << ": " << x << ", " << y;
      }
    }
  }
}
TEST(FittedFrames, LumaAloneStaysAlone) {
  const std::unique_ptr<FrameReader> reader = opened("sky_640x360_8b.mp4", 1);
  reader->fit({.size = {320, 180}}, 1);
  const Frame frame = first_of(*reader);
  EXPECT_EQ(frame.planes[0].width(), 320);
  EXPECT_TRUE(frame.planes[1].empty());
}

// By the formulas of ITU-R BT.2100, rounded; tops and bottoms, and what is above any of them.
TEST(FrameFitter, FullRangeBecomesLimited) {
  struct Case {
    int bits, to_bits;
    uint16_t sample, luma, chroma;
  };
  const Case cases[] = {{8, 8, 0, 16, 16},           {8, 8, 255, 235, 240},   {8, 8, 128, 126, 128},
                        {8, 10, 255, 940, 958},      {8, 10, 1, 67, 66},      {10, 10, 0, 64, 64},
                        {10, 10, 1023, 940, 960},    {10, 10, 512, 502, 512}, {10, 12, 1023, 3760, 3838},
                        {10, 10, 1024, 65535, 65535}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.bits) + " to " + std::to_string(c.to_bits) +
                 " bits: " + std::to_string(c.sample));
    const VideoFormat format{.name = "full",
                             .width = 2,
                             .height = 2,
                             .bit_depth = c.bits,
                             .chroma = Chroma::k444,
                             .range = Range::kFull};
    const Fitting fitting{.least_bits = c.to_bits, .limits_range = true};
    const Frame frame = vq::test::drawn_frame(format, [&](int, int, int) { return c.sample; });
    const Frame fitted = make_frame_fitter(format, fitting, 3, {})->fit(frame);
    EXPECT_EQ(fitted.bit_depth, c.to_bits);
    EXPECT_EQ(sample(fitted.planes[0], 1, 1), c.luma);
    EXPECT_EQ(sample(fitted.planes[2], 0, 0), c.chroma);
  }
}

// Planes of one row each, as G, B and R.
struct RgbRow {
  std::vector<uint16_t> g, b, r;
};

VideoFormat rgb_format(int width, int height, int bits) {
  return {.name = "rgb",
          .width = width,
          .height = height,
          .bit_depth = bits,
          .chroma = Chroma::k444,
          .range = Range::kFull,
          .matrix = Matrix::kRgb};
}

Frame rgb_frame(const RgbRow& row, int bits, int rows) {
  const std::vector<uint16_t>* const planes[] = {&row.g, &row.b, &row.r};
  return vq::test::drawn_frame(
      rgb_format(static_cast<int>(row.g.size()), rows, bits),
      [&](int plane, int x, int) { return (*planes[plane])[static_cast<size_t>(x)]; });
}

// ITU-R BT.709 and BT.601: white, black, red, green, blue, and a grey.
TEST(FrameFitter, RgbBecomesTheNearestYcbcr) {
  const RgbRow row = {
      .g = {255, 0, 0, 255, 0, 128}, .b = {255, 0, 0, 0, 255, 128}, .r = {255, 0, 255, 0, 0, 128}};
  struct Case {
    Matrix matrix;
    std::array<int, 6> y, cb, cr;
  };
  const Case cases[] = {{Matrix::kBt709,
                         {235, 16, 63, 173, 32, 126},
                         {128, 128, 102, 42, 240, 128},
                         {128, 128, 240, 26, 118, 128}},
                        {Matrix::kBt601,
                         {235, 16, 81, 145, 41, 126},
                         {128, 128, 90, 54, 240, 128},
                         {128, 128, 240, 34, 110, 128}}};
  for (const Case& c : cases) {
    const Frame picture = rgb_frame(row, 8, 2);
    const Fitting fitting{.ycbcr = YcbcrForm{.matrix = c.matrix}};
    const Frame fitted = make_frame_fitter(rgb_format(6, 2, 8), fitting, 3, {})->fit(picture);
    for (int x = 0; x < 6; ++x) {
      const auto i = static_cast<size_t>(x);
      EXPECT_EQ(sample(fitted.planes[0], x, 1), c.y[i]) << x;
      EXPECT_EQ(sample(fitted.planes[1], x, 1), c.cb[i]) << x;
      EXPECT_EQ(sample(fitted.planes[2], x, 1), c.cr[i]) << x;
    }
    const Frame luma = make_frame_fitter(rgb_format(6, 2, 8), fitting, 1, {})->fit(picture);
    EXPECT_EQ(sample(luma.planes[0], 2, 0), c.y[2]);
    EXPECT_TRUE(luma.planes[1].empty());
  }
}

// Against the definition in doubles, at other depths, and at once with another depth and size.
TEST(FrameFitter, RgbOfAnyDepthIsWithinHalfALevel) {
  for (const int bits : {8, 10, 16}) {
    std::mt19937 random(static_cast<unsigned>(bits));
    const int most = (1 << bits) - 1;
    RgbRow row;
    for (int x = 0; x < 64; ++x) {
      for (auto* plane : {&row.g, &row.b, &row.r})
        plane->push_back(static_cast<uint16_t>(random() % static_cast<unsigned>(most + 1)));
    }
    const Frame picture = rgb_frame(row, bits, 4);
    const Fitting fitting{.ycbcr = YcbcrForm{.matrix = Matrix::kBt2020}};
    const Frame fitted = make_frame_fitter(rgb_format(64, 4, bits), fitting, 3, {})->fit(picture);
    EXPECT_EQ(fitted.bit_depth, bits);
    const double level = std::ldexp(1.0, bits - 8);
    for (int x = 0; x < 64; ++x) {
      const auto i = static_cast<size_t>(x);
      const double r = double{1} * row.r[i] / most, g = double{1} * row.g[i] / most,
                   b = double{1} * row.b[i] / most;
      const double y = 0.2627 * r + 0.6780 * g + 0.0593 * b;
      EXPECT_NEAR(sample(fitted.planes[0], x, 3), level * (16 + 219 * y), 0.51);
      EXPECT_NEAR(sample(fitted.planes[1], x, 3), level * (128 + 224 * (b - y) / 1.8814), 0.51);
      EXPECT_NEAR(sample(fitted.planes[2], x, 3), level * (128 + 224 * (r - y) / 1.4746), 0.51);
    }
    Fitting larger = fitting;
    larger.size = {128, 8};
    larger.least_bits = 10;
    if (bits == 16) continue;
    const Frame scaled = make_frame_fitter(rgb_format(64, 4, bits), larger, 3, {})->fit(picture);
    EXPECT_EQ(scaled.bit_depth, 10);
    EXPECT_EQ(scaled.planes[2].width(), 128);
  }
}

// One blue column among black ones: Cb is 240 in it and 128 beside it.
TEST(FrameFitter, SubsampledChromaIsTheMeanAroundItsPlace) {
  const RgbRow row = {.g = {0, 0, 0, 0, 0}, .b = {0, 0, 255, 0, 0}, .r = {0, 0, 0, 0, 0}};
  struct Case {
    Chroma chroma;
    ChromaLocation location;
    std::array<int, 3> cb;  // of the columns
  };
  const Case cases[] = {{Chroma::k420, ChromaLocation::kLeft, {128, 184, 128}},
                        {Chroma::k422, ChromaLocation::kTopLeft, {128, 184, 128}},
                        {Chroma::k420, ChromaLocation::kCenter, {128, 184, 128}},
                        {Chroma::k422, ChromaLocation::kTop, {128, 184, 128}}};
  for (const Case& c : cases) {
    const Frame picture = rgb_frame(row, 8, 3);
    const Fitting fitting{
        .ycbcr = YcbcrForm{.matrix = Matrix::kBt709, .chroma = c.chroma, .location = c.location}};
    const Frame fitted = make_frame_fitter(rgb_format(5, 3, 8), fitting, 3, {})->fit(picture);
    ASSERT_EQ(fitted.planes[1].width(), 3);
    EXPECT_EQ(fitted.planes[1].height(), c.chroma == Chroma::k420 ? 2 : 3);
    for (int x = 0; x < 3; ++x)
      EXPECT_EQ(sample(fitted.planes[1], x, 1), c.cb[static_cast<size_t>(x)]) << to_string(c.location) << x;
  }
  // A step down the middle of a column's samples tells the two apart.
  const RgbRow step = {.g = {0, 0, 0, 0}, .b = {0, 0, 0, 255}, .r = {0, 0, 0, 0}};
  const Frame picture = rgb_frame(step, 8, 2);
  const auto cb = [&](ChromaLocation location) {
    const Fitting fitting{.ycbcr = YcbcrForm{Matrix::kBt709, Chroma::k420, location}};
    return sample(make_frame_fitter(rgb_format(4, 2, 8), fitting, 3, {})->fit(picture).planes[1], 1, 0);
  };
  EXPECT_EQ(cb(ChromaLocation::kLeft), 156);    // a quarter of it
  EXPECT_EQ(cb(ChromaLocation::kCenter), 184);  // half of it
}

TEST(Crop, ReadsARectangle) {
  EXPECT_FALSE(parse_crop("--crop", "auto").rectangle);
  const Rectangle r = *parse_crop("--crop", "1920:800:0:140").rectangle;
  EXPECT_EQ(crop_text(r), "1920:800:0:140");
  EXPECT_EQ(r.height, 800);
  EXPECT_EQ(r.y, 140);
  for (const char* text :
       {"", "1:2:3", "1:2:3:4:5", "0:2:3:4", "1:2:-3:4", "a:2:3:4", "1:2:3:", "99999:2:3:4"}) {
    EXPECT_THROW(parse_crop("--crop", text), Error) << text;
  }
}

TEST(Crop, IsASmallerWindowOnTheSameSamples) {
  Plane<uint16_t> luma(10, 6), chroma(5, 3);
  Frame frame;
  frame.planes[0].u16 = luma.view();
  frame.planes[2].u16 = chroma.view();
  crop_frame(frame, Chroma::k420, {4, 2, 5, 3});
  EXPECT_EQ(frame.luma().width(), 5);
  EXPECT_EQ(frame.luma().height(), 3);
  EXPECT_EQ(frame.luma().u16.data, luma.row(2) + 4);
  EXPECT_TRUE(frame.planes[1].empty());
  EXPECT_EQ(frame.planes[2].width(), 3);
  EXPECT_EQ(frame.planes[2].height(), 2);
  EXPECT_EQ(frame.planes[2].u16.data, chroma.row(1) + 2);
}

// Decoders hand the host the rows of the part, so that it need not ask the device for each picture.
TEST(Crop, DecodersKnowTheRowsThatAreLookedAt) {
  std::shared_ptr<const LookedRows> rows;
  std::atomic<int64_t> read = 0;
  FrameReader reader({}, {}, [&](const SourceOptions& options) {
    rows = options.hardware.rows;
    return std::make_unique<CountingSource>(3, false, read);
  });
  EXPECT_THAT(rows->get(), IsEmpty());
  reader.crop({4, 20, 64, 32});
  reader.start();
  std::vector<int> expected(32);
  std::iota(expected.begin(), expected.end(), 20);
  EXPECT_EQ(rows->get(), expected);
}

TEST(Crop, BeginsWhereSamplesOfChromaDo) {
  VideoFormat video;
  video.name = "a.mp4";
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {2, 4, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma("--crop", {3, 4, 3, 3}, video), Error);
  EXPECT_THROW(check_crop_of_chroma("--crop", {2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k411;
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {4, 5, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma("--crop", {2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k444;
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {3, 5, 3, 3}, video));
}

class CropRun : public test::FolderTest {
 protected:
  json report_of(const std::string& clip, std::vector<std::string> words) {
    words.insert(words.begin(), testdata("clips/") + clip);
    words.insert(words.end(), {"--extended", "--precision", "max", "-o", in_folder("r.json")});
    out_ = test::run_well(words).out;
    return test::read_json(in_folder("r.json"));
  }
  std::string out_;
};

TEST_F(CropRun, BlackBarsAreFoundAndReported) {
  const json found = report_of("letterbox_640x360_8b.mp4", {"--crop", "auto"});
  const json crop = found["run"]["crop"];
  EXPECT_EQ(crop["width"], 640);
  EXPECT_EQ(crop["x"], 0);
  EXPECT_EQ(crop["y"], 46);  // the first row that is plainly lit
  EXPECT_EQ(crop["height"], 268);
  EXPECT_THAT(out_, HasSubstr("(without black bars)"));
  const std::string text = "640:" + crop["height"].dump() + ":0:" + crop["y"].dump();
  EXPECT_EQ(report_of("letterbox_640x360_8b.mp4", {"--crop", text})["frames"], found["frames"]);
  EXPECT_NE(report_of("letterbox_640x360_8b.mp4", {})["frames"], found["frames"]);
}

TEST_F(CropRun, AWholePictureStaysWhole) {
  const json cropped = report_of("sky_640x360_8b.mp4", {"--crop", "auto"});
  EXPECT_TRUE(cropped["run"]["crop"].is_null());
  EXPECT_THAT(out_, HasSubstr("crop=none (no black bars)"));
}

// The same picture with and without what surrounds it.
TEST_F(CropRun, ScoresAreThoseOfTheRectangleAlone) {
  std::string whole = "YUV4MPEG2 W400 H300 F25:1 Cmono\nFRAME\n",
              part = "YUV4MPEG2 W320 H240 F25:1 Cmono\nFRAME\n";
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      const bool inside = x >= 50 && x < 370 && y >= 20 && y < 260;
      const char sample = static_cast<char>(inside ? 40 + x / 40 : (x * 7 + y * 13) % 200);
      whole += sample;
      if (inside) part += sample;
    }
  }
  const std::string folder = folder_.path();
  test::write_file(folder + "/whole.y4m", whole);
  test::write_file(folder + "/part.y4m", part);
  const auto frames = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-q", "--precision", "max", "--json", "-o", folder + "/x.json"});
    test::run_well(all);
    return test::read_json(folder + "/x.json")["frames"];
  };
  const json expected = frames({folder + "/part.y4m"});
  EXPECT_GT(expected[0]["metrics"]["cambi"], 0.5);
  EXPECT_EQ(frames({folder + "/whole.y4m", "--crop", "320:240:50:20"}), expected);
  EXPECT_EQ(frames({folder + "/whole.y4m", "--crop", "320:240:50:20", "--feature", "cambi"}), expected);
  const json both = frames(
      {"-d", folder + "/whole.y4m", "-r", folder + "/whole.y4m", "--full-ref", "--crop", "320:240:50:20"});
  EXPECT_EQ(both[0]["metrics"]["cambi_source"], expected[0]["metrics"]["cambi"]);
  EXPECT_EQ(frames({"-d", folder + "/whole.y4m", "-r", folder + "/part.y4m", "--crop", "320:240:50:20",
                    "--feature", "cambi"}),
            expected);
}

}  // namespace
}  // namespace vq::cli
