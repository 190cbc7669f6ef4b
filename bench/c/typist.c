/*
 * Types and waits for the echo. typist pty COMMAND ARG... types into a terminal of 80x24 in which the command runs;
 * typist socket PATH PREAMBLE connects, sends the hexadecimal preamble, and types INPUT frames (protocol/wire/attach.ts).
 * For each line "COUNT SEED" on stdin: that many keys with random pauses, a line of nanoseconds each, and "done".
 */
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char KEYS[] = "jkovwyz"; /* that end no sequence */

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int dial(const char *path, const char *preamble) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  for (const char *at = preamble; at[0] && at[1]; at += 2) {
    char pair[3] = {at[0], at[1], 0};
    unsigned char byte = (unsigned char)strtoul(pair, 0, 16);
    if (write(fd, &byte, 1) != 1) exit(1);
  }
  return fd;
}

static int on_terminal(char **argv) {
  int fd;
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  if (forkpty(&fd, 0, 0, &size) == 0) {
    execvp(argv[0], argv);
    _exit(127);
  }
  return fd;
}

/* Until nothing came for so long. */
static void settle(int fd, int ms) {
  static char buffer[65536];
  struct pollfd p = {fd, POLLIN, 0};
  while (poll(&p, 1, ms) > 0)
    if (read(fd, buffer, sizeof buffer) <= 0) exit(1);
}

static long press(int fd, int framed, char key) {
  static char buffer[65536];
  char frame[6] = {2, 0, 0, 0, 24, key};
  settle(fd, 0);
  long start = now();
  if (framed ? write(fd, frame, 6) != 6 : write(fd, &key, 1) != 1) exit(1);
  struct pollfd p = {fd, POLLIN, 0};
  for (;;) {
    if (poll(&p, 1, 30000) <= 0) exit(1); /* the key was lost */
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) exit(1);
    /* A frame is header, type, cursor, and then bytes. */
    size_t skipped = framed && n > 13 ? 13 : 0;
    if (memchr(buffer + skipped, key, (size_t)n - skipped)) return now() - start;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int framed = strcmp(argv[1], "socket") == 0;
  int fd = framed ? dial(argv[2], argv[3]) : on_terminal(argv + 2);
  settle(fd, 700);
  printf("done\n");
  fflush(stdout);
  char line[128];
  while (fgets(line, sizeof line, stdin)) {
    long count = 0;
    unsigned seed = 0;
    sscanf(line, "%ld %u", &count, &seed);
    for (long i = 0; i < count; i++) {
      usleep(1000 + (useconds_t)(rand_r(&seed) % 5000));
      printf("%ld\n", press(fd, framed, KEYS[i % 7]));
    }
    printf("done\n");
    fflush(stdout);
  }
  return 0;
}
