#include "tests/property/metadata_refresh_world.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/metadata/metadata.h"
#include "core/network/network_client.h"
#include "core/wire/status.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/kernel/kernel.h"
#include "sim/network/sim_network.h"
#include "sim/sim_env.h"
#include "sim/trace/trace.h"

namespace ktrial::property {
namespace {

using std::chrono::milliseconds;
using Kind = RefreshEvent::Kind;

constexpr Duration kQuiet = std::chrono::minutes(3);  // After healing: longer than any bound below the ages.
constexpr std::uint16_t kPort = 9092;

std::string BrokerIp(std::int32_t id) { return "10.0.0." + std::to_string(id); }
std::string TopicName(std::int32_t index) { return "topic-" + std::to_string(index); }

MetadataConfig MetadataConfigOf(const RefreshPlan& plan) {
  MetadataConfig config{.retry_backoff = milliseconds(plan.retry_backoff_ms),
                        .retry_backoff_max = milliseconds(plan.retry_backoff_max_ms),
                        .max_age = milliseconds(plan.max_age_ms),
                        .max_idle = milliseconds(plan.max_idle_ms)};
  for (std::int32_t id = 1; id <= plan.bootstrap; ++id)
    config.bootstrap.push_back({"boot-" + std::to_string(id), kPort});
  return config;
}

NetworkClientConfig ClientConfigOf(const RefreshPlan& plan) {
  return {.client_id = "client",
          .request_timeout = milliseconds(plan.request_timeout_ms),
          .reconnect_backoff = milliseconds(plan.reconnect_backoff_ms),
          .reconnect_backoff_max = milliseconds(plan.reconnect_backoff_max_ms),
          .connection_setup_timeout = milliseconds(plan.setup_timeout_ms),
          .connection_setup_timeout_max = milliseconds(plan.setup_timeout_max_ms),
          .connections_max_idle = milliseconds(plan.connections_max_idle_ms),
          .rebootstrap = plan.rebootstrap,
          .rebootstrap_trigger = milliseconds(plan.rebootstrap_trigger_ms)};
}

sim::ClusterSpec ClusterOf(const RefreshPlan& plan) {
  sim::ClusterSpec spec;
  for (std::int32_t id = 1; id <= plan.brokers; ++id) {
    spec.brokers.push_back({.id = NodeId(id), .host = BrokerIp(id), .port = kPort});
  }
  // One topic more is used than exists: it is made on first use.
  for (std::int32_t i = 0; i + 1 < plan.topics; ++i) {
    spec.topics.push_back(
        {.name = TopicName(i), .partitions = plan.partitions, .replication = std::min(plan.brokers, std::int32_t{3})});
  }
  return spec;
}

// What is wrong with a snapshot in itself; empty if nothing.
std::string Defect(const ktrial::Cluster& cluster) {
  if (cluster.nodes().empty()) return "no nodes";
  if (cluster.is_bootstrap() && !cluster.topics().empty()) return "bootstrap nodes with topics";
  for (const auto& topic : cluster.topics()) {
    std::vector<PartitionIndex> available;
    for (const PartitionInfo& partition : topic->partitions) {
      if (partition.leader == kNoNode) continue;
      available.push_back(partition.index);
      if (cluster.FindNode(partition.leader) == nullptr) return topic->name + " is led by a node that is not there";
    }
    if (available != topic->available) return topic->name + ": the available partitions are not those with a leader";
    if (cluster.FindTopic(topic->name) != topic.get()) return topic->name + " is not found by its name";
  }
  for (const Node& node : cluster.nodes()) {
    if ((node.id < NodeId(0)) != cluster.is_bootstrap()) return "bootstrap nodes and brokers together";
  }
  return "";
}

// What an answer can teach: partitions, their epochs, topic ids. Leaders come with epochs.
std::map<std::string, std::string> Facts(const ktrial::Cluster& cluster) {
  std::map<std::string, std::string> facts;
  for (const auto& topic : cluster.topics()) {
    std::string& text = facts[topic->name];
    text.assign(topic->id.begin(), topic->id.end());
    for (const PartitionInfo& partition : topic->partitions) {
      text += " " + std::to_string(partition.index.value()) + "@" + std::to_string(partition.leader_epoch.value());
    }
  }
  return facts;
}

class World : public ProducerObserver, public MetadataListener, public sim::RequestHook {
 public:
  explicit World(const RefreshPlan& plan)
      : plan_(plan),
        kernel_({.seed = plan.seed,
                 .stalls = plan.stalls ? sim::StallMode::kRare : sim::StallMode::kNone,
                 .steps_max = 20'000'000},
                trace_),
        network_(kernel_, {.latency = sim::Distribution::Uniform(milliseconds(0), milliseconds(plan.latency_ms)),
                           .resolve = sim::Distribution::Uniform(milliseconds(0), milliseconds(5))}),
        env_(kernel_, network_),
        broker_clock_(kernel_, "brokers", WallTime::FromMillis(1'700'000'000'000)),
        brokers_(MakeCluster()),
        host_transport_(network_.NewTransport("brokers", "10.0.255.1")),
        host_({}, *brokers_, *host_transport_, kernel_.threads()),
        entropy_(env_.NewEntropy("client")),
        transport_(env_.NewTransport("client")),
        metadata_(MetadataConfigOf(plan), kernel_.threads(), *entropy_),
        client_(ClientConfigOf(plan), metadata_, *transport_, env_.clock(), *entropy_, *this) {
    for (std::int32_t id = 1; id <= plan.brokers; ++id) {
      network_.MapBroker(NodeId(id), {BrokerIp(id), kPort});
      network_.SetName("boot-" + std::to_string(id), {BrokerIp(id)});
    }
    metadata_.AddListener(*this);
    host_.AddHook(*this);
    KT_CHECK(host_.Start().ok());
  }

