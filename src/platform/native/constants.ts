/**
 * Platform constants: open(2) flags, errors, signals. `node:fs` and `node:os` have them too, but
 * cost 1 ms at each start and 0.5 MB in each holder. The Linux values are the same on x86-64 and
 * arm64 except for two flags. Other platforms use node's.
 */
const LINUX = process.platform === "linux";
const ARM64 = process.arch === "arm64";

/** In the order of their numbers, from 1; a dash marks an unused number. */
const LINUX_ERRNOS =
  "EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST EXDEV " +
  "ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK " +
  "ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT " +
  "EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV " +
  "ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX " +
  "ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT " +
  "ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET " +
  "ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH " +
  "EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY " +
  "EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON";

const LINUX_SIGNALS =
  "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM " +
  "SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO " +
  "SIGPWR SIGSYS";

const LINUX_FILES = {
  O_RDONLY: 0,
  O_WRONLY: 0o1,
  O_RDWR: 0o2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_NOCTTY: 0o400,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_DIRECTORY: ARM64 ? 0o40000 : 0o200000,
  O_NOFOLLOW: ARM64 ? 0o100000 : 0o400000,
};

export const fileConstants: Readonly<Record<keyof typeof LINUX_FILES, number>> = LINUX
  ? LINUX_FILES
  : process.getBuiltinModule("node:fs").constants;

/**
 * Missing from node's constants. O_PATH opens a file for its identity alone, without read
 * permission.
 */
export const O_PATH = 0o10000000;
export const O_CLOEXEC = process.platform === "darwin" ? 0x1000000 : 0o2000000;

/** "ENOENT" for 2. */
export function errnoName(number: number): string {
  return nameIn("errno", number) ?? `errno ${number}`;
}

/** "SIGTERM" for 15; null when it has no name here. */
export function signalNameOf(number: number): string | null {
  return nameIn("signals", number);
}

/** 15 for "SIGTERM". */
export function signalNumberOf(name: string): number | null {
  if (!LINUX) return (process.getBuiltinModule("node:os").constants.signals as Record<string, number>)[name] ?? null;
  const at = nameTable("signals").indexOf(name);
  return at < 0 ? null : at + 1;
}

function nameIn(kind: "errno" | "signals", number: number): string | null {
  if (LINUX) {
    const name = nameTable(kind)[number - 1];
    return name === undefined || name === "-" ? null : name;
  }
  const known = process.getBuiltinModule("node:os").constants[kind];
  for (const [name, value] of Object.entries(known)) if (value === number) return name;
  return null;
}

const split: { errno?: readonly string[]; signals?: readonly string[] } = {};

function nameTable(kind: "errno" | "signals"): readonly string[] {
  split[kind] ??= (kind === "errno" ? LINUX_ERRNOS : LINUX_SIGNALS).split(" ");
  return split[kind];
}
