#include "cli/decoding/parallel/stream_split.h"
#include "tests/support/test.h"

namespace vq::cli {
namespace {

constexpr int64_t kHd = 1920 * 1080, kUhd = 3840 * 2160;

// More for longer and larger videos; all videos share the circuits of the device.
TEST(SessionsOfUse, FinishSoonest) {
  struct Case {
    std::optional<double> frames;
    int64_t pixels, videos, sessions;
  };
  const Case cases[] = {{24, kHd, 1, 1},          {240, kHd, 2, 2},       {240, kUhd, 2, 4},
                        {3840, kHd, 2, 4},        {3840, kHd, 1, 8},      {100000, kUhd, 4, 2},
                        {100000, kUhd, 8, 1},     {100000, kUhd, 100, 1}, {std::nullopt, kHd, 1, 8},
                        {std::nullopt, kHd, 2, 4}};
  for (const Case& its : cases)
    EXPECT_EQ(sessions_of_use(its.frames, its.pixels, its.videos), its.sessions) << &its - cases;
}

constexpr int64_t kPictures = 4000;

// Segments of a video: the picture with which each begins, up to kPictures.
std::vector<int64_t> segments_of(int64_t length) {
  std::vector<int64_t> firsts;
  for (int64_t first = 0; first < kPictures; first += length) firsts.push_back(first);
  return firsts;
}

// The device of each picture of two videos. Each reader is ahead of the other by turns.
std::vector<std::vector<int>> devices_of_pair(DeviceTurns& turns, const std::vector<int64_t>& lengths) {
  std::vector<std::vector<int>> devices(lengths.size());
  std::vector<size_t> next(lengths.size(), 0);
  for (int64_t up_to = 0; up_to <= kPictures; up_to += 100) {
    for (size_t video = 0; video < lengths.size(); ++video) {
      const std::vector<int64_t> firsts = segments_of(lengths[video]);
      const int64_t ahead = up_to + (up_to / 100 % 2 == static_cast<int64_t>(video) ? 300 : 0);
      for (; next[video] < firsts.size() && firsts[next[video]] <= ahead; ++next[video]) {
        const int device = turns.device_for(firsts[next[video]], lengths[video]);
        devices[video].insert(devices[video].end(), static_cast<size_t>(lengths[video]), device);
      }
    }
  }
  for (std::vector<int>& each : devices) each.resize(kPictures);
  return devices;
}

double share_of_same(const std::vector<std::vector<int>>& devices) {
  int same = 0;
  for (size_t i = 0; i < kPictures; ++i) same += devices[0][i] == devices[1][i];
  return static_cast<double>(same) / kPictures;
}

TEST(DeviceTurns, PairsLieOnOneDeviceWhereSegmentsBeginTogether) {
  for (const int devices : {1, 2, 3}) {
    DeviceTurns turns(devices);
    EXPECT_EQ(share_of_same(devices_of_pair(turns, {24, 24})), 1) << devices;
  }
}

TEST(DeviceTurns, MostPairsDoWhereTheyDoNot) {
  for (const auto& lengths : {std::vector<int64_t>{24, 250}, {250, 24}, {48, 60}, {12, 240}}) {
    DeviceTurns turns(2);
    for (const int64_t length : lengths) turns.expect(length);
    const double shorter = static_cast<double>(std::min(lengths[0], lengths[1])),
                 longer = static_cast<double>(std::max(lengths[0], lengths[1]));
    EXPECT_GE(share_of_same(devices_of_pair(turns, lengths)), 1 - shorter / longer / 2)
        << shorter << ", " << longer;
  }
}

TEST(DeviceTurns, EachDeviceHasItsShare) {
  for (const int64_t length : {24, 250}) {
    DeviceTurns turns(4);
    std::map<int, int> pictures;
    const std::vector<std::vector<int>> devices = devices_of_pair(turns, {length, 24});
    for (const int device : devices.front()) ++pictures[device];
    ASSERT_EQ(pictures.size(), 4U);
    for (const auto& [device, count] : pictures) EXPECT_NEAR(count, kPictures / 4, 250) << device;
  }
}

// Where streams are taken apart.

const std::string kZero(1, '\0'), kStart = std::string(2, '\0') + "\1",
                                  kLongStart = std::string(3, '\0') + "\1";

AvPtr<AVPacket> packet_of(const std::string& bytes, int64_t pts, int flags = 0) {
  AvPtr<AVPacket> packet(av_packet_alloc());
  EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
  std::copy(bytes.begin(), bytes.end(), packet->data);
  packet->pts = pts;
  packet->flags = flags;
  return packet;
}

// Whoever asks is told what the letter of a packet says.
class LetterFinder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override {
    switch (packet.data[0]) {
      case 'K':
        return Entry::kClosed;
      case 'O':
        return Entry::kOpen;
      case 'l':
        return Entry::kLeaning;
      case 'r':
        return Entry::kLeading;
      case 'X':
        return Entry::kRefused;
      default:
        return Entry::kNone;
    }
  }
};

// "|" before a packet that begins a segment, "(" before one that is borrowed.
std::string split(const std::string& letters, int64_t shortest = 1, bool* refused = nullptr) {
  StreamSplitter splitter(std::make_unique<LetterFinder>(), shortest);
  std::string out;
  const auto take_all = [&] {
    while (const auto packet = splitter.take()) {
      if (packet->role == SplitPacket::Role::kFirst) out += '|';
      if (packet->role == SplitPacket::Role::kBorrowed) out += '(';
      const char letter = static_cast<char>(packet->packet->data[0]);
      EXPECT_EQ(letters[static_cast<size_t>(packet->number - 1)], letter);
      out += letter;
    }
  };
  int64_t number = 0;
  for (const char letter : letters) {
    splitter.add(packet_of(std::string(1, letter), number), number + 1);
    ++number;
    take_all();
  }
  splitter.end();
  take_all();
  if (refused != nullptr) *refused = splitter.is_refused();
  return out;
}

TEST(StreamSplitter, BeginsSegmentsAtClosedEntries) {
  EXPECT_EQ(split("KppKpK"), "|Kpp|Kp|K");
  EXPECT_EQ(split("ppKp"), "|pp|Kp") << "whatever comes first is the first segment";
  EXPECT_EQ(split(""), "");
}

TEST(StreamSplitter, WhatLeansOnBothSidesOfAnOpenEntryGoesBeforeIt) {
  EXPECT_EQ(split("KppOllppOp"), "|Kpp(Oll|Opp|Op");
  EXPECT_EQ(split("KpOll"), "|Kp(Oll|O") << "at the end";
  EXPECT_EQ(split("KpOKp"), "|Kp|O|Kp");
  EXPECT_EQ(split("OllpOlp"), "|Ollp(Ol|Op") << "the first has nothing before it";
  EXPECT_EQ(split("KpOlOlp"), "|Kp(Ol|O(Ol|Op") << "one after another";
}

TEST(StreamSplitter, DoesNotSplitAmongLeadingPicturesOfBothKinds) {
  EXPECT_EQ(split("KpOlrlpKp"), "|KpOlrlp|Kp");
  EXPECT_EQ(split("KpOrp"), "|KpOrp");
}

TEST(StreamSplitter, SegmentsAreNotTooShort) {
  EXPECT_EQ(split("KKKKKKK", 3), "|KKK|KKK|K");
  EXPECT_EQ(split("KpOlpOlpp", 4), "|KpOlp(Ol|Opp");
}

TEST(StreamSplitter, TellsOfStreamsThatMustNotBeTakenApart) {
  bool refused = false;
  split("Kpp", 1, &refused);
  EXPECT_FALSE(refused);
  split("KppXp", 1, &refused);
  EXPECT_TRUE(refused);
}

// Codecs.

struct Stream {
  Stream(AVCodecID codec, const std::string& header) : parameters(avcodec_parameters_alloc()) {
    parameters->codec_id = codec;
    if (header.empty()) return;
    parameters->extradata = static_cast<uint8_t*>(av_mallocz(header.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    parameters->extradata_size = static_cast<int>(header.size());
    std::copy(header.begin(), header.end(), parameters->extradata);
  }
  ~Stream() { avcodec_parameters_free(&parameters); }
  Stream& operator=(Stream&&) = delete;
  AVCodecParameters* parameters;
};

std::vector<Entry> entries(const Stream& stream, const std::vector<std::string>& packets,
                           int flags = AV_PKT_FLAG_KEY) {
  const std::unique_ptr<EntryFinder> finder = entry_finder(*stream.parameters);
  if (!finder) return {};
  std::vector<Entry> all;
  for (const std::string& bytes : packets) all.push_back(finder->look(*packet_of(bytes, 0, flags)));
  return all;
}

std::string unit(const std::string& bytes) { return kStart + bytes; }

TEST(Entries, OfH264AreIdrPictures) {
  const std::string sequence = unit("\x67sps"), picture = unit("\x68pps");
  const Stream stream(AV_CODEC_ID_H264, sequence + picture);
  EXPECT_THAT(entries(stream, {sequence + picture + unit("\x65i"), unit("\x41p"),
                               unit("\x06s") + unit("\x41i"), unit("\x65i")}),
              ElementsAre(Entry::kClosed, Entry::kNone, Entry::kNone, Entry::kClosed));
  EXPECT_THAT(entries(stream, {unit("\x67other") + unit("\x65i")}), ElementsAre(Entry::kRefused));
  EXPECT_THAT(entries(stream, {unit("\x06..x264 - core 150 r") + unit("\x65i")}),
              ElementsAre(Entry::kRefused));
  EXPECT_THAT(entries(stream, {unit("\x06..x264 - core 164 r") + unit("\x65i")}),
              ElementsAre(Entry::kClosed));
  EXPECT_THAT(entries(Stream(AV_CODEC_ID_H264, ""), {unit("\x65i")}), IsEmpty());
}

TEST(Entries, OfHevcAreOfThreeKinds) {
  const std::string sets = unit("\x40\1v") + unit("\x42\1s") + unit("\x44\1p");
  const Stream stream(AV_CODEC_ID_HEVC, sets);
  const auto picture = [](int type, int first_byte = 0x80) {
    return unit({static_cast<char>(type << 1), '\1', static_cast<char>(first_byte), 'x'});
  };
  EXPECT_THAT(entries(stream, {sets + picture(19), picture(1), picture(20), picture(16), picture(21),
                               picture(8), picture(9), picture(6), picture(7)}),
              ElementsAre(Entry::kClosed, Entry::kNone, Entry::kClosed, Entry::kClosed, Entry::kOpen,
                          Entry::kLeaning, Entry::kLeaning, Entry::kLeading, Entry::kLeading));
  EXPECT_THAT(entries(stream, {picture(21, 0xC0), picture(19, 0xC0)}),
              ElementsAre(Entry::kNone, Entry::kNone))
      << "they discard pictures";
  EXPECT_THAT(entries(stream, {picture(1) + unit("\x48\1e"), picture(21), picture(21)}),
              ElementsAre(Entry::kNone, Entry::kNone, Entry::kOpen))
      << "after the end of a sequence";
  EXPECT_THAT(entries(stream, {unit("\x42\1t") + picture(19)}), ElementsAre(Entry::kRefused));
}

TEST(Entries, OfVp9AreKeyFramesThatAreShown) {
  const Stream stream(AV_CODEC_ID_VP9, "");
  // Marker 10, profile 0, repeats, is no key frame, is shown.
  EXPECT_THAT(entries(stream, {"\x82x", "\x86x", "\x80x", "\x8Ax", ""}),
              ElementsAre(Entry::kClosed, Entry::kNone, Entry::kNone, Entry::kNone, Entry::kNone));
  EXPECT_THAT(entries(stream, {"\x82x"}, 0), ElementsAre(Entry::kNone));
  EXPECT_THAT(entries(stream, {"\xB1x"}), ElementsAre(Entry::kClosed)) << "profile 3 has one bit more";
}

TEST(Entries, OfAv1AreShownKeyFramesWithTheirSequence) {
  const Stream stream(AV_CODEC_ID_AV1, "");
  const std::string sequence = "\x0A\2Ss", other = "\x0A\2Tt", shown = "\x32\2\x10x",
                    hidden = "\x32\2" + kZero + "x", repeat = "\x1A\1\x80", inter = "\x32\2\x30x";
  EXPECT_THAT(
      entries(stream, {sequence + shown, shown, sequence + hidden, sequence + repeat, sequence + inter}),
      ElementsAre(Entry::kClosed, Entry::kNone, Entry::kNone, Entry::kNone, Entry::kNone));
  EXPECT_THAT(entries(stream, {sequence + shown, other + shown}),
              ElementsAre(Entry::kClosed, Entry::kRefused));
  EXPECT_THAT(entries(stream, {"\x0A\x7F"
                               "Ss",
                               "\x0A"}),
              ElementsAre(Entry::kNone, Entry::kRefused))
      << "cut";
}

TEST(Entries, OfJpegHaveTheirTables) {
  const Stream stream(AV_CODEC_ID_MJPEG, "");
  const auto segment = [](const char* marker) { return "\xFF" + std::string(marker) + kZero + "\3x"; };
  const std::string start = "\xFF\xD8", quantisers = segment("\xDB"), codes = segment("\xC4"),
                    samples = segment("\xDA");
  EXPECT_THAT(entries(stream, {start + quantisers + samples, start + samples,
                               start + quantisers + codes + samples, start + quantisers + samples}),
              ElementsAre(Entry::kClosed, Entry::kNone, Entry::kClosed, Entry::kNone));
}

TEST(Entries, AreNotLookedForWhereTimesAreMissingOrPacketsAreLeftOut) {
  const Stream stream(AV_CODEC_ID_VP9, "");
  const std::unique_ptr<EntryFinder> finder = entry_finder(*stream.parameters);
  EXPECT_EQ(finder->look(*packet_of("\x82x", AV_NOPTS_VALUE, AV_PKT_FLAG_KEY)), Entry::kRefused);
  EXPECT_EQ(finder->look(*packet_of("\x82x", 0, AV_PKT_FLAG_KEY | AV_PKT_FLAG_DISCARD)), Entry::kRefused);
  EXPECT_EQ(finder->look(*packet_of("\x82x", 0, AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT)), Entry::kRefused);
  for (const AVCodecID codec :
       {AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VC1, AV_CODEC_ID_VVC, AV_CODEC_ID_RAWVIDEO}) {
    EXPECT_EQ(entry_finder(*Stream(codec, "x").parameters), nullptr) << avcodec_get_name(codec);
  }
}

}  // namespace
}  // namespace vq::cli
