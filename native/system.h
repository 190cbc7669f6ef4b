// Linux system calls and the entry point for programs without a C library, on x86-64 and arm64.
#include <asm/unistd.h>

#if defined(__x86_64__)

static inline long sys(long number, long a, long b, long c, long d, long e) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
#define ENTRY_POINT(function)                                             \
  __asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call " #function "\n hlt")

#elif defined(__aarch64__)

static inline long sys(long number, long a, long b, long c, long d, long e) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#define ENTRY_POINT(function) __asm__(".globl _start\n_start: mov x0, sp\n bl " #function "\n brk #0")

#else
#error "x86-64 or arm64"
#endif

#define sys1(number, a) sys(number, (long)(a), 0, 0, 0, 0)
#define sys2(number, a, b) sys(number, (long)(a), (long)(b), 0, 0, 0)
#define sys3(number, a, b, c) sys(number, (long)(a), (long)(b), (long)(c), 0, 0)
#define sys4(number, a, b, c, d) sys(number, (long)(a), (long)(b), (long)(c), (long)(d), 0)
