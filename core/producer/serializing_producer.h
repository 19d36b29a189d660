// SerializingProducer sends records whose keys and values are of types of the application; a Serializer for each turns them into
// the bytes that a Producer takes.
//
//   auto producer = SerializingProducer<std::int64_t, std::string_view>::Create(
//       config, env, std::make_shared<Int64Serializer>(), std::make_shared<StringSerializer>());
//   (*producer)->Send({.topic = "orders", .key = 42, .value = "paid"}, [](const RecordMetadata&, const absl::Status&) { ... });
//   (*producer)->Close();
//
// Send serializes the key, then the value, on the thread that calls it, before anything is waited for: max.block.ms does not count
// it. Both serializers see the topic, and headers, to which they may add.
//
// A record that cannot be serialized never becomes one: Send returns the error in place of a Future, and no callback runs (PR-04;
// Java throws it). It has the code that the serializer gave, INVALID_ARGUMENT if that threw, and a message that says what could not
// be serialized for which topic. All other errors come as they do from Producer::Send, through Future and callback. After Close
// nothing is serialized any more.
//
// Interceptors stand behind the serializers and see bytes; in Java they stand before them. Each record costs what its serializers
// allocate, and nothing else.
//
// Thread safety: as Producer.
#ifndef CORE_PRODUCER_SERIALIZING_PRODUCER_H_
#define CORE_PRODUCER_SERIALIZING_PRODUCER_H_

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/env/env.h"
#include "core/env/sync.h"
#include "core/producer/producer.h"
#include "core/producer/serializer.h"

namespace ktrial {

// As Record; a key or value that is absent is null.
template <class Key, class Value>
struct TypedRecord {
  std::string_view topic = {};
  PartitionIndex partition = kUnknownPartition;
  std::optional<Key> key = {};
  std::optional<Value> value = {};
  std::span<const Header> headers = {};
  std::optional<WallTime> timestamp = {};
};

template <class Key, class Value>
class SerializingProducer {
 public:
  using KeySerializer = std::shared_ptr<Serializer<Key>>;
  using ValueSerializer = std::shared_ptr<Serializer<Value>>;

  // As Producer::Create. Also INVALID_ARGUMENT: a serializer is null (PR-20). After an error both are closed (PR-17).
  static absl::StatusOr<std::unique_ptr<SerializingProducer>> Create(ProducerConfig config, Env& env,
                                                                     KeySerializer key_serializer,
                                                                     ValueSerializer value_serializer,
                                                                     ProducerObserver* observer = nullptr) {
    std::unique_ptr<SerializingProducer> made(
        new SerializingProducer(env, std::move(key_serializer), std::move(value_serializer)));
    absl::Status status = made->Build(std::move(config), env, observer);
    if (!status.ok()) return status;
    return made;
  }
  // Close(0) if that was not done.
  ~SerializingProducer() { Close(Duration::zero()).IgnoreError(); }
  SerializingProducer(const SerializingProducer&) = delete;
  SerializingProducer& operator=(const SerializingProducer&) = delete;

  using Record = TypedRecord<Key, Value>;
  absl::StatusOr<Future> Send(const Record& record) { return Send(record, RecordCallback()); }
  absl::StatusOr<Future> Send(const Record& record, RecordCallback callback) { return SendBytes(record, callback); }
  absl::StatusOr<Future> Send(const Record& record, Producer::Callback callback) {
    return SendBytes(record, std::move(callback));
  }

  // As Producer::Close, and then closes the serializers, once, the key's first; one object that serves both is closed once. If that is all that goes wrong, the first error of
  // theirs, as INTERNAL (PR-17). A Send that is just serializing in another thread goes on with a serializer that is closed.
  absl::Status Close(Duration timeout = Duration::max()) {
    absl::Status status = producer_ == nullptr ? absl::OkStatus() : producer_->Close(timeout);
    if (absl::IsInvalidArgument(status) || serializers_closed_.Exchange(true)) return status;
    status.Update(CloseOne("key.serializer", key_serializer_.get()));
    if (!OneObject()) status.Update(CloseOne("value.serializer", value_serializer_.get()));
    return status;
  }

