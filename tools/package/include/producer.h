// The producer of Apache Kafka records: everything that a program needs to send them. Link ktrial::producer.
//
//   std::unique_ptr<ktrial::Env> env = ktrial::MakePosixEnv();
//   auto config = ktrial::ProducerConfig::Parse({{"bootstrap.servers", "127.0.0.1:9092"}});
//   auto producer = ktrial::Producer::Create(*config, *env);
//
// Start reading at core/producer/producer.h.
#ifndef KTRIAL_PRODUCER_H_
#define KTRIAL_PRODUCER_H_

#include "core/env/posix/config_providers.h"
#include "core/env/posix/posix_env.h"
#include "core/producer/config.h"
#include "core/producer/config_properties.h"
#include "core/producer/config_provider.h"
#include "core/producer/interceptor.h"
#include "core/producer/list_serializer.h"
#include "core/producer/log.h"
#include "core/producer/metrics.h"
#include "core/producer/metrics_text.h"
#include "core/producer/partitioner.h"
#include "core/producer/producer.h"
#include "core/producer/profile.h"
#include "core/producer/record.h"
#include "core/producer/serializing_producer.h"
#include "core/wire/status.h"

// For code that shall run in the simulated world, too: its locks, its threads, its time.
#include "core/env/env.h"
#include "core/env/sync.h"

#endif  // KTRIAL_PRODUCER_H_
