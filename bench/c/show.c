/*
 * Prints about N bytes of what a terminal shows, ends with the word PAINTED, and stays. `plain`: lines of text; `colour`: lines as of a compiler or a
 * test run; `tui`: an alternate screen of 80x24 painted anew, cell by cell, with addresses and colours. show N KIND
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned seed = 7;
static const char *WORDS[] = {"compiled", "src/holder/start/warm.ts", "ok", "a", "transcript", "of", "warning:", "unused", "12.4", "ms"};

static const char *word(void) { return WORDS[rand_r(&seed) % 10]; }

static long plain(long line) { return printf("%ld %s %s %s %s %s\r\n", line, word(), word(), word(), word(), word()); }

static long colour(long line) {
  return printf("\033[2m%ld\033[0m \033[1;3%um%s\033[0m \033[38;5;%um%s\033[39m %s \033[32m%s\033[0m\r\n", line, rand_r(&seed) % 8,
                word(), rand_r(&seed) % 256, word(), word(), word());
}

static long tui(long frame) {
  long bytes = printf("\033[H\033[7m frame %ld \033[K\033[0m", frame);
  for (int row = 2; row <= 24; row++) {
    bytes += printf("\033[%d;1H\033[38;5;%um%-24.24s\033[0m\033[%d;40H\033[1m%-20.20s\033[0m\033[K", row, rand_r(&seed) % 256, word(), row,
                    word());
  }
  return bytes;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  static char out[1 << 16];
  setvbuf(stdout, out, _IOFBF, sizeof out);
  long (*step)(long) = strcmp(argv[2], "tui") == 0 ? tui : strcmp(argv[2], "colour") == 0 ? colour : plain;
  if (step == tui) printf("\033[?1049h");
  long wanted = atol(argv[1]);
  for (long bytes = 0, number = 0; bytes < wanted; number++) bytes += step(number);
  printf("\033[0mPAINTED");
  fflush(stdout);
  for (;;) pause();
}
