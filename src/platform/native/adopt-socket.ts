/**
 * Hands a connected socket to the runtime's loop, which closes it. Bun.connect accepts `fd`,
 * although its types lack it. Half open: a client may send its request, close its side (`echo … |
 * nc -U`), and still read the answer.
 */
export function adoptSocket<Data = undefined>(
  fd: number,
  socket: Bun.SocketHandler<Data>,
  { halfOpen = true } = {},
): Promise<Bun.Socket<Data>> {
  return Bun.connect<Data>({ fd, socket, allowHalfOpen: halfOpen } as unknown as Bun.UnixSocketOptions<Data>);
}