  RefreshHistory Play() {
    history_.plan = plan_;
    history_.start = Now();
    last_cluster_ = metadata_.Fetch();
    StartThreads();
    ScheduleFaults();
    Advance(kernel_.RunUntil(heal_at_));
    Heal();
    history_.healed = Now();
    Advance(kernel_.RunUntil(Now() + kQuiet));
    history_.end = Now();
    Advance(kernel_.RunUntil([this] { return threads_left_ == 0; }, Now() + std::chrono::hours(1)));
    if (threads_left_ > 0 && history_.finding.empty())
      history_.finding = "threads that do not end\n" + kernel_.ThreadReport();
    return std::move(history_);
  }
  // True if every thread has ended, so that the world may be taken apart.
  bool Ended() {
    for (const std::unique_ptr<Thread>& thread : threads_) {
      if (!thread->Join(Instant())) return false;
    }
    return brokers_ended_;
  }
  void StopBrokers() {
    host_.Stop();
    Advance(kernel_.RunUntil([this] { return brokers_ended_; }, Now() + std::chrono::hours(1)));
  }
  void Abandon() { kernel_.Abandon(); }

 private:
  std::unique_ptr<sim::Cluster> MakeCluster() {
    auto cluster = sim::Cluster::Create(ClusterOf(plan_), broker_clock_, kernel_.NewStream("brokers", "cluster"));
    KT_CHECK(cluster.ok());
    return *std::move(cluster);
  }
  Instant Now() const { return kernel_.Now(); }
  RefreshEvent& Note(Kind kind) {
    history_.events.push_back({.at = Now(), .kind = kind});
    return history_.events.back();
  }
  void Advance(const sim::KernelResult& result) {
    if (result.is_finding() && history_.finding.empty()) history_.finding = result.text;
  }

  // --- ProducerObserver, MetadataListener: on the sender thread ---
  void OnMetadataRequest(NodeId, RefreshReason, bool partial, std::int32_t) override {
    Note(Kind::kRequest).partial = partial;
  }
  void OnMetadataUpdated(std::int64_t version) override { Note(Kind::kUpdated).version = version; }
  void OnMetadataFailed(std::string_view) override { Note(Kind::kFailed); }
  void OnRebootstrap() override {
    Note(Kind::kRebootstrap);
    last_cluster_ = nullptr;
  }
  void OnRequestSent(NodeId, wire::ApiKey api, std::int16_t, std::int32_t, std::int64_t) override {
    if (api == wire::ApiKey::kMetadata) Note(Kind::kWireSent);
  }
  void OnResponse(NodeId, wire::ApiKey api, std::int32_t, Duration) override {
    if (api == wire::ApiKey::kMetadata) Note(Kind::kWireEnded);
  }
  void OnRequestFailed(NodeId, wire::ApiKey api, std::int32_t, bool) override {
    if (api == wire::ApiKey::kMetadata) Note(Kind::kWireEnded);
  }
  void OnCluster(const ktrial::Cluster& cluster) override {
    const bool equal = last_cluster_ != nullptr && Facts(*last_cluster_) == Facts(cluster);
    if (!merging_) Note(Kind::kAnswerWas).equal = equal;
    last_cluster_ = metadata_.Fetch();
    LookAt(*last_cluster_);
  }

