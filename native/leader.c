// The leader: first process of a terminal session. Also sets limits before a command runs.
//
//   leader front   BEFORE PATH ARGV0 ARG...   runs the command in the foreground
//   leader behind  BEFORE PATH ARGV0 ARG...   runs it as a background job
//   leader limited BEFORE PATH ARGV0 ARG...   replaces itself by the command (no leader)
//
// "front" and "behind" need a terminal on 0, 1 and 2.
//
// A session leader's own process group is orphaned, so the kernel drops Ctrl-Z for it. So the
// leader acts as a shell: it runs the command in a new process group, gives that group the
// terminal, and reports stops and the end (docs/adr/0004). While holt is a background job of the
// user's shell, the leader keeps the terminal: the kernel then stops the command at its first use
// of it. src/process/leader/leader.ts and src/process/limited.ts do the same where this program
// cannot run.
//
// BEFORE lists steps directly before execve, for the command alone: "-", or a list such as
// "group,ignore:13,7:256:256". "group" enters the control group whose cgroup.procs is open on 93,
// "ignore:N" ignores a signal, RESOURCE:SOFT:HARD sets a limit (src/platform/process/limits.ts).
#include <asm/errno.h>
#include <asm/fcntl.h>
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include "system.h"

// Descriptor numbers, the same as in src/process/leader/leader-protocol.ts. ERRORS is the pipe of a
// redirected stderr.
enum { TERMINAL = 0, REPORTS = 90, ORDERS = 91, ERRORS = 92, GROUP = 93 };
enum { LEADER_ARGUMENTS = 3 }; // program, mode, BEFORE; then PATH and the command's argv

struct report {
  enum { RUNS = 1, NOT_EXECUTED = 2, CHANGED = 3 } kind;
  int value; // the command's pid, an errno, or a wait status
  struct rusage usage;
};

// Orders from the holder, one byte each.
enum { TO_FRONT = 'f', TO_BACK = 'b', CONTINUE = 'c' };

// The kernel's signal set.
typedef unsigned long mask;

// The kernel's struct sigaction, with room for the fields after the handler.
struct action {
  void *handler;
  long rest[7];
};

static void close(int fd) { sys1(__NR_close, fd); }

static _Noreturn void leave(int code) {
  for (;;) sys1(__NR_exit_group, code);
}

static void clear(void *memory, unsigned long size) {
  for (volatile char *byte = memory; size > 0; size--) *byte++ = 0;
}

static void report(struct report *record, int kind, int value) {
  record->kind = kind;
  record->value = value;
  sys3(__NR_write, REPORTS, record, sizeof *record);
}

static void set_signal(int number, const struct action *action, struct action *before) {
  sys4(__NR_rt_sigaction, number, action, before, 8);
}

static void set_blocked(const mask *blocked, mask *before) {
  sys4(__NR_rt_sigprocmask, SIG_SETMASK, blocked, before, sizeof *blocked);
}

static int is_front(char **argv) { return argv[1][0] == 'f'; }

static int foreground(void) {
  int group = 0;
  sys3(__NR_ioctl, TERMINAL, TIOCGPGRP, &group);
  return group;
}

static void set_foreground(int group) { sys3(__NR_ioctl, TERMINAL, TIOCSPGRP, &group); }

static unsigned long number_at(const char **text) {
  unsigned long value = 0;
  while (**text >= '0' && **text <= '9') value = value * 10 + (unsigned long)(*(*text)++ - '0');
  if (**text == ':' || **text == ',') (*text)++;
  return value;
}

static const struct action ignore = {.handler = (void *)1};

static long enter_group(void) {
  long failed = sys3(__NR_write, GROUP, "0", 1); // "0" moves the writing process
  close(GROUP);
  return failed;
}

static long set_limit(const char **text) {
  unsigned long resource = number_at(text);
  unsigned long limit[2];
  limit[0] = number_at(text);
  limit[1] = number_at(text);
  return sys4(__NR_prlimit64, 0, resource, limit, 0);
}

// Performs the steps of BEFORE. Returns a negative errno on failure.
static long prepare(const char *before) {
  long failed = 0;
  while (*before && *before != '-' && failed >= 0) {
    if (*before >= '0' && *before <= '9') {
      failed = set_limit(&before);
      continue;
    }
    if (*before == 'g') failed = enter_group();
    while (*before && *before != ':' && *before != ',') before++;
    if (*before && *before++ == ':') set_signal((int)number_at(&before), &ignore, 0);
  }
  return failed;
}

// Replaces this process by the command. Returns a negative errno on failure.
static long become_command(char **argv, char **environment) {
  long failed = prepare(argv[LEADER_ARGUMENTS - 1]);
  if (failed < 0) return failed;
  char **command = argv + LEADER_ARGUMENTS + 1;
  char *path = command[-1];
  failed = sys3(__NR_execve, path, command, environment);
  if (failed != -ENOEXEC) return failed;
  command[0] = path; // a script without #! runs in the shell, as in execvp(3)
  command[-1] = "/bin/sh";
  return sys3(__NR_execve, "/bin/sh", command - 1, environment);
}

