#include "cli/decoding/open_video.h"
#include "tests/support/golden_text.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

constexpr const char* kHeader = "YUV4MPEG2 W6 H4 F25:1 Ip A1:1 C420jpeg\n";
constexpr size_t kFrameBytes = 6 * 4 + 2 * 3 * 2;

// `count` pictures whose luma counts upwards from 16 times their index and whose chroma is 255.
std::string frames(int count, const std::string& word = "FRAME\n") {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += word;
    for (int k = 0; k < 24; ++k) text.push_back(static_cast<char>(16 * i + k));
    text += std::string(12, '\xff');
  }
  return text;
}

Outcome read_text(const std::string& text, bool seekable = true) {
  return read_bytes(text_bytes(text), {}, seekable);
}

// Samples count upwards through the whole picture, from 1.
TEST(Y4m, GivesThePlanesThatAreAskedFor) {
  struct Case {
    const char* tag;
    PlaneSize chroma;
    bool alpha = false;
  };
  for (const Case& expected :
       {Case{"C420jpeg", {4, 3}}, Case{"C422", {4, 5}}, Case{"C444alpha", {7, 5}, true}, Case{"C411", {2, 5}},
        Case{"Cmono", {0, 0}}}) {
    const int chroma = expected.chroma.width * expected.chroma.height;
    const int samples = 35 + 2 * chroma + (expected.alpha ? 35 : 0);
    std::string picture;
    for (int k = 1; k <= samples; ++k) picture.push_back(static_cast<char>(k));
    const std::string text =
        std::string("YUV4MPEG2 W7 H5 ") + expected.tag + "\nFRAME\n" + picture + "FRAME\n" + picture;
    for (const int planes : {1, 3}) {
      SourceOptions options;
      options.planes = planes;
      const auto source = open_bytes(text_bytes(text), options);
      for (int frame_number = 0; frame_number < 2; ++frame_number) {
        const auto frame = source->read();
        ASSERT_TRUE(frame) << expected.tag;
        EXPECT_EQ(frame->luma().u8.row(4)[6], 35);
        for (int i = 1; i < 3; ++i) {
          const SampleView& plane = frame->planes[static_cast<size_t>(i)];
          EXPECT_EQ(plane.empty(), planes == 1 || chroma == 0) << expected.tag;
          if (plane.empty()) continue;
          EXPECT_EQ((PlaneSize{plane.width(), plane.height()}), expected.chroma) << expected.tag;
          EXPECT_EQ(plane.u8.row(0)[0], 36 + (i - 1) * chroma) << expected.tag;
          EXPECT_EQ(plane.u8.row(plane.height() - 1)[plane.width() - 1], 35 + i * chroma) << expected.tag;
        }
      }
      EXPECT_FALSE(source->read()) << expected.tag;
    }
  }
}

// Counts what is read from it.
class CountingBytes : public MemorySource {
 public:
  CountingBytes(const std::string& text, size_t& bytes_read)
      : MemorySource(text_bytes(text)), bytes_read_(bytes_read) {}
  size_t read(uint8_t* data, size_t size) override {
    const size_t count = MemorySource::read(data, size);
    bytes_read_ += count;
    return count;
  }

 private:
  size_t& bytes_read_;
};

TEST(Planar, SkippingInAFileDoesNotReadIt) {
  constexpr int kFrames = 200;
  // What opening, landing and reading on may look at, and the line before each picture.
  constexpr size_t kBuffers = 3 * (64 << 10), kLines = kFrames * ByteReader::kMaxPeek;
  const std::string picture(size_t{320} * 240, 'x');
  std::string raw, y4m = "YUV4MPEG2 W320 H240 Cmono\n";
  for (int i = 0; i < kFrames; ++i) {
    raw += picture;
    y4m += "FRAME\n" + picture;
  }
  SourceOptions plain, headless;
  headless.raw = PlanarLayout{320, 240, 8, Chroma::k400};
  for (const auto& [options, text] : {std::pair(plain, y4m), std::pair(headless, raw)}) {
    size_t bytes_read = 0;
    const auto source = open_video(options, std::make_unique<CountingBytes>(text, bytes_read));
    EXPECT_EQ(source->skip(kFrames - 2), kFrames - 2);
    EXPECT_EQ(source->read()->index, kFrames - 2);
    EXPECT_EQ(source->skip(5), 1);
    EXPECT_FALSE(source->read());
    EXPECT_LE(bytes_read, picture.size() + kBuffers + kLines);
  }
}

