// MetadataUpdater keeps track of the one metadata request that a client may have in flight (NC-33), tells Metadata how
// it ended, and knows when the client has been without usable metadata for too long (MD-23). NetworkClient chooses the
// node and sends.
#ifndef CORE_NETWORK_METADATA_UPDATER_H_
#define CORE_NETWORK_METADATA_UPDATER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/metadata/metadata.h"
#include "core/observer.h"
#include "core/types.h"
#include "core/wire/messages.h"

namespace ktrial {

// Thread safety: none; the sender thread.
class MetadataUpdater {
 public:
  // `rebootstrap_trigger`: nullopt if the client never bootstraps again. The references outlive this.
  MetadataUpdater(Metadata& metadata, ProducerObserver& observer, std::optional<Duration> rebootstrap_trigger)
      : metadata_(metadata), observer_(observer), rebootstrap_trigger_(rebootstrap_trigger) {}

  bool in_progress() const { return query_.has_value(); }
  // An update should be sent and is not (NC-14, NC-26).
  bool IsDue(Instant now) const { return !in_progress() && metadata_.NextUpdateAt() <= now; }
  // When an update becomes due; Never() while one is in progress, whose end is an event.
  Instant NextUpdateAt() const { return in_progress() ? Instant::Never() : metadata_.NextUpdateAt(); }

  // An update is due and the client looks for a node to send it to: the time without metadata runs from the first such
  // moment.
  void SearchStarted(Instant now);
  // What to ask `id` for. Until Answered or Failed, an update is in progress.
  const wire::MetadataRequest& Begin(NodeId id, Instant now);
  void Answered(const wire::MetadataResponse& response, std::int16_t version, Instant now);
  // The request came to nothing. `fatal`, if it is an error, goes to whoever waits (MD-33).
  void Failed(std::string_view why, const absl::Status& fatal, Instant now);
  // The connection to some node is over. An update that was due, and so was looking for a node, has failed (NC-26); and
  // what we know may be old, so an update is asked for (NC-24).
  void NodeLost(RefreshReason reason, const absl::Status& fatal, Instant now);

  // A node says that it is not the one that our metadata make of it (KIP-1242). The client must be one that bootstraps again.
  void DemandRebootstrap();

  // It has been too long, or a broker said so (MD-23).
  bool NeedsRebootstrap(Instant now) const;
  // When NeedsRebootstrap may become true; Never().
  Instant NextRebootstrapAt() const;
  // Starts over from the configured addresses.
  void Rebootstrap(Instant now);

 private:
  // Set in the constructor, never changed.
  Metadata& metadata_;
  ProducerObserver& observer_;
  const std::optional<Duration> rebootstrap_trigger_;

  std::optional<MetadataQuery> query_;  // Of the request in flight.
  std::optional<Instant> without_metadata_since_;
  bool told_to_rebootstrap_ = false;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_METADATA_UPDATER_H_
