/*
 * The limit of a server of lines: one thread, one epoll, each line that came is sent back, all those of one read in one write. It is told apart by its
 * newline like any message of NDJSON, and nothing in it is looked at. line-echo SOCKET
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ 65536

struct peer {
  int fd;
  size_t held;
  char bytes[2 * READ];
};

static void all(int fd, const char *bytes, size_t length) {
  for (ssize_t n; length > 0 && (n = write(fd, bytes, length)) > 0; length -= (size_t)n) bytes += n;
}

/* What is left of an unfinished line. */
static size_t answered(int fd, char *bytes, size_t length) {
  size_t done = 0;
  for (char *end; (end = memchr(bytes + done, '\n', length - done)) != 0;) done = (size_t)(end - bytes) + 1;
  all(fd, bytes, done);
  memmove(bytes, bytes + done, length - done);
  return length - done;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  signal(SIGPIPE, SIG_IGN); /* a client that has gone is no news */
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), queue = epoll_create1(0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) return 1;
  struct epoll_event watched = {.events = EPOLLIN, .data.ptr = 0}, ready[64];
  epoll_ctl(queue, EPOLL_CTL_ADD, listener, &watched);
  for (int count; (count = epoll_wait(queue, ready, 64, -1)) > 0;) {
    for (int i = 0; i < count; i++) {
      struct peer *peer = ready[i].data.ptr;
      if (peer == 0) {
        peer = calloc(1, sizeof *peer);
        peer->fd = accept(listener, 0, 0);
        watched.data.ptr = peer;
        epoll_ctl(queue, EPOLL_CTL_ADD, peer->fd, &watched);
        continue;
      }
      ssize_t n = read(peer->fd, peer->bytes + peer->held, READ);
      if (n > 0) {
        peer->held = answered(peer->fd, peer->bytes, peer->held + (size_t)n);
        continue;
      }
      close(peer->fd);
      free(peer);
    }
  }
  return 0;
}
