/* 64 KiB at each of COUNT offsets spread over FILE; prints the nanoseconds of each read. pread FILE COUNT SEED */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  static char buffer[65536];
  struct stat st;
  int fd = open(argv[1], O_RDONLY);
  if (fd < 0 || fstat(fd, &st) != 0) return 1;
  unsigned long state = strtoul(argv[3], 0, 10);
  for (long i = atol(argv[2]); i > 0; i--) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    off_t at = st.st_size > (off_t)sizeof buffer ? (off_t)((state >> 11) % (unsigned long)(st.st_size - sizeof buffer)) : 0;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    if (pread(fd, buffer, sizeof buffer, at) <= 0) return 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%ld\n", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
  }
  return 0;
}