  // --- sim::RequestHook ---
  void OnRequest(sim::RequestPhase phase, const sim::RequestView& request, sim::RequestControl& control) override {
    if (phase != sim::RequestPhase::kReceived || request.api != wire::ApiKey::kMetadata) return;
    for (const std::string& topic : topics_with_errors_) {
      if (request.Names(topic)) control.Fail(wire::ErrorCode::kLeaderNotAvailable, topic);
    }
    if (demanding_.contains(request.broker)) control.Fail(wire::ErrorCode::kRebootstrapRequired);
  }

  // --- The client ---
  void StartThreads() {
    broker_thread_ = kernel_.SpawnDaemon("brokers", [this] {
      host_.Run();
      brokers_ended_ = true;
    });
    ++threads_left_;
    threads_.push_back(kernel_.threads().Spawn("sender", [this] {
      RunSender();
      --threads_left_;
    }));
    std::vector<std::vector<std::pair<Instant, Step>>> calls(static_cast<std::size_t>(plan_.threads));
    Instant at = Now();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      at = at + milliseconds(plan_.steps[i].after_ms);
      calls[i % calls.size()].emplace_back(at, plan_.steps[i]);
    }
    for (const auto& list : calls) {
      ++threads_left_;
      threads_.push_back(kernel_.threads().Spawn("app", [this, list] {
        for (const auto& [when, step] : list) {
          kernel_.threads().SleepUntil(when, Site("test.app"));
          Call(step);
          LookAt(*metadata_.Fetch());
        }
        --threads_left_;
      }));
    }
    // The end of the case, for the sender.
    kernel_.At(HealAt() + kQuiet, [this] {
      closing_ = true;
      client_.WakeUp();
    });
  }

  void RunSender() {
    while (!closing_) {
      const Instant now = Now();
      Note(Kind::kLoop);
      RefreshEvent sample{.at = now, .kind = Kind::kSample, .version = metadata_.version()};
      sample.next_update = metadata_.NextUpdateAt();
      history_.events.push_back(std::move(sample));
      Instant deadline = Instant::Never();
      const std::shared_ptr<const ktrial::Cluster> cluster = metadata_.Fetch();
      for (const auto& [id, until] : wanted_) {
        const Node* node = cluster->FindNode(id);
        if (node == nullptr || until <= now) continue;
        if (!client_.Ready(*node, now)) deadline = std::min(deadline, client_.LookAgainAt(id, now));
      }
      MergeHints(*cluster);
      client_.Poll(now, deadline);
    }
    Note(Kind::kClosed);
    metadata_.Close();
    client_.Close();
  }

  void MergeHints(const ktrial::Cluster& cluster) {
    for (const std::int32_t target : std::exchange(hints_, {})) {
      const std::string topic = TopicName(target % plan_.topics);
      const PartitionInfo* known = cluster.FindPartition(topic, PartitionIndex(0));
      if (known == nullptr) continue;
      const LeaderHint hint{.topic = topic,
                            .partition = PartitionIndex(0),
                            .leader = NodeId(1 + target % plan_.brokers),
                            .epoch = LeaderEpoch(known->leader_epoch.value() + 1)};
      merging_ = true;
      metadata_.MergeLeaders(std::span(&hint, 1), {});
      merging_ = false;
    }
  }

  void LookAt(const ktrial::Cluster& cluster) {
    RefreshEvent event{
        .at = Now(), .kind = Kind::kSnapshot, .version = static_cast<std::int64_t>(cluster.generation())};
    event.text = Defect(cluster);
    const auto [seen, is_new] = snapshots_.emplace(cluster.generation(), &cluster);
    if (is_new) {
      kept_.push_back(metadata_.Fetch());
      if (kept_.back().get() != &cluster) snapshots_.erase(seen);  // Not the present one any more, so it may go.
    } else if (seen->second != &cluster) {
      event.text = "two snapshots of one generation";
    }
    history_.events.push_back(std::move(event));
  }

