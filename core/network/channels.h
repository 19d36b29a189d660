// Channels is one byte stream to each node, over one Transport: it looks hosts up, opens, cuts what comes into frames,
// goes on with what was only partly written, and knows which connection has been quiet for longest. It knows nothing of
// requests.
//
// A node has at most one channel: none -> looking up -> opening -> open -> none. A channel that ends by itself is
// reported once, and its owner closes it then; one that is closed here is gone at once and is not reported.
#ifndef CORE_NETWORK_CHANNELS_H_
#define CORE_NETWORK_CHANNELS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/observer.h"
#include "core/types.h"
#include "core/wire/frame_reader.h"
#include "core/wire/gather_bytes.h"

namespace ktrial {

// What a wait brought, in the order in which it came.
struct ChannelEvents {
  struct Resolved {
    NodeId id;
    std::vector<std::string> addresses;
  };
  struct Ended {
    NodeId id;
    bool was_open = false;   // False: it never got that far; a failed look-up too.
    bool handshake = false;  // A filter refused (NC-44).
    std::string why;
  };
  // The answer to LookUp or LookUpName. Not found: `text` says why.
  struct LookedUp {
    ResolveId id;
    bool found = false;
    std::vector<std::string> addresses;
    std::string text;  // A name.
  };
  std::vector<NodeId> writable;
  std::vector<NodeId> readable;
  std::vector<Ended> ended;
  std::vector<Resolved> resolved;
  std::vector<NodeId> opened;
  std::vector<LookedUp> looked_up;

  void Clear();
};

// Thread safety: none; the thread that owns the Transport.
class Channels {
 public:
  // The references outlive this. Longer frames than `frame_bytes_max` are an error. `max_idle`: NC-37; nullopt for never. The
  // observer is told of reads, writes and waits.
  Channels(Transport& transport, ProducerObserver& observer, SocketBuffers buffers, std::size_t frame_bytes_max,
           std::optional<Duration> max_idle)
      : transport_(transport),
        observer_(observer),
        buffers_(buffers),
        frame_bytes_max_(frame_bytes_max),
        max_idle_(max_idle) {}
  ~Channels() { CloseAll(); }
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  // The node has no channel.
  void Resolve(NodeId id, std::string_view host);
  // Look-ups that belong to no node: the addresses of a host, and the name of an address.
  ResolveId LookUp(std::string_view host);
  ResolveId LookUpName(std::string_view ip);
  // The node has no channel, or its host was looked up.
  void Open(NodeId id, const Address& address, std::string_view host, Instant now);
  bool Exists(NodeId id) const { return channels_.contains(id); }
  void Close(NodeId id);
  void CloseAll();

  // Offers `frame` from its byte `written` on, and moves `written` forward. What is left is reported as writable when
  // there is room.
  void Write(NodeId id, const wire::GatherBytes& frame, std::size_t& written, Instant now);
  // Hands out every whole frame that has come, until `take` fails; its error, or that of the framing, is the result.
  // `take` must not close the channel.
  absl::Status Receive(NodeId id, absl::FunctionRef<absl::Status(std::string_view frame)> take);

  // Waits for events; `clock` is read before and after. See Transport::Poll. The events are good until the next call.
  ChannelEvents& Poll(Instant deadline, const Clock& clock);

  // The open channel that has been quiet for longest, if that is longer than max_idle (NC-37).
  std::optional<NodeId> TooIdle(Instant now) const;
  // When TooIdle may say something next; Never().
  Instant NextIdleAt() const;

 private:
  struct Channel {
    std::optional<ResolveId> resolve;  // Looking up.
    ConnectionId connection;           // Opening or open.
    bool open = false;
    bool wants_write = false;
    Instant last_active;
    wire::FrameReader reader;
  };
  Channel* Find(NodeId id);
  void Sort(TransportEvent& event, Instant now, ChannelEvents& events);

  // Set in the constructor, never changed.
  Transport& transport_;
  ProducerObserver& observer_;
  const SocketBuffers buffers_;
  const std::size_t frame_bytes_max_;
  const std::optional<Duration> max_idle_;

  std::map<NodeId, Channel> channels_;
  std::map<ConnectionId, NodeId> by_connection_;
  std::map<ResolveId, NodeId> by_resolve_;
  std::set<ResolveId> look_ups_;  // Of no node.
  // Kept from one poll to the next for their memory.
  std::vector<TransportEvent> transport_events_;
  ChannelEvents events_;
  std::vector<ConstBytes> rest_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_CHANNELS_H_