// One of them is as long as two without, so that the file's length misleads.
TEST(Y4m, SkipsFramesWhoseLinesHaveParameters) {
  std::string text = kHeader;
  const std::string picture(kFrameBytes, 'x'), parameter(kFrameBytes + 5, 'p');
  for (int i = 0; i < 4; ++i) text += (i == 1 ? "FRAME " + parameter + "\n" : "FRAME\n") + picture;
  const auto source = open_bytes(text_bytes(text));
  EXPECT_EQ(source->info().frames, 5);
  EXPECT_EQ(source->skip(3), 3);
  EXPECT_EQ(source->read()->index, 3);
  EXPECT_FALSE(source->read());
}

struct TagCase {
  const char* tag;
  int bit_depth;
  Chroma chroma;
  const char* pixel_format;
  int64_t other_samples;  // than those of luma, of 7x5
};

TEST(Y4m, KnowsTheColourspaces) {
  const TagCase cases[] = {{"", 8, Chroma::k420, "yuv420p", 24},
                           {" C420", 8, Chroma::k420, "yuv420p", 24},
                           {" C420mpeg2", 8, Chroma::k420, "yuv420p", 24},
                           {" C420paldv", 8, Chroma::k420, "yuv420p", 24},
                           {" C420p9", 9, Chroma::k420, "yuv420p9le", 24},
                           {" C420p10 XYSCSS=420P10", 10, Chroma::k420, "yuv420p10le", 24},
                           {" C422p12", 12, Chroma::k422, "yuv422p12le", 40},
                           {" C444p14", 14, Chroma::k444, "yuv444p14le", 70},
                           {" C420p16", 16, Chroma::k420, "yuv420p16le", 24},
                           {" C422", 8, Chroma::k422, "yuv422p", 40},
                           {" C444", 8, Chroma::k444, "yuv444p", 70},
                           {" C444alpha", 8, Chroma::k444, "yuva444p", 105},
                           {" C411", 8, Chroma::k411, "yuv411p", 20},
                           {" Cmono", 8, Chroma::k400, "gray", 0},
                           {" Cmono10", 10, Chroma::k400, "gray10le", 0},
                           {" Cmono16", 16, Chroma::k400, "gray16le", 0},
                           {" XYSCSS=444P10", 10, Chroma::k444, "yuv444p10le", 70}};
  for (const TagCase& expected : cases) {
    const Y4mHeader header = parse_y4m_header(std::string("YUV4MPEG2 W7 H5") + expected.tag);
    EXPECT_EQ(header.layout.bit_depth, expected.bit_depth) << expected.tag;
    EXPECT_EQ(header.layout.chroma, expected.chroma) << expected.tag;
    EXPECT_EQ(header.info.pixel_format, expected.pixel_format) << expected.tag;
    const int64_t samples = header.layout.frame_bytes() / (expected.bit_depth > 8 ? 2 : 1);
    EXPECT_EQ(samples, 7 * 5 + expected.other_samples) << expected.tag;
  }
  for (const char* tag : {"440", "420p11", "420jpegp10", "mono11", "monop10", "444alphap10", "xyz", ""})
    EXPECT_THROW(parse_y4m_header(std::string("YUV4MPEG2 W7 H5 C") + tag), Error) << tag;
}

TEST(Y4m, ReadsTheOtherTags) {
  const Y4mHeader header =
      parse_y4m_header("YUV4MPEG2 H1080 W1920 F30000:1001 It XCOLORRANGE=FULL Xanything Q1");
  EXPECT_EQ(header.layout.width, 1920);
  EXPECT_EQ(header.layout.height, 1080);
  EXPECT_EQ(header.info.rate.num, 30000);
  EXPECT_EQ(header.info.rate.den, 1001);
  EXPECT_TRUE(header.info.interlaced);
  EXPECT_EQ(header.info.format.range, Range::kFull);
  EXPECT_THAT(header.unknown, ElementsAre("Q1"));
  EXPECT_EQ(parse_y4m_header("YUV4MPEG2 W2 H2 XCOLORRANGE=LIMITED").info.format.range, Range::kLimited);
  EXPECT_EQ(parse_y4m_header("YUV4MPEG2 W2 H2 F0:0").info.rate.num, 0);
  EXPECT_FALSE(parse_y4m_header("YUV4MPEG2 W2 H2 Ip").info.interlaced);
  for (const char* scan : {"It", "Ib", "Im"})
    EXPECT_TRUE(parse_y4m_header(std::string("YUV4MPEG2 W2 H2 ") + scan).info.interlaced) << scan;
}

