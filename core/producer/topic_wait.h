// TopicWait answers, for each record, how many partitions its topic has; and waits for the metadata if that is not known (MD-26 to
// MD-34, PR-03).
//
// The answer is mostly one word beside the topic's queues: a number of partitions, and the snapshot of the metadata that it was
// read from. While that is the current snapshot nothing else is looked at: no lock, no clock, no reference count.
//
// Thread safety: every function may be called from any thread.
#ifndef CORE_PRODUCER_TOPIC_WAIT_H_
#define CORE_PRODUCER_TOPIC_WAIT_H_

#include <cstdint>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/accumulator/topic_queues.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/metadata/cluster.h"
#include "core/metadata/metadata.h"
#include "core/producer/events.h"
#include "core/producer/metrics_recorder.h"
#include "core/types.h"

namespace ktrial {

class TopicWait {
 public:
  struct Hooks {
    absl::AnyInvocable<bool() const> on_sender_thread;  // There, waiting would be for ever.
    absl::AnyInvocable<void() const> wake_sender;
  };
  // The references outlive this.
  TopicWait(Metadata& metadata, const ProducerEvents& events, MetricsRecorder& metrics, const Clock& clock,
            Threads& threads, Hooks hooks);

  // From the word alone; 0 if it is not current or the topic was not known.
  std::int32_t KnownPartitionCount(TopicQueues& topic) const {
    const std::uint64_t word = topic.caller_word().LoadRelaxed();
    const bool current = static_cast<std::uint32_t>(metadata_.generation()) == static_cast<std::uint32_t>(word >> 32);
    return current ? static_cast<std::int32_t>(word & 0x7fffffff) : 0;
  }

  // The number of partitions, more than `partition`; waits until it is known, for `max_block` at most, which is reduced by the time
  // that went by. Errors:
  //   REQUEST_TIMED_OUT            the time is up; the text names topic, partition and what is known of the cause (MD-29, MD-30)
  //   TOPIC_AUTHORIZATION_FAILED, INVALID_TOPIC_EXCEPTION   as the broker says (MD-31)
  //   kFailedPrecondition          it would have to wait on the sender thread; the topic is asked for all the same
  //   kCancelled                   Close came (MD-34)
  //   and what ends all waits, such as a broker too old for us (MD-33)
  absl::StatusOr<std::int32_t> PartitionCount(TopicQueues& topic, PartitionIndex partition, Duration& max_block);
  // The same for who wants to see the partitions: the snapshot that has the topic.
  absl::StatusOr<std::shared_ptr<const Cluster>> ClusterWith(std::string_view topic, PartitionIndex partition,
                                                             Duration& max_block);

  // From now on nobody starts to wait, and whoever waits ends with the next news.
  void StartClose() { closing_.Store(true); }
  // On the path of each record, so no scheduling point: who comes too early finds the accumulator closed.
  bool closing() const { return closing_.LoadRelaxed(); }

 private:
  absl::StatusOr<std::shared_ptr<const Cluster>> Await(std::string_view topic, PartitionIndex partition, Instant start,
                                                       Instant deadline);
  absl::Status TimedOut(std::string_view topic, PartitionIndex partition, Duration waited) const;

  // Set in the constructor, never changed.
  Metadata& metadata_;
  const ProducerEvents& events_;
  MetricsRecorder& metrics_;
  const Clock& clock_;
  const Hooks hooks_;

  Atomic<bool> closing_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_TOPIC_WAIT_H_
