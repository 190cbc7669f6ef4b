/* Echoes what is typed, byte by byte, on a terminal that does not: raw, without the kernel's echo. */
#include <termios.h>
#include <unistd.h>

int main(void) {
  struct termios t;
  char buffer[4096];
  tcgetattr(0, &t);
  cfmakeraw(&t);
  tcsetattr(0, TCSANOW, &t);
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;)
    if (write(1, buffer, (size_t)n) != n) return 1;
  return 0;
}