  void Call(const Step& step) {
    const std::string topic = TopicName(step.target % plan_.topics);
    switch (step.kind) {
      case StepKind::kAdd:
        Track(topic);
        break;
      case StepKind::kUse:
        Await(Track(topic, /*ask=*/true), milliseconds(step.length_ms));
        return;
      case StepKind::kRequest:
        Ask(Metadata::Equivalents::kKeep);
        break;
      case StepKind::kRequestNew:
        Ask(Metadata::Equivalents::kForget);
        break;
      case StepKind::kHint:
        hints_.push_back(step.target);
        break;
      case StepKind::kConnect:
        wanted_[NodeId(1 + step.target % plan_.brokers)] = Now() + milliseconds(step.length_ms);
        break;
      case StepKind::kFatal:
        Note(Kind::kFatal);
        metadata_.SetFatalError(wire::KafkaError(wire::ErrorCode::kUnsupportedVersion));
        break;
      default:
        return;  // A fault.
    }
    client_.WakeUp();
  }

  void Ask(Metadata::Equivalents equivalents) {
    if (equivalents == Metadata::Equivalents::kForget) Note(Kind::kForget);
    const std::int64_t version = metadata_.RequestUpdate(RefreshReason::kProduceError, equivalents);
    Note(Kind::kAsked).version = version;
    if (equivalents == Metadata::Equivalents::kForget) Note(Kind::kForget);
  }

  std::int64_t Track(const std::string& topic, bool ask = false) {
    // Whether it is new cannot be known from here for sure; where it may be, the history says so.
    const std::int64_t before = metadata_.version();
    const std::size_t begin = history_.events.size();
    Note(Kind::kNewTopicBegin);
    const bool tracked = metadata_.IsTracked(topic);
    metadata_.Add(topic, Now());
    std::int64_t version = before;
    if (ask) version = metadata_.RequestUpdateForTopic(topic);
    if (tracked && metadata_.version() == before) history_.events[begin].kind = Kind::kForget;
    Note(history_.events[begin].kind == Kind::kForget ? Kind::kForget : Kind::kNewTopicEnd);
    client_.WakeUp();
    return version;
  }

  void Await(std::int64_t version, Duration timeout) {
    const std::size_t index = history_.waits.size();
    history_.waits.push_back({.begin = Now(), .last_version = version, .deadline = Now() + timeout});
    const absl::Status status = metadata_.AwaitUpdate(version, history_.waits[index].deadline);
    RefreshWait& wait = history_.waits[index];
    wait.end = Now();
    wait.version_after = metadata_.version();
    using Result = RefreshWait::Result;
    wait.result = status.ok()                                                       ? Result::kNewer
                  : wire::KafkaCode(status) == wire::ErrorCode::kRequestTimedOut    ? Result::kTimedOut
                  : wire::KafkaCode(status) == wire::ErrorCode::kUnsupportedVersion ? Result::kFatal
                  : status.code() == absl::StatusCode::kCancelled                   ? Result::kClosed
                                                                                    : Result::kOther;
  }

  // --- What goes wrong ---
  Instant HealAt() const {
    Instant at = history_.start;
    Instant last = at;
    for (const Step& step : plan_.steps) {
      at = at + milliseconds(step.after_ms);
      last = std::max(last, at + milliseconds(step.length_ms));
    }
    return last + std::chrono::seconds(1);
  }

  void ScheduleFaults() {
    heal_at_ = HealAt();
    Instant at = Now();
    for (const Step& step : plan_.steps) {
      at = at + milliseconds(step.after_ms);
      if (step.kind < StepKind::kMoveLeader) continue;
      kernel_.At(at, [this, step] { Begin(step); });
    }
  }

  // A broker that may go: not the anchor. kNoNode if there is none.
  NodeId Victim(const Step& step) const {
    return plan_.brokers == 1 ? kNoNode : NodeId(2 + step.target % (plan_.brokers - 1));
  }

