/*
 * Runs a command in a terminal of COLSxROWS. Prints, in milliseconds from its start: its first byte, its first PROGRESS text, and the first
 * MARKER. Then types KEYS, and waits for its end. first-paint COLS ROWS PROGRESS MARKER KEYS COMMAND ARG...
 */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 7) return 2;
  static char seen[4 * 1024 * 1024];
  struct winsize size = {.ws_col = (unsigned short)atoi(argv[1]), .ws_row = (unsigned short)atoi(argv[2])};
  size_t length = 0;
  double first = 0, progress = 0, painted = 0, start = now();
  int terminal;
  pid_t pid = forkpty(&terminal, 0, 0, &size);
  if (pid == 0) {
    execvp(argv[6], argv + 6);
    _exit(127);
  }
  while (painted == 0 && length < sizeof seen) {
    ssize_t n = read(terminal, seen + length, sizeof seen - length);
    if (n <= 0) break;
    length += (size_t)n;
    if (first == 0) first = now();
    if (progress == 0 && argv[3][0] && memmem(seen, length, argv[3], strlen(argv[3]))) progress = now();
    if (memmem(seen, length, argv[4], strlen(argv[4]))) painted = now();
  }
  if (painted == 0) return 1;
  printf("%.3f %.3f %.3f\n", first - start, progress == 0 ? 0 : progress - start, painted - start);
  fflush(stdout);
  if (write(terminal, argv[5], strlen(argv[5])) < 0) return 1;
  while (read(terminal, seen, sizeof seen) > 0) {
  }
  waitpid(pid, 0, 0);
  return 0;
}
