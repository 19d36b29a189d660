// OrderWriter writes orders to the topic "orders", at most so many at once. It stands for code that uses a producer and has state,
// locks and waits of its own.
#ifndef TESTS_PACKAGE_ORDER_WRITER_H_
#define TESTS_PACKAGE_ORDER_WRITER_H_

#include <ktrial/producer.h>

#include <string_view>

// Thread safety: Write from any thread.
class OrderWriter {
 public:
  struct Tally {
    int written = 0;  // Acknowledged by the cluster.
    int failed = 0;
    int most_at_once = 0;
  };

  // `env` is that of the producer; both outlive the writer. No more than `window` orders are on their way at any time.
  OrderWriter(ktrial::Env& env, ktrial::Producer& producer, int window);

  // Waits until there is room in the window.
  void Write(std::string_view customer, std::string_view order);
  // Waits until nothing is on its way any more.
  Tally Finish();

 private:
  void OnDone(bool ok);

  ktrial::Producer& producer_;
  const int window_;
  ktrial::Mutex mutex_;
  ktrial::CondVar changed_;
  int on_the_way_ ABSL_GUARDED_BY(mutex_) = 0;
  Tally tally_ ABSL_GUARDED_BY(mutex_);
};

#endif  // TESTS_PACKAGE_ORDER_WRITER_H_
