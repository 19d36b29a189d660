// Produce 0 to 2: message sets of the formats 0 and 1, and what does not belong there.
#include "core/compression/compressor.h"
#include "fmt/format.h"
#include "tests/real/fidelity/records.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

constexpr Codec kCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4};
constexpr std::int32_t kCompressible = 50;
constexpr std::size_t kSizeAt = 8;
constexpr std::size_t kMessageCrcAt = 12;

void RunPlain(Probe& probe, std::int16_t version, std::int8_t magic) {
  const auto ask = [&](std::string_view name, std::string_view set, std::int32_t records) {
    Produce(probe, fmt::format("format {}: {}", magic, name), version, set, records);
  };
  const std::string good = MakeSet({.magic = magic});
  const auto patched = [&good](std::size_t at, std::int32_t number) {
    std::string set = good;
    wire::StoreBigEndian(set.data() + at, number);
    return set;
  };
  const auto size = static_cast<std::int32_t>(good.size()) - 12;
  ask("good", good, 1);
  ask("two messages", MakeSet({.magic = magic, .records = 2}), 2);
  ask("wrong crc", patched(kMessageCrcAt, 0x12345678), 1);
  ask("cut off", good.substr(0, good.size() - 3), 0);
  ask("the second one cut off", good + good.substr(0, good.size() - 3), 1);
  ask("cut off in its header", good.substr(0, 15), 0);
  ask("size negative", patched(kSizeAt, -1), 0);
  ask("size 13", patched(kSizeAt, 13), 0);
  ask("size too short", patched(kSizeAt, size - 2), 0);
  ask("too large", MakeSet({.magic = magic, .value_bytes = 150000}), 1);
  ask("codec 4", MakeMessage(magic, 4, NullKeyAnd(std::string(40, 'z'))), 1);
  ask("codec 5", MakeMessage(magic, 5, NullKeyAnd(std::string(40, 'z'))), 1);
  ask("value longer than the message", MakeMessage(magic, 0, NullKeyAnd("abcdef").substr(0, 10)), 1);
  ask("key's length -2", MakeMessage(magic, 0, std::string("\xff\xff\xff\xfe\0\0\0\0", 8)), 1);
  ask("log append time bit", MakeMessage(magic, 0x08, NullKeyAnd("abc")), 1);
  ask("magic 3", MakeMessage(3, 0, std::string(12, '\0') + NullKeyAnd("abc")), 1);
}

void RunWrapped(Probe& probe, std::int16_t version, std::int8_t magic, Codec codec) {
  const auto ask = [&](std::string_view name, std::string_view set, std::int32_t records = kCompressible) {
    Produce(probe, fmt::format("format {}, {}: {}", magic, CodecName(codec), name), version, set, records);
  };
  const auto attributes = static_cast<std::int8_t>(codec);
  Compressor compressor(codec);
  const std::string good = MakeSet({.magic = magic, .records = kCompressible, .codec = codec});
  std::string wrong_crc = good;
  wire::StoreBigEndian(wrong_crc.data() + kMessageCrcAt, 0x12345678);
  std::string inner = MakeSet({.magic = magic, .records = kCompressible});
  wire::StoreBigEndian(inner.data() + kMessageCrcAt, 0x12345678);
  ask("good", good);
  ask("wrong crc", wrong_crc);
  ask("wrong crc inside", MakeMessage(magic, attributes, NullKeyAnd(compressor.Compress(inner))));
  ask("no stream", MakeMessage(magic, attributes, NullKeyAnd("this is no stream of that codec")));
  ask("null value", MakeMessage(magic, attributes, std::string(8, '\xff')), 0);
  ask("nothing inside", MakeMessage(magic, attributes, NullKeyAnd(compressor.Compress(""))), 0);
}

}  // namespace

void RunProduceMessageSets(Probe& probe) {
  const std::optional<wire::VersionRange> offered = probe.Offers(ApiKey::kProduce);
  for (std::int16_t version = 0; version < std::min<int>(kBatchesSince, offered->max + 1); ++version) {
    for (const std::int8_t magic : {std::int8_t{0}, std::int8_t{1}}) {
      RunPlain(probe, version, magic);
      for (const Codec codec : kCodecs) RunWrapped(probe, version, magic, codec);
    }
    Produce(probe, "batch of format 2", version, MakeBatch(), 1);
  }
}

}  // namespace ktrial::fidelity
