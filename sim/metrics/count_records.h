// The two halves of CountMetrics: what is counted from records, and what is counted from events.
#ifndef SIM_METRICS_COUNT_RECORDS_H_
#define SIM_METRICS_COUNT_RECORDS_H_

#include <map>
#include <string>

#include "sim/metrics/run_record.h"

namespace ktrial::sim {

void CountRecords(const RunRecord& record, const MetricScope& scope, std::map<std::string, double>& metrics);
void CountEvents(const RunRecord& record, const MetricScope& scope, std::map<std::string, double>& metrics);

}  // namespace ktrial::sim

#endif  // SIM_METRICS_COUNT_RECORDS_H_
