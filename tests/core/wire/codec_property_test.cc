// Any message of any version is read back as it was written. rapidcheck chooses the values, and shrinks what fails.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>

#include "core/wire/codec.h"
#include "tests/core/wire/filled_message.h"

namespace ktrial::wire {
namespace {

class RapidcheckSource {
 public:
  std::int64_t Integer(int bytes) {
    switch (bytes) {
      case 1:
        return *rc::gen::arbitrary<std::int8_t>();
      case 2:
        return *rc::gen::arbitrary<std::int16_t>();
      case 4:
        return *rc::gen::arbitrary<std::int32_t>();
      default:
        return *rc::gen::arbitrary<std::int64_t>();
    }
  }
  bool Flag() { return *rc::gen::arbitrary<bool>(); }
  std::string Text() { return *rc::gen::arbitrary<std::string>(); }
  std::size_t Count() { return *rc::gen::inRange<std::size_t>(0, 4); }
};

template <class Message>
void RoundTrips() {
  const VersionRange range = *CodecVersionRange(Message::kApi);
  const auto version = *rc::gen::inRange<std::int16_t>(range.min, static_cast<std::int16_t>(range.max + 1));
  RapidcheckSource source;
  const Filled<Message> filled = Fill<Message>(source, version);
  std::string bytes;
  Encode(filled.message, version, bytes);
  const absl::StatusOr<Message> back = Decode<Message>(bytes, version);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == filled.message);

  GatherBytes gathered;
  Encode(filled.message, version, gathered);
  RC_ASSERT(gathered.Flatten() == bytes);
}

RC_GTEST_PROP(CodecPropertyTest, ProduceRequestIsReadBack, ()) { RoundTrips<ProduceRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, ProduceResponseIsReadBack, ()) { RoundTrips<ProduceResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, MetadataRequestIsReadBack, ()) { RoundTrips<MetadataRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, MetadataResponseIsReadBack, ()) { RoundTrips<MetadataResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, ApiVersionsRequestIsReadBack, ()) { RoundTrips<ApiVersionsRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, ApiVersionsResponseIsReadBack, ()) { RoundTrips<ApiVersionsResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, InitProducerIdRequestIsReadBack, ()) { RoundTrips<InitProducerIdRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, InitProducerIdResponseIsReadBack, ()) { RoundTrips<InitProducerIdResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, FindCoordinatorRequestIsReadBack, ()) { RoundTrips<FindCoordinatorRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, FindCoordinatorResponseIsReadBack, ()) { RoundTrips<FindCoordinatorResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, AddPartitionsToTxnRequestIsReadBack, ()) { RoundTrips<AddPartitionsToTxnRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, AddPartitionsToTxnResponseIsReadBack, ()) { RoundTrips<AddPartitionsToTxnResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, AddOffsetsToTxnRequestIsReadBack, ()) { RoundTrips<AddOffsetsToTxnRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, AddOffsetsToTxnResponseIsReadBack, ()) { RoundTrips<AddOffsetsToTxnResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, TxnOffsetCommitRequestIsReadBack, ()) { RoundTrips<TxnOffsetCommitRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, TxnOffsetCommitResponseIsReadBack, ()) { RoundTrips<TxnOffsetCommitResponse>(); }
RC_GTEST_PROP(CodecPropertyTest, EndTxnRequestIsReadBack, ()) { RoundTrips<EndTxnRequest>(); }
RC_GTEST_PROP(CodecPropertyTest, EndTxnResponseIsReadBack, ()) { RoundTrips<EndTxnResponse>(); }

}  // namespace
}  // namespace ktrial::wire
