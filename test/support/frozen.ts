/**
 * Processes that do nothing until they are let go, whatever signal they are sent but SIGKILL: held as a debugger holds them (ptrace(2)), by a python3 that lets go of them with its own end.
 * One that is only stopped is continued by whoever needs it.
 */
const HOLD = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
for pid in map(int, sys.argv[1:]):
    for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
        if libc.ptrace(request, pid, None, None) != 0:
            sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")
    os.waitpid(pid, WALL)
print("held", flush=True)
sys.stdin.read()
`;

export class Frozen implements AsyncDisposable {
  readonly #holding: Bun.Subprocess<"pipe", "pipe", "inherit">;

  private constructor(holding: Bun.Subprocess<"pipe", "pipe", "inherit">) {
    this.#holding = holding;
  }

  static async freeze(pids: readonly number[]): Promise<Frozen> {
    const argv = ["python3", "-c", HOLD, ...pids.map(String)];
    const holding = Bun.spawn(argv, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const { value } = await holding.stdout.getReader().read();
    if (value === undefined) throw new Error(`cannot hold ${pids.join(" ")}`);
    return new Frozen(holding);
  }

  async thaw(): Promise<void> {
    await this.#holding.stdin.end();
    await this.#holding.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.thaw();
  }
}
