// A Transport with TLS: a filter above another one. What it reads and writes there is TLS, what its user sees is plain; nothing else
// differs, and the contract of core/env/transport.h holds for it (tests/core/env).
//
// A connection is open (kOpened) when its handshake is done, so everything that bounds the time of an open bounds that too (NC-08).
// An accepted one is reported at once; until its handshake is done it takes and gives nothing. A handshake that fails is an end with
// the reason kHandshake and a text for the user; so is a refusal that comes before the first byte of the peer, since under TLS 1.3 a
// server judges the certificate of its client when that believes to be done. An end without the good bye of TLS is a kReset.
//
// "Taken" by Send means that the Transport below has taken it: what is encrypted but still here does not count. So Send may answer
// kWouldBlock although it has worked, and the bytes must be offered again, as the contract demands.
#ifndef CORE_TLS_TLS_TRANSPORT_H_
#define CORE_TLS_TLS_TRANSPORT_H_

#include <memory>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/tls/tls_context.h"

namespace ktrial {

// The contexts of connections that are opened, and of those that are accepted. One may be null if there are none of its kind.
struct TlsContexts {
  std::unique_ptr<TlsContext> client;
  std::unique_ptr<TlsContext> server;
};

// `clock` outlives the result; certificates are judged at its time of day.
std::unique_ptr<Transport> NewTlsTransport(std::unique_ptr<Transport> below, TlsContexts contexts, const Clock& clock);

}  // namespace ktrial

#endif  // CORE_TLS_TLS_TRANSPORT_H_
