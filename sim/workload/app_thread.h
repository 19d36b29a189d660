// The body of an application thread: whichever of its sources is due first runs next; between them the thread sleeps.
#ifndef SIM_WORKLOAD_APP_THREAD_H_
#define SIM_WORKLOAD_APP_THREAD_H_

#include <memory>
#include <vector>

#include "core/env/env.h"
#include "sim/workload/app_source.h"

namespace ktrial::sim {

// Returns once no source has anything left to do. Of sources that are due at the same moment the first goes first.
void RunSources(Env& env, const std::vector<std::unique_ptr<AppSource>>& sources);

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_APP_THREAD_H_