// Signal state before the leader changed it, restored in the command.
struct inherited {
  struct action sigttou;
  mask blocked;
};

// Runs after vfork: memory is shared with the leader, which waits until execve or exit. Not
// inlined, so that it does not write to the leader's stack frame.
static _Noreturn __attribute__((noinline)) void run_command(
    char **argv, char **environment, const struct inherited *inherited, volatile long *failed) {
  sys2(__NR_setpgid, 0, 0);
  if (is_front(argv)) set_foreground((int)sys1(__NR_getpid, 0));
  set_signal(SIGTTOU, &inherited->sigttou, 0);
  set_blocked(&inherited->blocked, 0);
  sys3(__NR_dup3, ERRORS, 2, 0); // fails where stderr is the terminal
  close(ERRORS);
  close(ORDERS);
  close(REPORTS);
  *failed = become_command(argv, environment);
  leave(127);
}

// Detects a command that was stopped for using the terminal just before it got it; it is continued.
static int stopped_too_early(int status, int pid) {
  int signal = status >> 8 & 0xff;
  return (signal == SIGTTIN || signal == SIGTTOU) && foreground() == pid;
}

// Reports a stop or the end of the command. Returns whether it has ended.
static int look(int pid, struct report *record) {
  int status = 0;
  if (sys4(__NR_wait4, pid, &status, WUNTRACED | WNOHANG, &record->usage) <= 0) return 0;
  if ((status & 0xff) != 0x7f) {
    // The leader's exit sends SIGHUP to the foreground group: be that group, to spare leftover
    // processes.
    set_foreground((int)sys1(__NR_getpid, 0));
    // Close the terminal first, so that its end need not wait for the leader's exit.
    for (int fd = 0; fd <= 2; fd++) close(fd);
    close(ERRORS);
    report(record, CHANGED, status);
    return 1;
  }
  // The stopped command keeps the terminal: keys typed before it continues are for it.
  if (stopped_too_early(status, pid)) sys2(__NR_kill, -pid, SIGCONT);
  else report(record, CHANGED, status);
  return 0;
}

static void supervise(int pid, int in_front, const mask *changes, struct report *record) {
  struct pollfd watched[] = {
      {.fd = (int)sys4(__NR_signalfd4, -1, changes, sizeof *changes, O_NONBLOCK), .events = POLLIN},
      {.fd = ORDERS, .events = POLLIN},
  };
  while (!look(pid, record)) {
    char siginfo[128], order;
    sys4(__NR_ppoll, watched, 2, 0, 0);
    sys3(__NR_read, watched[0].fd, siginfo, sizeof siginfo);
    if (!watched[1].revents) continue;
    if (sys3(__NR_read, ORDERS, &order, 1) != 1) return;
    if (order != CONTINUE) in_front = order == TO_FRONT;
    set_foreground(in_front ? pid : (int)sys1(__NR_getpid, 0));
    if (order == CONTINUE) sys2(__NR_kill, -pid, SIGCONT);
  }
}

static void lead(char **argv, char **environment) {
  struct inherited inherited;
  struct report record;
  volatile long failed = 0;
  mask changes = 1UL << (SIGCHLD - 1); // blocked, and read from the signalfd
  clear(&record, sizeof record);
  sys2(__NR_prctl, PR_SET_NAME, "holt-leader");
  // If the holder is killed, the leader is too, and the kernel hangs up on the command.
  sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
  // tcsetpgrp from the background must not stop the leader.
  set_signal(SIGTTOU, &ignore, &inherited.sigttou);
  set_blocked(&changes, &inherited.blocked);
  long pid = sys2(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
  if (pid == 0) run_command(argv, environment, &inherited, &failed);
  // Neither a key nor a hang-up may end the leader before it has reported the command's end.
  for (int signal = SIGHUP; signal <= SIGQUIT; signal++) set_signal(signal, &ignore, 0);
  if (pid < 0) failed = pid;
  if (failed < 0) {
    report(&record, NOT_EXECUTED, (int)-failed);
    return;
  }
  report(&record, RUNS, (int)pid);
  supervise((int)pid, is_front(argv), &changes, &record);
}

__attribute__((used)) static _Noreturn void start(long *stack) {
  long count = stack[0];
  char **argv = (char **)(stack + 1);
  char **environment = argv + count + 1;
  if (count < LEADER_ARGUMENTS + 2) leave(2);
  if (argv[1][0] != 'l') { // "limited"
    lead(argv, environment);
    leave(0);
  }
  sys3(__NR_fcntl, REPORTS, F_SETFD, FD_CLOEXEC); // closed without a report: the command runs
  struct report record;
  clear(&record, sizeof record);
  report(&record, NOT_EXECUTED, (int)-become_command(argv, environment));
  leave(127);
}

ENTRY_POINT(start);
