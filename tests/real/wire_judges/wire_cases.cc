// Our side of the wire judges.
//
//   wire_cases emit                 writes a case a line: {kind, name, version, seed, hex, json}. `hex` is what we encode, `json` what it
//                                   means. Kinds: "request" and "response" (whole frames), "batch" (a record batch).
//   wire_cases emit-plain           the same without what tshark does not know: partitions without records, acks that are none of 0, 1, -1,
//                                   and empty transactional ids.
//   wire_cases check < ANSWERS      reads the lines back with `other`, the bytes that the judge made out of `json` alone. We must decode them
//                                   to the same json, and they must be the same bytes (unless they are compressed: the judge has
//                                   libraries of its own). Prints "ok ..." or "FAIL ..." a line.
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"
#include "core/wire/codec.h"
#include "core/wire/control_batch.h"
#include "core/wire/frame_reader.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"
#include "core/wire/schema.h"
#include "tests/core/wire/filled_message.h"
#include "tests/core/wire/hex.h"
#include "tests/real/wire_judges/message_json.h"

namespace ktrial::wire {
namespace {

using nlohmann::json;

constexpr std::uint64_t kSeeds = 6;

json HexOrNull(std::optional<std::string_view> bytes) { return bytes ? json(ToHex(*bytes)) : json(); }

// --- Record batches ---

constexpr std::size_t kPlainBytesMax = 1 << 24;

// Null if the bytes are no batch, and the reason on standard error.
json BatchJson(std::string_view bytes) {
  const auto complain = [](const absl::Status& status) { return std::cerr << status.message() << "\n", json(); };
  const auto parsed = RecordBatchView::Parse(bytes);
  if (!parsed.ok()) return complain(parsed.status());
  const RecordBatchView& batch = *parsed;
  Decompressor decompressor;
  std::string buffer;
  const auto records = batch.PlainRecords(decompressor, kPlainBytesMax, buffer);
  if (!records.ok()) return complain(records.status());
  if (const absl::Status valid = batch.ValidateRecords(*records); !valid.ok()) return complain(valid);
  json out = {{"producerId", batch.producer_id().value()},
              {"producerEpoch", batch.producer_epoch().value()},
              {"baseSequence", batch.base_sequence().value()},
              {"transactional", batch.is_transactional()},
              {"maxTimestamp", batch.max_timestamp_ms()},
              {"codec", CodecName(batch.codec())},
              {"records", json::array()}};
  RecordReader reader(batch, *records);
  while (const RecordView* record = reader.Next()) {
    json headers = json::array();
    for (const HeaderView& header : record->headers) {
      headers.push_back({{"key", header.key}, {"value", HexOrNull(header.value)}});
    }
    out["records"].push_back({{"offset", record->offset_delta},
                              {"timestamp", record->timestamp_ms},
                              {"key", HexOrNull(record->key)},
                              {"value", HexOrNull(record->value)},
                              {"headers", headers}});
  }
  return out;
}

// A batch with every kind of record: null and empty keys and values, headers, timestamps that go back.
std::string MakeBatch(std::uint64_t seed, Codec codec = Codec::kNone) {
  SeededSource source(seed);
  std::vector<char> buffer(1 << 20);
  RecordBatchBuilder builder(buffer);
  const std::size_t records = 1 + seed * 29 % 90;
  for (std::size_t i = 0; i < records; ++i) {
    const std::string key = source.Text();
    std::string value = source.Text();
    if (i % 16 == 3) value.resize(300, 'v');
    std::vector<std::string> texts;
    for (std::size_t n = 2 * source.Count(); n > 0; --n) texts.push_back(source.Text());
    std::vector<HeaderView> headers;
    for (std::size_t n = 0; n + 1 < texts.size(); n += 2) {
      headers.push_back({texts[n], n % 4 == 0 ? std::optional<std::string_view>(texts[n + 1]) : std::nullopt});
    }
    const std::int64_t timestamp = 1'700'000'000'000 + source.Integer(4) % 100'000;
    builder.Append(timestamp, source.Flag() ? std::optional<std::string_view>(key) : std::nullopt,
                   source.Flag() ? std::optional<std::string_view>(value) : std::nullopt, headers);
  }
  if (codec != Codec::kNone) {
    Compressor compressor(codec);
    builder.Compress(compressor);
  }
  BatchProducer producer;
  if (seed % 2 == 0) producer = {ProducerId(4711), ProducerEpoch(3), Sequence(77), seed % 4 == 0};
  return std::string(builder.Close(producer));
}

json MarkerJson(std::string_view bytes) {
  const auto batch = RecordBatchView::Parse(bytes);
  if (!batch.ok()) return std::cerr << batch.status().message() << "\n", json();
  const auto marker = DecodeTransactionMarker(*batch);
  if (!marker.ok()) return std::cerr << marker.status().message() << "\n", json();
  return {{"producerId", marker->producer_id.value()},
          {"producerEpoch", marker->producer_epoch.value()},
          {"type", marker->type == MarkerType::kCommit ? "COMMIT" : "ABORT"},
          {"coordinatorEpoch", marker->coordinator_epoch},
          {"timestamp", marker->timestamp_ms}};
}

// --- Message sets ---

json SetJson(std::string_view bytes) {
  json out = {{"magic", PeekMagic(bytes).value_or(-1)}, {"records", json::array()}};
  Decompressor decompressor;
  MessageSetReader reader(bytes, decompressor, kPlainBytesMax);
  while (const MessageView* message = reader.Next()) {
    out["codec"] = CodecName(message->codec);
    out["records"].push_back({{"offset", message->offset},
                              {"timestamp", message->timestamp_ms},
                              {"key", HexOrNull(message->key)},
                              {"value", HexOrNull(message->value)}});
  }
  if (!reader.status().ok()) return std::cerr << reader.status().message() << "\n", json();
  return out;
}

std::string MakeSet(std::int8_t magic, std::uint64_t seed, Codec codec = Codec::kNone) {
  SeededSource source(seed);
  std::vector<char> buffer(1 << 20);
  MessageSetBuilder builder(magic, buffer);
  const std::size_t records = 1 + seed * 29 % 90;
  for (std::size_t i = 0; i < records; ++i) {
    const std::string key = source.Text();
    const std::string value = source.Text() + std::string(i % 16 == 3 ? 300 : 0, 'v');
    const std::int64_t timestamp = 1'700'000'000'000 + source.Integer(4) % 100'000;
    builder.Append(timestamp, source.Flag() ? std::optional<std::string_view>(key) : std::nullopt,
                   source.Flag() ? std::optional<std::string_view>(value) : std::nullopt);
  }
  if (codec != Codec::kNone) {
    Compressor compressor(codec);
    builder.Compress(compressor);
  }
  return std::string(builder.Close());
}

// --- Frames ---

std::int32_t CorrelationId(std::int16_t version, std::uint64_t seed) {
  return static_cast<std::int32_t>(1000 * seed) + version;
}

// Records of a request are real batches, so that judges can look into them.
void GiveRealRecords(Filled<ProduceRequest>& filled, std::int16_t version, bool plain) {
  std::uint64_t seed = 1;
  if (plain) filled.message.acks = -1;
  if (plain && filled.message.transactional_id == "") filled.message.transactional_id = "x";
  for (TopicProduceData& topic : filled.message.topics) {
    for (PartitionProduceData& partition : topic.partitions) {
      if (!partition.records && !plain) continue;
      const auto magic = static_cast<std::int8_t>(version < 2 ? 0 : 1);
      partition.records = filled.arena.emplace_back(version < 3 ? MakeSet(magic, seed) : MakeBatch(seed));
      ++seed;
    }
  }
}

template <class Message>
std::string EncodeFrame(const Message& message, std::int16_t version, std::uint64_t seed) {
  if constexpr (Message::kDirection == Direction::kRequest) {
    GatherBytes frame;
    const auto client_id = seed % 3 == 0 ? std::nullopt : std::optional<std::string_view>("ktrial");
    EncodeRequestFrame(message, version, CorrelationId(version, seed), client_id, frame);
    return frame.Flatten();
  } else {
    std::string frame;
    EncodeResponseFrame(message, version, CorrelationId(version, seed), frame);
    return frame;
  }
}

// Header and body of a frame, as a judge should see them. Null if it cannot be decoded, and the reason on standard error.
template <class Message>
json FrameJson(std::string_view frame, std::int16_t version) {
  json out;
  std::string_view body;
  if constexpr (Message::kDirection == Direction::kRequest) {
    const auto parts = DecodeRequestHeader(frame);
    if (!parts.ok()) return std::cerr << parts.status().message() << "\n", json();
    const auto client_id = parts->header.client_id;
    out["header"] = {{"apiKey", static_cast<int>(parts->header.api)},
                     {"apiVersion", parts->header.version},
                     {"correlationId", parts->header.correlation_id},
                     {"clientId", client_id ? json(*client_id) : json()}};
    body = parts->body;
  } else {
    const auto parts = DecodeResponseHeader(frame, Message::kApi, version);
    if (!parts.ok()) return std::cerr << parts.status().message() << "\n", json();
    out["header"] = {{"correlationId", parts->correlation_id}};
    body = parts->body;
  }
  const absl::StatusOr<Message> message = Decode<Message>(body, version);
  if (!message.ok()) return std::cerr << message.status().message() << "\n", json();
  out["body"] = ToJson(*message, version);
  return out;
}

std::optional<std::string> OnlyFrame(std::string_view bytes) {
  FrameReader reader;
  while (!bytes.empty()) {
    const std::span<char> space = reader.Space();
    const std::size_t part = std::min(space.size(), bytes.size());
    std::copy_n(bytes.data(), part, space.data());
    reader.Filled(part);
    bytes.remove_prefix(part);
  }
  const auto frame = reader.Next();
  if (!frame.ok() || !frame->has_value() || reader.pending_bytes() != 0) return std::nullopt;
  return std::string(**frame);
}

template <class Message>
std::string NameOf() {
  return std::string(ApiKeyName(Message::kApi)) + (Message::kDirection == Direction::kRequest ? "Request" : "Response");
}

// --- The commands ---

void Print(const json& line) { std::cout << line.dump() << "\n"; }

void PrintBatch(const char* kind, const std::string& name, std::uint64_t seed, const std::string& bytes,
                const json& meaning) {
  Print({{"kind", kind}, {"name", name}, {"version", 2}, {"seed", seed}, {"hex", ToHex(bytes)}, {"json", meaning}});
}

void EmitBatches(bool plain) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::string batch = MakeBatch(seed);
    PrintBatch("batch", "RecordBatch", seed, batch, BatchJson(batch));
  }
  if (plain) return;
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const std::string batch = MakeBatch(seed, codec);
      PrintBatch("batch", "RecordBatch " + std::string(CodecName(codec)), seed, batch, BatchJson(batch));
    }
  }
  for (const std::int8_t magic : {std::int8_t{0}, std::int8_t{1}}) {
    for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4}) {
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const std::string set = MakeSet(magic, seed, codec);
        PrintBatch("set", "MessageSet v" + std::to_string(magic) + " " + std::string(CodecName(codec)), seed, set,
                   SetJson(set));
      }
    }
  }
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const TransactionMarker marker{.type = seed % 2 == 0 ? MarkerType::kCommit : MarkerType::kAbort,
                                   .producer_id = ProducerId(static_cast<std::int64_t>(seed * 1000)),
                                   .producer_epoch = ProducerEpoch(static_cast<std::int16_t>(seed)),
                                   .coordinator_epoch = static_cast<std::int32_t>(seed * 7),
                                   .timestamp_ms = 1'700'000'000'000 + static_cast<std::int64_t>(seed)};
    const std::string batch = EncodeTransactionMarker(marker);
    PrintBatch("marker", "TransactionMarker", seed, batch, MarkerJson(batch));
  }
}

