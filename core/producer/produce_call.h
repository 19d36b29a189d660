// ProduceCall is one produce request on its way: at most one batch of each partition that a broker leads, and what the broker
// answered for each (SN-03).
//
// It holds its batches until no byte of them can be written any more, and with them their memory (BP-15). Sender thread only.
#ifndef CORE_PRODUCER_PRODUCE_CALL_H_
#define CORE_PRODUCER_PRODUCE_CALL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/accumulator/producer_batch.h"
#include "core/env/clock.h"
#include "core/metadata/cluster.h"
#include "core/network/outgoing_request.h"
#include "core/producer/down_conversion.h"
#include "core/wire/messages.h"

namespace ktrial {

class ProduceCall final : public OutgoingRequest {
 public:
  // Who wants to know the end of it.
  class Owner {
   public:
    // Once, unless the network client forgets the node or closes.
    virtual void OnProduceDone(ProduceCall& call, const RequestOutcome& outcome) = 0;

   protected:
    ~Owner() = default;
  };

  struct Settings {
    std::int16_t acks = -1;
    Duration timeout{};  // How long the broker may wait for its replicas.
    wire::VersionRange versions = *wire::ClientVersionRange(wire::ApiKey::kProduce);  // What would do.
    const std::string* transactional_id = nullptr;                                    // Null: none. Outlives this.
  };
  // The topics have the ids of `cluster`; where one has none, nothing newer than v12 will do (WP-10). `down_converter` makes
  // what goes to old brokers. It and `owner` outlive this.
  ProduceCall(const Settings& settings, std::vector<BatchRef> batches, const Cluster& cluster,
              DownConverter& down_converter, Owner& owner);

  // Ascending by topic and partition.
  std::span<BatchRef> batches() { return batches_; }
  // After an answer: one entry for each batch, in their order.
  std::span<const wire::PartitionProduceResponse> answers() const { return answers_; }
  std::span<const wire::NodeEndpoint> node_endpoints() const { return node_endpoints_; }
  Duration throttle() const { return throttle_; }

  wire::ApiKey api() const override { return wire::ApiKey::kProduce; }
  wire::VersionRange versions() const override;
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) override;
  bool expects_response() const override { return settings_.acks != 0; }
  // An answer that leaves out one of our partitions, or speaks of another one, makes no sense.
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) override;
  void OnComplete(const RequestOutcome& outcome) override { owner_.OnProduceDone(*this, outcome); }

 private:
  // Which batch an entry of the answer is about; kNone if none.
  std::size_t FindBatch(const wire::TopicProduceResponse& topic, std::int32_t partition, std::size_t start,
                        bool by_id) const;

  const Settings settings_;
  DownConverter& down_converter_;
  Owner& owner_;
  std::vector<BatchRef> batches_;
  // One for each batch. Those of the time when the request was made: answers are about them, whatever is known by then.
  std::vector<TopicId> topic_ids_;
  std::vector<std::string> converted_;  // Of batches, for an old broker; what the frame refers to.
  std::vector<wire::PartitionProduceResponse> answers_;
  std::vector<wire::NodeEndpoint> node_endpoints_;
  Duration throttle_{};
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_PRODUCE_CALL_H_