TEST(Y4m, AcceptsParametersOfFramesAndLongHeaders) {
  EXPECT_THAT(read_text(kHeader + frames(2, "FRAME Ixyz XA=1\n")).crcs, SizeIs(2));
  std::string header = "YUV4MPEG2 W6 H4 X";
  header += std::string(kMaxY4mLine - header.size(), 'a');
  EXPECT_THAT(read_text(header + "\n" + frames(1)).crcs, SizeIs(1));
  EXPECT_THAT(read_text(header + "a\n" + frames(1)), Ends(2, HasSubstr("4096")));
}

// Each is refused with this code before the first frame, and followed by one unless it ends without a
// newline.
TEST(Y4m, RefusesBadHeadersWithAReason) {
  const std::map<int, std::vector<std::string>> cases = {
      {2,
       {"YUV4MPEG2 W6 H4", "YUV4MPEG2", "YUV4MPEG2\n", "YUV4MPEG2 H4\n", "YUV4MPEG2 W6\n",
        "YUV4MPEG2 W6 H4\r\n", "YUV4MPEG2 W6 H4 \x01\x02\n", "YUV4MPEG2x W6 H4\n", "YUV4MPEG2 Wabc H4\n",
        "YUV4MPEG2 W6 H4 F25\n", "YUV4MPEG2 W6 H4 C999\n"}},
      {3,
       {"YUV4MPEG2 W0 H4\n", "YUV4MPEG2 W-320 H4\n", "YUV4MPEG2 W6 H16385\n", "YUV4MPEG2 W6 H2147483647\n",
        "YUV4MPEG2 W100000000000000000000 H4\n"}}};
  vq::test::GoldenTexts golden("decoding/y4m_refusals.txt");
  const auto refuse = [&](const std::string& header, int code, const std::string& rest) {
    const Outcome outcome = read_text(header + rest);
    EXPECT_FALSE(outcome.opened) << header;
    EXPECT_EQ(outcome.code, code) << header;
    golden.add(printable(header), outcome.message);
  };
  for (const auto& [code, headers] : cases) {
    for (const std::string& header : headers) refuse(header, code, header.ends_with('\n') ? frames(1) : "");
  }
  refuse("YUV4MPEG2 W6 H4\n", 2, "");
}

TEST(Y4m, CountsTheBytesOfACutFrame) {
  const std::string whole = kHeader + frames(3);
  for (const bool seekable : {false, true}) {
    for (size_t missing = 1; missing < kFrameBytes; ++missing) {
      const Outcome cut = read_text(whole.substr(0, whole.size() - missing), seekable);
      EXPECT_EQ(cut.code, 6);
      EXPECT_THAT(cut.crcs, SizeIs(2));
      EXPECT_THAT(cut.message, HasSubstr("frame 2"));
      EXPECT_THAT(cut.message, HasSubstr("got " + std::to_string(kFrameBytes - missing) + " of 36 bytes"));
    }
    const Outcome in_word = read_text(whole + "FRA", seekable);
    EXPECT_THAT(in_word, Ends(6, HasSubstr("got 3 of 6 bytes")));
    EXPECT_THAT(in_word.message, HasSubstr("byte " + std::to_string(whole.size())));
    EXPECT_THAT(read_text(whole + "FRAME\n", seekable), Ends(6, HasSubstr("got 0 of 36 bytes")));
  }
}

