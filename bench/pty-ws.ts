/**
 * The least that serves a terminal to a browser in this runtime, in the shape of ttyd's protocol: a program for each WebSocket, its output as binary messages, what is
 * typed as messages. And beside it a WebSocket that sends back what it gets, and a request that is answered with a constant. Nothing is kept, checked or shared.
 *
 * pty-ws COMMAND...: prints its port.
 */
const argv = process.argv.slice(2);
const decoder = new TextDecoder();

interface Data {
  isEcho: boolean;
  terminal: Bun.Terminal | null;
  waiting: (() => void) | null;
}

const server = Bun.serve<Data>({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request, own) {
    const isEcho = new URL(request.url).pathname === "/echo";
    if (own.upgrade(request, { data: { isEcho, terminal: null, waiting: null } })) return undefined;
    return Response.json({ apiVersion: "1.0", data: { status: "ok" } });
  },
  websocket: {
    open(socket) {
      if (socket.data.isEcho) return;
      const proc = Bun.spawn(argv, {
        terminal: { cols: 80, rows: 24, data: (_, bytes) => void socket.sendBinary(bytes) },
      });
      socket.data.terminal = proc.terminal ?? null;
      void proc.exited.then(() => socket.close());
    },
    message(socket, message) {
      if (socket.data.isEcho) socket.send(message);
      else socket.data.terminal?.write(typeof message === "string" ? message : decoder.decode(message));
    },
  },
});
console.log(server.port);
