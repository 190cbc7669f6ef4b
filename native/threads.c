// Machine code for two tasks that JavaScript cannot do: a thread that sleeps in poll(2), and a
// signal handler that keeps the siginfo (docs/adr/0003). Both are copied into executable memory,
// without a C library (src/platform/native/machine-code.ts).
#include <linux/poll.h>
#include "system.h"

// Shared with src/platform/native/poller.ts, which writes to it only while the thread waits for
// `acknowledged`.
struct poll_page {
  long one; // written to `wake`
  long read;
  int wake, acknowledged;
  int count, unused;
  struct pollfd descriptors[];
};

// Wakes the loop when a descriptor is ready, then waits until the loop has handled it.
void *poll_thread(struct poll_page *page) {
  for (;;) {
    sys(__NR_ppoll, (long)page->descriptors, page->count, 0, 0, 8);
    sys3(__NR_write, page->wake, &page->one, 8);
    sys3(__NR_read, page->acknowledged, &page->read, 8);
  }
}

// The pipe for siginfo records; set before the handler is installed.
int signal_pipe = -1;

void on_signal(int number, const void *info) {
  (void)number;
  sys3(__NR_write, signal_pipe, info, 128);
}
