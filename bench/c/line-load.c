/*
 * Calls a server of lines as fast as it answers: so many clients in one thread, each with so many calls under way. A call's id counts up; an answer is a line, and
 * one that tells of an error ends the program. Prints the answers per second. line-load SOCKET CLIENTS UNDER_WAY METHOD MILLISECONDS
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MOST 64
#define READ 262144

static char asked[65536], came[READ];
static unsigned long last_id;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void ask(int fd, long calls, const char *method) {
  size_t length = 0;
  while (calls-- > 0)
    length += (size_t)snprintf(asked + length, sizeof asked - length,
                               "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"method\":\"%s\",\"params\":{}}\n", ++last_id, method);
  for (size_t at = 0; at < length;) {
    ssize_t n = write(fd, asked + at, length - at);
    if (n < 0) exit(1);
    at += (size_t)n;
  }
}

static long answers(const char *bytes, size_t length) {
  long count = 0;
  if (memmem(bytes, length, "\"error\"", 7) != 0) {
    fprintf(stderr, "%.*s\n", (int)length, bytes);
    exit(1);
  }
  for (const char *at = bytes; (at = memchr(at, '\n', length - (size_t)(at - bytes))) != 0; at++) count++;
  return count;
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  int clients = atoi(argv[2]), queue = epoll_create1(0);
  double ms = atof(argv[5]);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct epoll_event ready[MOST];
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  double started = now(), ended = started;
  long count = 0;
  for (int i = 0; i < clients; i++) {
    struct epoll_event watched = {.events = EPOLLIN, .data.fd = socket(AF_UNIX, SOCK_STREAM, 0)};
    if (connect(watched.data.fd, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    epoll_ctl(queue, EPOLL_CTL_ADD, watched.data.fd, &watched);
    ask(watched.data.fd, atol(argv[3]), argv[4]);
  }
  for (int n; ended - started < ms && (n = epoll_wait(queue, ready, MOST, -1)) > 0; ended = now()) {
    for (int i = 0; i < n; i++) {
      ssize_t length = read(ready[i].data.fd, came, sizeof came);
      if (length <= 0) return 1;
      long done = answers(came, (size_t)length);
      count += done;
      ask(ready[i].data.fd, done, argv[4]);
    }
  }
  printf("%.0f\n", (double)count / (ended - started) * 1e3);
  return 0;
}
