#include "sim/broker/observer.h"

namespace ktrial::sim {

BrokerObserver& NoBrokerObserver() {
  static BrokerObserver observer;  // Without state: every function does nothing.
  return observer;
}

}  // namespace ktrial::sim
