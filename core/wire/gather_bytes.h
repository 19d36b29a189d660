// GatherBytes is a message that is about to be sent: bytes of its own, interleaved with pieces that stay where they
// are. So the record batches of a Produce request go from their buffers to the socket without a copy.
//
// What is referred to must stay, unchanged, until the last byte of it has been sent (BP-15); the owner of the request
// sees to that. Clear() keeps the memory for the next message. Movable, not copyable; pieces() survive a move. Not
// thread-safe.
#ifndef CORE_WIRE_GATHER_BYTES_H_
#define CORE_WIRE_GATHER_BYTES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::wire {

class GatherBytes {
 public:
  GatherBytes() = default;
  GatherBytes(GatherBytes&& other) noexcept;
  GatherBytes& operator=(GatherBytes&& other) noexcept;
  GatherBytes(const GatherBytes&) = delete;
  GatherBytes& operator=(const GatherBytes&) = delete;

  // The bytes of its own; append to them only. Invalidates pieces() until the next Seal.
  std::string& owned() { return owned_; }
  // Lets `bytes` follow what owned() holds now. Empty ones leave no trace.
  void Refer(std::string_view bytes);
  // Sum of both kinds.
  std::size_t size() const { return owned_.size() + referred_bytes_; }

  // Fixes the pieces: non-empty, in order. As in Transport::Send.
  void Seal();
  std::span<const std::string_view> pieces() const { return pieces_; }

  // All in one string: for tests, and for whoever must hash or capture the message.
  std::string Flatten() const;
  void Clear();

 private:
  struct Splice {
    std::size_t owned_offset;
    std::string_view bytes;
  };
  std::string owned_;
  std::vector<Splice> splices_;
  std::size_t referred_bytes_ = 0;
  std::vector<std::string_view> pieces_;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_GATHER_BYTES_H_
