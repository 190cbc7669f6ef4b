/* Writes N bytes to stdout, in lines of 80 or without a newline. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char block[65536];
  long left = argc > 1 ? atol(argv[1]) : 0;
  memset(block, 'x', sizeof block);
  if (argc > 2 && strcmp(argv[2], "lines") == 0)
    for (size_t i = 79; i < sizeof block; i += 80) block[i] = '\n';
  while (left > 0) {
    long n = write(1, block, left < (long)sizeof block ? (size_t)left : sizeof block);
    if (n < 0) return 1;
    left -= n;
  }
  return 0;
}
