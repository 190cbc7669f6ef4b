/** Clocks that a test can set, for the programs that it starts: a library that is loaded in front of libc adds what a file says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOURCE = `
  #define _GNU_SOURCE
  #include <fcntl.h>
  #include <dlfcn.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <sys/syscall.h>
  #include <sys/time.h>
  #include <time.h>
  #include <unistd.h>

  struct shift { long long wall, boot; };

  static struct shift shift_seconds(void) {
    const char *path = getenv("HOLT_TEST_CLOCK");
    char text[64] = {0};
    struct shift shift = {0, 0};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return shift;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length > 0) sscanf(text, "%lld %lld", &shift.wall, &shift.boot);
    return shift;
  }

  int clock_gettime(clockid_t id, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, id, now);
    if (result != 0) return result;
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) now->tv_sec += shift_seconds().wall;
    if (id == CLOCK_BOOTTIME) now->tv_sec += shift_seconds().boot;
    return result;
  }

  /* FFI looks in libc itself: it has to find the functions above. */
  void *dlopen(const char *name, int flags) {
    void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    return real(name && strcmp(name, "libc.so.6") == 0 ? NULL : name, flags);
  }

  int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    now->tv_sec = real.tv_sec;
    now->tv_usec = real.tv_nsec / 1000;
    return 0;
  }

  time_t time(time_t *out) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    if (out) *out = real.tv_sec;
    return real.tv_sec;
  }
`;

export class ShiftedClock implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "h-"));
  readonly #shift = join(this.#directory, "shift");
  readonly env: Record<string, string>;

  constructor() {
    const source = join(this.#directory, "shifted-clock.c");
    const library = join(this.#directory, "shifted-clock.so");
    writeFileSync(source, SOURCE);
    const built = Bun.spawnSync(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source]);
    if (built.exitCode !== 0) throw new Error(built.stderr.toString());
    this.env = { LD_PRELOAD: library, HOLT_TEST_CLOCK: this.#shift };
    this.set(0);
  }

  /** The wall clock is so far from the right time. */
  set(ms: number): void {
    this.#write(ms, 0);
  }

  /** As after the machine was suspended for so long: the monotonic clock stood still, the others went on. */
  suspended(ms: number): void {
    this.#write(ms, ms);
  }

  #write(wallMs: number, bootMs: number): void {
    writeFileSync(this.#shift, [wallMs, bootMs].map((ms) => Math.round(ms / 1000)).join(" "));
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
