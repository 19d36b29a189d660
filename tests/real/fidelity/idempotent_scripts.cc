// Produce of idempotent producers: sequences, epochs, ids that nobody has given.
#include "tests/real/fidelity/records.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

constexpr std::int32_t kBatchRecords = 3;
constexpr std::int32_t kSequenceMax = 0x7fffffff;

// One producer whose batches hold three records each.
class Producer {
 public:
  Producer(Probe& probe, std::int16_t version, std::int64_t id) : probe_(probe), version_(version), id_(id) {}

  void Send(std::string name, std::int32_t sequence, std::int16_t epoch = 0, std::int32_t records = kBatchRecords) {
    const wire::BatchProducer producer{
        .id = ProducerId(id_), .epoch = ProducerEpoch(epoch), .base_sequence = Sequence(sequence)};
    Produce(probe_, "idempotent: " + std::move(name), version_, MakeBatch({.records = records, .producer = producer}),
            records);
  }

 private:
  Probe& probe_;
  std::int16_t version_;
  std::int64_t id_;
};

void RunSequences(Producer producer) {
  producer.Send("first", 0);
  producer.Send("next", 3);
  producer.Send("duplicate of the last", 3);
  producer.Send("duplicate of the one before", 0);
  producer.Send("gap", 9);
  producer.Send("part of a batch", 4, 0, 1);
  for (std::int32_t i = 2; i < 7; ++i) producer.Send("one of many", i * kBatchRecords);
  producer.Send("duplicate of one too old", 0);
  producer.Send("duplicate of the fifth last", 6);
}

void RunEpochs(Producer producer) {
  producer.Send("first of epoch 1", 0, 1);
  producer.Send("earlier epoch", 3, 0);
  producer.Send("duplicate under an earlier epoch", 0, 0);
  producer.Send("later epoch that begins with 3", 3, 2);
  producer.Send("later epoch that begins with 0", 0, 2);
  producer.Send("epoch -1", 3, -1);
  producer.Send("sequence -1", -1, 2);
}

void RunWrap(Producer producer) {
  producer.Send("unknown id that begins with 5", 5);
  producer.Send("the sequence after it", 8);
}

void RunEnd(Producer producer) {
  producer.Send("unknown id that begins near the end", kSequenceMax - 2);
  producer.Send("0 after the last number", 0);
}

void RunWithin(Producer producer) {
  producer.Send("unknown id, a batch over the end", kSequenceMax - 1);
  producer.Send("the sequence after the end", 1);
}

}  // namespace

void RunProduceIdempotent(Probe& probe) {
  const std::optional<wire::VersionRange> offered = probe.Offers(ApiKey::kProduce);
  std::int64_t id = 1000000;
  for (std::int16_t version = kBatchesSince; version <= offered->max; ++version) {
    RunSequences({probe, version, id++});
    RunEpochs({probe, version, id++});
    RunWrap({probe, version, id++});
    RunEnd({probe, version, id++});
    RunWithin({probe, version, id++});
    Producer(probe, version, -2).Send("id -2", 0);
    Producer(probe, version, -1).Send("epoch and sequence without an id", 0);
    Producer(probe, version, id++).Send("first with epoch -1", 0, -1);
    Producer(probe, version, id++).Send("first with sequence -1", -1);
    Producer(probe, version, id++).Send("first with epoch and sequence -1", -1, -1);
  }
}

}  // namespace ktrial::fidelity