// Kafka 4 has classes for what its brokers take (WP-21).
bool IsForgotten(ApiKey api, std::int16_t version) { return api == ApiKey::kProduce && version < 3; }

enum class Which : std::uint8_t { kAll, kPlain, kOld };

void Emit(Which which) {
  const bool plain = which == Which::kPlain;
  const auto emit = [&]<class Message>(std::type_identity<Message>) {
    const VersionRange range = *CodecVersionRange(Message::kApi);
    for (std::int16_t version = range.min; version <= range.max; ++version) {
      if (IsForgotten(Message::kApi, version) != (which == Which::kOld)) continue;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SeededSource source(seed * 1000 + static_cast<std::uint64_t>(version));
        Filled<Message> filled = Fill<Message>(source, version);
        if constexpr (std::is_same_v<Message, ProduceRequest>) GiveRealRecords(filled, version, plain);
        if constexpr (std::is_same_v<Message, ApiVersionsResponse>) {
          // Has the form of version 0, whatever was asked; tests/core/wire shows that.
          if (filled.message.error == ErrorCode::kUnsupportedVersion) filled.message.error = ErrorCode::kNone;
        }
        const std::string frame = EncodeFrame(filled.message, version, seed);
        json meaning = {{"body", ToJson(filled.message, version)}};
        meaning["header"] = {{"correlationId", CorrelationId(version, seed)}};
        if (Message::kDirection == Direction::kRequest) {
          meaning["header"]["apiKey"] = static_cast<int>(Message::kApi);
          meaning["header"]["apiVersion"] = version;
          meaning["header"]["clientId"] = seed % 3 == 0 ? json() : json("ktrial");
        }
        Print({{"kind", Message::kDirection == Direction::kRequest ? "request" : "response"},
               {"name", NameOf<Message>()},
               {"version", version},
               {"seed", seed},
               {"hex", ToHex(frame)},
               {"json", meaning}});
      }
    }
  };
  ForEachMessage(emit);
  if (which != Which::kOld) EmitBatches(plain);
}

