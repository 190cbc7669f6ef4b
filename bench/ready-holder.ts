/** What the least sessions have in common: a daemon with one holder ready, which is this very program without words, waits for a line on its stdin, and tells on its stdout what comes of it. */
const make = () => Bun.spawn([process.execPath], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });

/** One message of a client. */
export interface Message {
  text: string;
  /** That no other session has; it is not there yet. */
  directory: string;
  /** What is to be held; then what is told of it. */
  hold: (asked: object) => AsyncIterable<Uint8Array>;
  answer: (text: string | Uint8Array) => void;
}

export function serve(unix: string, sessions: string, handle: (message: Message) => Promise<void>): void {
  let ready = make();
  let number = 0;
  Bun.listen({
    unix,
    socket: {
      async data(client, bytes) {
        const holder = ready;
        await handle({
          text: bytes.toString(),
          directory: `${sessions}/${++number}`,
          hold(asked) {
            void holder.stdin.write(`${JSON.stringify(asked)}\n`);
            void holder.stdin.flush();
            return holder.stdout;
          },
          answer: (text) => void client.write(text),
        });
        ready = make();
      },
    },
  });
}
