// One TCP connection to a broker, in blocking calls: nothing of the producer's own machinery is between us and the bytes.
#ifndef TESTS_REAL_FIDELITY_CONNECTION_H_
#define TESTS_REAL_FIDELITY_CONNECTION_H_

#include <string>
#include <string_view>

#include "core/wire/frame_reader.h"

namespace ktrial::fidelity {

struct Address {
  std::string host;  // "127.0.0.1"
  int port = 0;
};

// Not thread-safe. Everything that a peer may do shows in what Receive says; only a peer that does not listen at all ends
// the program.
class Connection {
 public:
  explicit Connection(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // All of it in one segment, if it fits into one. A peer that has closed is found out by Receive.
  void Send(std::string_view bytes);

  enum class Event { kFrame, kClosed, kSilence };
  struct Received {
    Event event = Event::kSilence;
    std::string frame;  // without its length
  };
  // Waits so long for the next frame.
  Received Receive(int timeout_ms);

 private:
  int socket_ = -1;
  wire::FrameReader reader_;
};

}  // namespace ktrial::fidelity

#endif  // TESTS_REAL_FIDELITY_CONNECTION_H_
