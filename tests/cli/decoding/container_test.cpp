// What containers say of their own length, and where their bytes end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/decoding/damage/container_declarations.h"

namespace vq::cli {
namespace {

std::string big_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string little_endian(uint64_t value, int bytes) {
  const std::string text = big_endian(value, bytes);
  return {text.rbegin(), text.rend()};
}

// An EBML header of 5 bytes of content, and the id of the segment.
const std::string kMatroska("\x1A\x45\xDF\xA3\x85?????\x18\x53\x80\x67", 14);

TEST(ContainerHeader, MatroskaGivesItsSize) {
  // One byte of size: the content is 10 bytes, and starts at byte 15.
  EXPECT_EQ(declared_bytes(kMatroska + "\x8A"), 25);
  EXPECT_EQ(declared_bytes(kMatroska + "\x01" + big_endian(1000, 7)), 22 + 1000);
  // All ones: unknown, as live streams have it.
  EXPECT_EQ(declared_bytes(kMatroska + "\xFF"), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska + "\x01" + std::string(7, '\xFF')), std::nullopt);
  // A size of nine bytes does not exist, and here the file ends before it.
  EXPECT_EQ(declared_bytes(kMatroska + std::string(9, '\0')), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska.substr(0, 4)), std::nullopt);
}

TEST(ContainerHeader, MxfGivesThePlaceOfItsFooter) {
  const std::string key("\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01\x02\x04\x00", 16);
  const auto pack = [&](const std::string& length, uint64_t footer) {
    return key + length + std::string(24, 'x') + big_endian(footer, 8);
  };
  EXPECT_EQ(declared_bytes(pack("\x68", 5000)), 5001);
  EXPECT_EQ(declared_bytes(pack("\x83" + big_endian(104, 3), 5000)), 5001);
  EXPECT_EQ(declared_bytes(pack("\x68", 0)), std::nullopt);  // not filled in
  EXPECT_EQ(declared_bytes(pack("\x68", UINT64_MAX)), std::nullopt);
  EXPECT_EQ(declared_bytes("RIFF"), std::nullopt);
}

TEST(ContainerHeader, AsfGivesItsDurationWithThePreroll) {
  const std::string id("\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65", 16);
  const auto header = [&](uint64_t duration, uint64_t preroll, uint32_t flags) {
    return "before" + id + std::string(48, 'x') + little_endian(duration, 8) + std::string(8, 'x') +
           little_endian(preroll, 8) + little_endian(flags, 4);
  };
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 2)), 2.0);
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 1)), std::nullopt);  // a broadcast
  EXPECT_EQ(asf_seconds(header(30'000'000, 3000, 2)), std::nullopt);
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 2).substr(0, 97)), std::nullopt);
  EXPECT_EQ(asf_seconds("RIFF"), std::nullopt);
}

std::string box(const std::string& type, const std::string& content) {
  return big_endian(8 + content.size(), 4) + type + content;
}

std::optional<MediaBoxes> boxes_of(const std::string& bytes) {
  ByteReader reader(std::make_unique<MemorySource>(std::vector<uint8_t>(bytes.begin(), bytes.end())));
  return media_boxes(reader);
}

std::optional<int64_t> media_end(const std::string& bytes) {
  const std::optional<MediaBoxes> boxes = boxes_of(bytes);
  return boxes ? std::optional(boxes->end) : std::nullopt;
}

TEST(ContainerHeader, BoxesTellOfASecondVideo) {
  const std::string start = box("ftyp", "isom") + box("moov", "x"), media = box("mdat", "pictures");
  EXPECT_EQ(boxes_of(start + media)->second, std::nullopt);
  EXPECT_EQ(boxes_of(start + media + start + media + start + media)->second, (start + media).size());
  EXPECT_EQ(boxes_of(start + media + box("moov", "x") + media)->second, (start + media).size());
  // Of fragments the header may come again.
  const std::string fragment = box("moof", "x") + media;
  EXPECT_EQ(boxes_of(start + fragment + start + fragment)->second, std::nullopt);
}