TEST(Y4m, NoticesStrayBytesAndBadFrameWords) {
  for (const char* stray : {"x", "\n", "FRAMX\n", "xFRAME\n", "FRAMES\n"}) {
    const Outcome outcome = read_text(kHeader + frames(2) + stray + frames(1));
    EXPECT_EQ(outcome.code, 6) << stray;
    EXPECT_THAT(outcome.crcs, SizeIs(2)) << stray;
    EXPECT_THAT(outcome.message, HasSubstr("frame 2: ")) << stray;
    EXPECT_THAT(outcome.message, HasSubstr("byte 123")) << stray;
  }
  const Outcome first = read_text(std::string(kHeader) + "FRAM!\n");
  EXPECT_EQ(first.code, 6);
  EXPECT_TRUE(first.opened);
}

TEST(Y4m, GivesTheReasonOfAReadError) {
  std::string text = "YUV4MPEG2 W512 H512 Cmono\n";
  for (int i = 0; i < 4; ++i) text += "FRAME\n" + std::string(512 * 512, 'x');
  auto bytes = std::make_unique<MemorySource>(text_bytes(text), false);
  SourceOptions options;
  options.path = "input";
  const Outcome outcome = read_all(options, std::make_unique<FailingSource>(std::move(bytes), 5));
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.crcs, SizeIs(2));
  EXPECT_EQ(outcome.message, "input: frame 2: read error: Input/output error");
  auto again = std::make_unique<MemorySource>(text_bytes(text), false);
  EXPECT_EQ(read_all(options, std::make_unique<FailingSource>(std::move(again), 0)).code, 2);
}

TEST(Y4m, WarnsOfUnknownParametersAndRefusesOtherStreams) {
  EXPECT_THAT(read_text("YUV4MPEG2 W6 H4 Zz\n" + frames(1)).warnings, ElementsAre(HasSubstr("\"Zz\"")));
  SourceOptions options;
  options.stream = 1;
  EXPECT_EQ(read_bytes(text_bytes(kHeader + frames(1)), options).code, 1);
  options.stream = 0;
  EXPECT_EQ(read_bytes(text_bytes(kHeader + frames(1)), options).code, 0);
}

SourceOptions raw_options(int width, int height, int bit_depth, Chroma chroma) {
  SourceOptions options;
  options.raw = PlanarLayout{width, height, bit_depth, chroma};
  return options;
}

TEST(Raw, ChecksTheSizeOfAFileBeforeTheFirstFrame) {
  const SourceOptions options = raw_options(6, 4, 8, Chroma::k420);
  const Outcome file = read_bytes(std::vector<uint8_t>(100), options);
  EXPECT_FALSE(file.opened);
  EXPECT_THAT(file, Ends(2, HasSubstr("100 bytes")));
  EXPECT_THAT(file.message, HasSubstr("36 bytes"));
  EXPECT_THAT(file.message, HasSubstr("has 28"));
  const Outcome pipe = read_bytes(std::vector<uint8_t>(100), options, false);
  EXPECT_EQ(pipe.code, 6);
  EXPECT_THAT(pipe.timestamps, ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THAT(pipe.message, HasSubstr("got 28 of 36 bytes"));
}

TEST(Raw, RefusesWhatIsNotPossible) {
  EXPECT_EQ(read_bytes({}, raw_options(6, 4, 8, Chroma::k420)).code, 2);
  EXPECT_EQ(read_bytes({}, raw_options(6, 4, 8, Chroma::k420), false).code, 2);
  EXPECT_EQ(read_bytes({1}, raw_options(0, 4, 8, Chroma::k420)).code, 3);
  EXPECT_EQ(read_bytes({1}, raw_options(6, -4, 8, Chroma::k420)).code, 3);
  EXPECT_EQ(read_bytes({1}, raw_options(16385, 4, 8, Chroma::k420)).code, 3);
  EXPECT_EQ(read_bytes({1}, raw_options(6, 4, 11, Chroma::k420)).code, 1);
}

// A file that loses bytes after its length was taken.
class ShrinkingSource : public MemorySource {
 public:
  ShrinkingSource(size_t size, size_t later) : MemorySource(std::vector<uint8_t>(later)), size_(size) {}
  std::optional<int64_t> size() override {
    return std::exchange(asked_, true) ? MemorySource::size() : std::optional<int64_t>(size_);
  }

 private:
  size_t size_;
  bool asked_ = false;
};

}  // namespace
}  // namespace vq::cli
