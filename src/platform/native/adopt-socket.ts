/**
 * Gives a connected socket to the runtime's loop, which closes it in the end. It takes them, though its types do not say so.
 * Half open: who sends its question and closes its own side (`echo … | nc -U`) is still there for the answer.
 */
export function adoptSocket<Data = undefined>(
  fd: number,
  socket: Bun.SocketHandler<Data>,
  { halfOpen = true } = {},
): Promise<Bun.Socket<Data>> {
  return Bun.connect<Data>({ fd, socket, allowHalfOpen: halfOpen } as unknown as Bun.UnixSocketOptions<Data>);
}