json Understand(const json& line) {
  const std::string bytes = FromHex(line["other"].get<std::string>());
  if (line["kind"] == "batch") return BatchJson(bytes);
  if (line["kind"] == "set") return SetJson(bytes);
  if (line["kind"] == "marker") return MarkerJson(bytes);
  const std::optional<std::string> frame = OnlyFrame(bytes);
  if (!frame) return json();
  const auto version = line["version"].get<std::int16_t>();
  json understood;
  const auto try_one = [&]<class Message>(std::type_identity<Message>) {
    if (line["name"] == NameOf<Message>()) understood = FrameJson<Message>(*frame, version);
  };
  ForEachMessage(try_one);
  return understood;
}

int Check() {
  int failed = 0;
  std::string text;
  while (std::getline(std::cin, text)) {
    const json line = json::parse(text);
    const json understood = Understand(line);
    const bool same_meaning = understood == line["json"];
    const bool compressed = line["json"].value("codec", "none") != "none";
    const bool same_bytes = compressed || line["other"] == line["hex"];
    const std::string label =
        line["name"].get<std::string>() + " v" + line["version"].dump() + " seed " + line["seed"].dump();
    if (same_meaning && same_bytes) {
      std::cout << "ok " << label << "\n";
      continue;
    }
    ++failed;
    std::cout << "FAIL " << label << "\n";
    if (!same_bytes) std::cout << "  ours:   " << line["hex"] << "\n  theirs: " << line["other"] << "\n";
    if (!same_meaning) std::cout << "  wanted: " << line["json"] << "\n  got:    " << understood << "\n";
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ktrial::wire

int main(int argc, char** argv) {
  const std::string_view command = argc == 2 ? argv[1] : "";
  using ktrial::wire::Which;
  if (command == "check") return ktrial::wire::Check();
  if (command == "emit" || command == "emit-plain" || command == "emit-old") {
    ktrial::wire::Emit(command == "emit" ? Which::kAll : command == "emit-plain" ? Which::kPlain : Which::kOld);
    return 0;
  }
  std::fprintf(stderr, "usage: wire_cases emit|emit-plain|emit-old|check\n");
  return 2;
}