  void Begin(const Step& step) {
    const Instant until = Now() + milliseconds(step.length_ms);
    const std::string topic = TopicName(step.target % plan_.topics);
    switch (step.kind) {
      case StepKind::kMoveLeader:
        brokers_->MoveLeaderAnywhere(topic, PartitionIndex(0), {.lag = milliseconds(step.length_ms)});
        return;
      case StepKind::kNoLeader:
        if (brokers_->RemoveLeader(topic, PartitionIndex(0))) {
          kernel_.At(until, [this, topic] { brokers_->ElectLeader(topic, PartitionIndex(0)); });
        }
        return;
      case StepKind::kTopicError:
        topics_with_errors_.insert(topic);
        kernel_.At(until, [this, topic] { topics_with_errors_.erase(topics_with_errors_.find(topic)); });
        return;
      case StepKind::kDemandRebootstrap: {
        const NodeId broker(1 + step.target % plan_.brokers);
        history_.episodes.push_back({.broker = broker.value(), .from = Now(), .to = until});
        demanding_.insert(broker);
        kernel_.At(until, [this, broker] { demanding_.erase(demanding_.find(broker)); });
        return;
      }
      default:
        break;
    }
    // Losing its connections does not make the anchor unreachable.
    const NodeId victim = step.kind == StepKind::kDisconnect ? NodeId(1 + step.target % plan_.brokers) : Victim(step);
    if (victim == kNoNode) return;
    history_.episodes.push_back({.broker = victim.value(), .from = Now(), .to = until});
    BeginAt(victim, step.kind, until);
  }

  void BeginAt(NodeId victim, StepKind kind, Instant until) {
    const auto impose = [&](sim::NetworkRule::Kind rule) {
      const sim::RuleId id = network_.Impose({.kind = rule, .nodes = {victim}});
      kernel_.At(until, [this, id] { network_.Lift(id); });
    };
    switch (kind) {
      case StepKind::kDisconnect:
        network_.Disconnect(victim, sim::DisconnectKind::kReset);
        break;
      case StepKind::kCrash:
        if (host_.Crash(victim, {})) kernel_.At(until, [this, victim] { host_.Restart(victim, {}); });
        break;
      case StepKind::kPause:
        if (host_.Pause(victim)) kernel_.At(until, [this, victim] { host_.Resume(victim); });
        break;
      case StepKind::kBlackhole:
        impose(sim::NetworkRule::Kind::kBlackhole);
        break;
      case StepKind::kDropConnect:
        impose(sim::NetworkRule::Kind::kDropConnect);
        break;
      case StepKind::kRefuseConnect:
        impose(sim::NetworkRule::Kind::kRefuseConnect);
        break;
      default:
        break;
    }
  }

  // All faults have ended by their own timers.
  void Heal() { wanted_.clear(); }

  const RefreshPlan plan_;
  sim::Trace trace_;
  sim::Kernel kernel_;
  sim::SimNetwork network_;
  sim::SimEnv env_;
  sim::SimClock broker_clock_;
  std::unique_ptr<sim::Cluster> brokers_;
  std::unique_ptr<Transport> host_transport_;
  sim::BrokerHost host_;
  std::unique_ptr<Entropy> entropy_;
  std::unique_ptr<Transport> transport_;
  Metadata metadata_;
  NetworkClient client_;

  RefreshHistory history_;
  std::shared_ptr<const ktrial::Cluster> last_cluster_;
  std::map<std::uint64_t, const ktrial::Cluster*> snapshots_;  // By generation; kept_ keeps them alive.
  std::vector<std::shared_ptr<const ktrial::Cluster>> kept_;
  std::map<NodeId, Instant> wanted_;
  std::vector<std::int32_t> hints_;
  bool merging_ = false;
  bool closing_ = false;
  std::multiset<std::string> topics_with_errors_;
  std::multiset<NodeId> demanding_;
  Instant heal_at_;
  std::unique_ptr<Thread> broker_thread_;
  bool brokers_ended_ = false;
  int threads_left_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace

RefreshHistory PlayRefresh(const RefreshPlan& plan) {
  auto world = std::make_unique<World>(plan);
  RefreshHistory history = world->Play();
  world->StopBrokers();
  if (!world->Ended()) {
    // Threads that are stuck stand somewhere inside of it.
    world->Abandon();
    static_cast<void>(world.release());
  }
  return history;
}

}  // namespace ktrial::property
