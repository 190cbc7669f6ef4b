/*
 * Many readers of one unix socket in one process, which look at nothing: the time from the first byte of the flood to the last byte
 * of the last of them. Each sends the hexadecimal preamble first. Prints the milliseconds, and the bytes that all have read.
 * fan-drain SOCKET READERS PREAMBLE
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MOST 64
/* A greeting is no flood. */
#define FEW 16384

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  static char buffer[262144];
  struct pollfd watched[MOST];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int readers = atoi(argv[2]), open = readers;
  size_t length = strlen(argv[3]) / 2;
  for (size_t i = 0; i < length; i++) {
    char pair[3] = {argv[3][2 * i], argv[3][2 * i + 1], 0};
    buffer[i] = (char)strtoul(pair, 0, 16);
  }
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  for (int i = 0; i < readers; i++) {
    watched[i].fd = socket(AF_UNIX, SOCK_STREAM, 0);
    watched[i].events = POLLIN;
    if (connect(watched[i].fd, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    if (length > 0 && write(watched[i].fd, buffer, length) < 0) return 1;
  }
  printf("ready\n");
  fflush(stdout);
  double first = 0, last = 0;
  unsigned long total = 0;
  while (open > 0 && poll(watched, (nfds_t)readers, -1) > 0) {
    for (int i = 0; i < readers; i++) {
      if (watched[i].fd < 0 || !watched[i].revents) continue;
      ssize_t n = read(watched[i].fd, buffer, sizeof buffer);
      if (n <= 0) {
        watched[i].fd = -1;
        open--;
        continue;
      }
      total += (unsigned long)n;
      last = now();
      if (first == 0 && total > FEW) first = last;
    }
  }
  printf("%.3f %lu\n", last - first, total);
  return 0;
}
