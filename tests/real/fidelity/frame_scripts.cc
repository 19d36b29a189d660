// Frames and headers: what is wrong before anybody looks at a request, and how requests follow each other.
#include "core/wire/big_endian.h"
#include "fmt/format.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

constexpr std::int16_t kFlexibleMetadata = 9;

std::string TopicBody(std::int16_t version) {
  return Body(wire::MetadataRequest{.topics = {{{.name = std::string(kTopic)}}}}, version);
}
std::string TopicFrame(std::int32_t number = 0) { return Frame(ApiKey::kMetadata, 0, TopicBody(0), number); }

std::string Number(std::int32_t number) {
  std::string bytes(4, '\0');
  wire::StoreBigEndian(bytes.data(), number);
  return bytes;
}

// A frame with another length in front.
std::string Resized(std::string frame, std::int32_t by) {
  const auto length = static_cast<std::int32_t>(frame.size()) - 4;
  return frame.replace(0, 4, Number(length + by));
}

void RunLengths(Probe& probe) {
  const auto send = [&](std::string name, std::string bytes, bool whole = true) {
    probe.Run({.name = std::move(name), .api = ApiKey::kMetadata, .writes = {std::move(bytes)}, .whole = whole});
  };
  send("length negative", Number(-1));
  send("length 0", Number(0));
  send("length too large", Number(104857601));
  send("length the largest", Number(0x7fffffff));
  send("length of half a header", Number(6) + std::string(6, '\0'));
  send("length of an api key", Number(2) + std::string("\0\3", 2));
  send("one byte too short", Resized(TopicFrame(), -1).substr(0, TopicFrame().size() - 1));
  send("trailing bytes", Resized(TopicFrame(), 3) + "abc");
  send("half a frame", TopicFrame().substr(0, 20), false);
  send("garbage", Number(30) + std::string(30, '\xee'));
  send("text", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

void RunHeaders(Probe& probe) {
  const auto send = [&](std::string name, ApiKey api, std::int16_t version, std::string frame) {
    probe.Run({.name = std::move(name), .api = api, .version = version, .writes = {std::move(frame)}});
  };
  const auto key = [](int number) { return static_cast<ApiKey>(number); };
  send("unknown api", key(999), 0, Frame(key(999), 0, ""));
  send("api -1", key(-1), 0, Frame(key(-1), 0, ""));
  send("version far above", ApiKey::kMetadata, 99, Frame(ApiKey::kMetadata, 99, TopicBody(9)));
  send("version -5", ApiKey::kMetadata, -5, Frame(ApiKey::kMetadata, -5, TopicBody(0)));
  send("client id null", ApiKey::kMetadata, 0, Frame(ApiKey::kMetadata, 0, TopicBody(0), 0, std::nullopt));
  send("client id empty", ApiKey::kMetadata, 0, Frame(ApiKey::kMetadata, 0, TopicBody(0), 0, ""));
  send("client id longer than the frame", ApiKey::kMetadata, 0,
       Resized(Number(0) + std::string("\0\3\0\0\0\0\0\1\7\0", 10), 0));
  send("client id's length -2", ApiKey::kMetadata, 0,
       Resized(Number(0) + std::string("\0\3\0\0\0\0\0\1\xff\xfe", 10) + TopicBody(0), 0));
  send("array longer than the frame", ApiKey::kMetadata, 0, Frame(ApiKey::kMetadata, 0, Number(0x7fffffff)));
  send("array of length -2", ApiKey::kMetadata, 0, Frame(ApiKey::kMetadata, 0, Number(-2)));
  if (probe.Offers(ApiKey::kMetadata)->max < kFlexibleMetadata) return;
  const auto flexible = [&](std::string name, std::string body) {
    send(std::move(name), ApiKey::kMetadata, kFlexibleMetadata, Frame(ApiKey::kMetadata, kFlexibleMetadata, body));
  };
  std::string body = TopicBody(kFlexibleMetadata);
  body.pop_back();  // no tagged fields
  flexible("unknown tagged field", body + std::string("\1\x63\2xy", 5));
  flexible("tagged field longer than the frame", body + std::string("\1\x63\x7fxy", 5));
  flexible("tags out of order", body + std::string("\2\x63\1x\2\1y", 7));
  flexible("a tag twice", body + std::string("\2\x63\1x\x63\1y", 7));
  // In the header of the request, whose tags stand right in front of the body.
  std::string tagged = Frame(ApiKey::kMetadata, kFlexibleMetadata, "");
  tagged.pop_back();
  send("unknown tagged field in the header", ApiKey::kMetadata, kFlexibleMetadata,
       Resized(tagged + std::string("\1\x63\2xy", 5) + body + std::string(1, '\0'), 0));
}

void RunOrder(Probe& probe) {
  probe.Run({.name = "two requests in one segment",
             .api = ApiKey::kMetadata,
             .writes = {TopicFrame(0) + TopicFrame(1)},
             .requests = 2});
  std::string hundred;
  for (std::int32_t i = 0; i < 100; ++i) hundred += TopicFrame(i);
  probe.Run({.name = "a hundred requests at once", .api = ApiKey::kMetadata, .writes = {hundred}, .requests = 100});
  Script bytewise{.name = "a request byte by byte", .api = ApiKey::kMetadata};
  for (const char c : TopicFrame()) bytewise.writes.emplace_back(1, c);
  probe.Run(bytewise);
  probe.Run({.name = "a good and a bad request",
             .api = ApiKey::kMetadata,
             .writes = {TopicFrame(0) + Number(-1)},
             .requests = 2});
}

}  // namespace

void RunFrames(Probe& probe) {
  RunLengths(probe);
  RunHeaders(probe);
  RunOrder(probe);
}

}  // namespace ktrial::fidelity