TEST(ContainerHeader, BoxesGiveTheEndOfTheMedia) {
  const std::string start = box("ftyp", "isom") + box("moov", std::string(50, 'x'));
  const std::string fragment = box("moof", std::string(30, 'x')) + box("mdat", std::string(100'000, 'x'));
  const std::string media = start + fragment + fragment;
  EXPECT_EQ(media_end(media), media.size());
  // What follows is an index, or nothing of use.
  EXPECT_EQ(media_end(media + box("mfra", "123")), media.size());
  EXPECT_EQ(media_end((media + box("mfra", "123")).substr(0, media.size() + 9)), media.size());
  EXPECT_EQ(media_end(media.substr(0, media.size() - 1)), media.size());
  // Cut in the table of a fragment, whose pictures nothing speaks of yet.
  EXPECT_EQ(media_end((start + fragment).substr(0, start.size() + 20)), start.size() + 38);
  const std::string large = start + big_endian(1, 4) + "mdat" + big_endian(16 + 7, 8) + "1234567";
  EXPECT_EQ(media_end(large), large.size());
  // No boxes, or not to the end.
  EXPECT_EQ(media_end(media + "some other bytes"), std::nullopt);
  EXPECT_EQ(media_end(media + big_endian(0, 4) + "mdat"), std::nullopt);
  EXPECT_EQ(media_end(media + big_endian(1, 4) + "mdat" + big_endian(UINT64_MAX, 8)), std::nullopt);
  EXPECT_EQ(media_end(start + "cut"), std::nullopt);
}

AvPtr<AVPacket> packet_at(int64_t position, const std::string& data) {
  AvPtr<AVPacket> packet(av_packet_alloc());
  if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) throw std::bad_alloc();
  std::copy(data.begin(), data.end(), packet->data);
  packet->pos = position;
  return packet;
}

AVInputFormat named(const char* name) {
  AVInputFormat format{};
  format.name = name;
  return format;
}

TEST(ContainerEnd, TransportStreamsEndAtTheEndOfAUnit) {
  const auto ends_within = [](int64_t size, const std::vector<int64_t>& positions) {
    ContainerEnd end(size);
    end.set_format(named("mpegts"));
    for (const int64_t position : positions) end.note(*packet_at(position, "x"));
    return end.is_within_unit();
  };
  EXPECT_FALSE(ends_within(10 * 188, {0, 2 * 188, 3 * 188}));
  EXPECT_TRUE(ends_within(10 * 188 + 1, {0, 2 * 188, 3 * 188}));
  // Of 192 bytes, with four in front.
  EXPECT_FALSE(ends_within(4 + 10 * 192, {4, 4 + 2 * 192, 4 + 3 * 192}));
  EXPECT_TRUE(ends_within(4 + 10 * 188, {4, 4 + 2 * 192, 4 + 3 * 192}));
  // Of no size that is known.
  EXPECT_FALSE(ends_within(1000, {0, 189, 400}));
  EXPECT_FALSE(ends_within(1000, {}));
}

TEST(ContainerEnd, NutIsReadBeyondItsEndSoThatItsLastPacketShowsItsLength) {
  ContainerEnd end(100);
  std::array<uint8_t, 64> data{};
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), AVERROR_EOF);
  end.set_format(named("nut"));
  EXPECT_EQ(end.read_beyond(100, data.data(), 4), 4);
  EXPECT_EQ(end.beyond(), 4);
  EXPECT_EQ(end.read_beyond(100, data.data() + 4, 60), 5);
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), AVERROR_EOF);
  EXPECT_EQ(std::string(data.begin(), data.begin() + 8), "NX\xDDg/#\xE6N");
  // Going back reads the same again.
  EXPECT_EQ(end.seek(102, 100), 100);
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), 7);
  EXPECT_EQ(data[0], 0xDD);
  EXPECT_EQ(end.seek(50, 100), 50);
  EXPECT_EQ(end.beyond(), 0);

  EXPECT_FALSE(end.cuts(*packet_at(90, "0123456789")));
  EXPECT_TRUE(end.cuts(*packet_at(91, "0123456789")));
  // Three of the bytes of this one may not be in the file.
  EXPECT_FALSE(end.cuts(*packet_at(93, std::string("\0\0\1\0xxxxxx", 10))));
  EXPECT_TRUE(end.cuts(*packet_at(INT64_MAX - 3, "0123456789")));
}

TEST(ContainerEnd, OfRoqLiesBehindItsLastPacket) {
  ContainerEnd end(100);
  end.set_format(named("roq"));
  EXPECT_FALSE(end.is_within_unit());  // nothing was read
  end.note(*packet_at(50, "0123456789"));
  EXPECT_TRUE(end.is_within_unit());
  end.note(*packet_at(90, "0123456789"));
  EXPECT_FALSE(end.is_within_unit());
}

TEST(ContainerEnd, KnowsErrorsThatAreNone) {
  ContainerEnd end(100);
  end.set_format(named("roq"));
  end.note(*packet_at(50, "0123456789"));
  EXPECT_FALSE(end.is_end(AVERROR(EIO)));
  end.note(*packet_at(90, "0123456789"));
  EXPECT_TRUE(end.is_end(AVERROR(EIO)));
  EXPECT_FALSE(end.is_end(AVERROR(EPERM)));
  EXPECT_FALSE(end.is_end(AVERROR_INVALIDDATA));
  end.set_format(named("gxf"));
  EXPECT_TRUE(end.is_end(AVERROR(EPERM)));
  end.set_format(named("smjpeg"));
  EXPECT_TRUE(end.is_end(AVERROR_INVALIDDATA));
}

}  // namespace
}  // namespace vq::cli
