/*
 * The limit of a fan-out: one thread, a command on a terminal, many readers on a unix socket, each a cursor that may lag. What is
 * printed is appended to FILE and offered to all; who lags is served from the file. The command starts with the last reader.
 * fan-serve SOCKET FILE READERS COMMAND ARG...
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST 64

static char buffer[65536];
static struct pollfd watched[MOST + 1];
static off_t cursors[MOST], produced = 0;

static void offer(int reader, const char *bytes, size_t length) {
  ssize_t sent = send(watched[reader + 1].fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) cursors[reader] += sent;
}

static void catch_up(int reader, int file) {
  static char past[65536];
  while (cursors[reader] < produced) {
    off_t before = cursors[reader];
    ssize_t n = pread(file, past, sizeof past, before);
    if (n <= 0) exit(1);
    offer(reader, past, (size_t)n);
    if (cursors[reader] < before + n) return;
  }
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  int readers = atoi(argv[3]), listener = socket(AF_UNIX, SOCK_STREAM, 0);
  int file = open(argv[2], O_CREAT | O_TRUNC | O_RDWR | O_APPEND, 0600);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, MOST) != 0) return 1;
  for (int i = 1; i <= readers; i++) watched[i].fd = accept(listener, 0, 0);
  if (forkpty(&watched[0].fd, 0, 0, 0) == 0) {
    execvp(argv[4], argv + 4);
    _exit(127);
  }
  watched[0].events = POLLIN;
  for (int lagging = 0;; lagging = 0) {
    for (int i = 0; i < readers; i++) {
      watched[i + 1].events = cursors[i] < produced ? POLLOUT : 0;
      lagging += cursors[i] < produced;
    }
    if (watched[0].fd < 0 && lagging == 0) return 0;
    poll(watched, (nfds_t)readers + 1, -1);
    if (watched[0].fd >= 0 && watched[0].revents) {
      ssize_t n = read(watched[0].fd, buffer, sizeof buffer);
      if (n > 0) {
        if (write(file, buffer, (size_t)n) != n) return 1;
        for (int i = 0; i < readers; i++)
          if (cursors[i] == produced) offer(i, buffer, (size_t)n);
        produced += n;
      } else if (n == 0 || errno != EINTR) watched[0].fd = -1;
    }
    for (int i = 0; i < readers; i++)
      if (watched[i + 1].revents & POLLOUT) catch_up(i, file);
  }
}
