#include "sim/workload/app_thread.h"

#include "core/env/site.h"

namespace ktrial::sim {
namespace {

struct Choice {
  AppSource* next = nullptr;     // The first that is due and does not wait; null: all are done, or wait.
  AppSource* waiting = nullptr;  // The first that waits.
};

Choice Choose(const std::vector<std::unique_ptr<AppSource>>& sources) {
  Choice choice;
  for (const auto& source : sources) {
    if (source->waits()) {
      if (choice.waiting == nullptr) choice.waiting = source.get();
    } else if (source->Due() != Instant::Never() && (choice.next == nullptr || source->Due() < choice.next->Due())) {
      choice.next = source.get();
    }
  }
  return choice;
}

}  // namespace

void RunSources(Env& env, const std::vector<std::unique_ptr<AppSource>>& sources) {
  for (;;) {
    const Choice choice = Choose(sources);
    if (choice.next == nullptr && choice.waiting == nullptr) return;
    const Instant due = choice.next == nullptr ? Instant::Never() : choice.next->Due();
    const bool is_due = due <= env.clock().Now();
    if (choice.waiting != nullptr) {
      // Also when another source is due: one look costs nothing, and who waits may have been served long ago.
      choice.waiting->Wait(is_due ? Instant() : due);
      if (!is_due) continue;
    }
    if (!is_due) {
      env.threads().SleepUntil(due, Site("workload.arrival"));
    } else {
      choice.next->Run();
    }
  }
}

}  // namespace ktrial::sim
