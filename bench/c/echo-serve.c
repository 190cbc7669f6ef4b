/*
 * The limit of an echo through a holder: one thread, a command on a terminal, one client on a unix socket. INPUT frames go to
 * the terminal; what it prints is appended to a file and sent as an OUTPUT frame. echo-serve SOCKET FILE COMMAND ARG...
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define INPUT 24
#define OUTPUT 22
#define HEAD 13

static unsigned char taken[65536], frame[65536];

/* What is left of an unfinished frame. */
static size_t typed(int terminal, size_t length) {
  size_t at = 0;
  for (uint32_t size; length - at >= 5; at += 4 + size) {
    memcpy(&size, taken + at, 4);
    if (length - at < 4 + size) break;
    if (taken[at + 4] == INPUT && write(terminal, taken + at + 5, size - 1) < 0) return 0;
  }
  memmove(taken, taken + at, length - at);
  return length - at;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int terminal, listener = socket(AF_UNIX, SOCK_STREAM, 0);
  int file = open(argv[2], O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) return 1;
  struct winsize window = {.ws_row = 24, .ws_col = 80};
  if (forkpty(&terminal, 0, 0, &window) == 0) {
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int client = accept(listener, 0, 0);
  uint64_t cursor = 0;
  size_t held = 0;
  struct pollfd watched[2] = {{terminal, POLLIN, 0}, {client, POLLIN, 0}};
  while (poll(watched, 2, -1) > 0) {
    if (watched[0].revents) {
      ssize_t n = read(terminal, frame + HEAD, sizeof frame - HEAD);
      if (n <= 0 || write(file, frame + HEAD, (size_t)n) != n) return 1;
      uint32_t size = (uint32_t)n + HEAD - 4;
      cursor += (uint64_t)n;
      memcpy(frame, &size, 4);
      frame[4] = OUTPUT;
      memcpy(frame + 5, &cursor, 8);
      if (write(client, frame, (size_t)n + HEAD) < 0) return 1;
    }
    if (watched[1].revents) {
      ssize_t n = read(client, taken + held, sizeof taken - held);
      if (n <= 0) return 0;
      held = typed(terminal, held + (size_t)n);
    }
  }
  return 1;
}