  // For everything else: Flush, PartitionsFor, Metrics, records that are bytes already. To be closed by Close above.
  Producer& producer() { return *producer_; }

 private:
  SerializingProducer(Env& env, KeySerializer key_serializer, ValueSerializer value_serializer)
      : key_serializer_(std::move(key_serializer)),
        value_serializer_(std::move(value_serializer)),
        serializers_closed_(env.threads(), Site("serializing_producer.closed"), false) {}

  absl::Status Build(ProducerConfig config, Env& env, ProducerObserver* observer) {
    if (key_serializer_ == nullptr) return absl::InvalidArgumentError("key.serializer is required (PR-20)");
    if (value_serializer_ == nullptr) return absl::InvalidArgumentError("value.serializer is required (PR-20)");
    absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(std::move(config), env, observer);
    if (!producer.ok()) return producer.status();
    producer_ = *std::move(producer);
    return absl::OkStatus();
  }

  template <class AnyCallback>
  absl::StatusOr<Future> SendBytes(const Record& record, AnyCallback callback) {
    // The producer is closed before its serializers are: it refuses the record, whatever its bytes would have been.
    if (serializers_closed_.Load()) {
      return producer_->Send({.topic = record.topic, .partition = record.partition, .headers = record.headers},
                             std::move(callback));
    }
    RecordHeaders headers(record.headers);
    const auto key = Serialized("key", *key_serializer_, record.topic, headers, record.key);
    if (!key.ok()) return key.status();
    const auto value = Serialized("value", *value_serializer_, record.topic, headers, record.value);
    if (!value.ok()) return value.status();
    return producer_->Send({.topic = record.topic,
                            .partition = record.partition,
                            .key = *key,
                            .value = *value,
                            .headers = headers.all(),
                            .timestamp = record.timestamp},
                           std::move(callback));
  }

  template <class T>
  static absl::StatusOr<SerializedBytes> Serialized(std::string_view what, Serializer<T>& serializer,
                                                    std::string_view topic, RecordHeaders& headers,
                                                    const std::optional<T>& data) {
    absl::Status status;
    try {
      absl::StatusOr<SerializedBytes> bytes = serializer.Serialize(topic, headers, data ? &*data : nullptr);
      if (bytes.ok()) return bytes;
      status = bytes.status();
    } catch (const std::exception& thrown) {
      status = absl::InvalidArgumentError(thrown.what());
    } catch (...) {
      status = absl::InvalidArgumentError("something that is no std::exception was thrown");
    }
    std::string text = "the ";
    text.append(what).append(" of a record for topic ").append(topic).append(" cannot be serialized: ");
    return absl::Status(status.code(), text.append(std::string(status.message())));
  }

  bool OneObject() const {
    return key_serializer_ != nullptr && value_serializer_ != nullptr &&
           dynamic_cast<const void*>(key_serializer_.get()) == dynamic_cast<const void*>(value_serializer_.get());
  }

  template <class T>
  static absl::Status CloseOne(std::string_view name, Serializer<T>* serializer) {
    if (serializer == nullptr) return absl::OkStatus();
    std::string text(name);
    try {
      const absl::Status status = serializer->Close();
      if (status.ok()) return status;
      text.append(" did not close: ").append(std::string(status.message()));
    } catch (const std::exception& thrown) {
      text.append(" has thrown in Close: ").append(thrown.what());
    } catch (...) {
      text.append(" has thrown in Close something that is no std::exception");
    }
    return absl::InternalError(text);
  }

  const KeySerializer key_serializer_;
  const ValueSerializer value_serializer_;
  Atomic<bool> serializers_closed_;
  std::unique_ptr<Producer> producer_;  // Null only before Build has succeeded.
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_SERIALIZING_PRODUCER_H_
