/** What a hint of the daemon or of a holder says in the words of the protocol, in those of the command line. */
const VERBS: Readonly<Record<string, string>> = {
  list: "ls",
  get: "show",
  read: "logs",
  remove: "rm",
  start: "start",
  wait: "wait",
  send: "send",
  exec: "exec",
  screen: "screen",
  stop: "stop",
};

/** `reference`: what the session was called by, where one is meant. What is written for `holt call` is in methods, and stays so. */
export function inCommands(hint: string, reference = "ID"): string {
  return hint
    .replaceAll(/session\.wait \{"until": "(\w+)"\}/g, (_, until) => `\`holt wait ${reference} --until ${until}\``)
    .replaceAll(/session\.send \{"keys": \["([\w-]+)"\]\}/g, (_, keys) => `\`holt send ${reference} --keys ${keys}\``)
    .replaceAll(/session\.start \{"argv": \["(\w+)"\]\}/g, "`holt start -- $1`")
    .replaceAll(/session\.(\w+) \{"session_id": "([^"]+)"\}/g, (whole, method: string, id: string) =>
      method in VERBS ? `\`holt ${VERBS[method]} ${id}\`` : whole,
    )
    .replaceAll(/(?<!holt call )\bsession\.(\w+)\b/g, (whole, method: string) =>
      method in VERBS ? `\`holt ${VERBS[method]}\`` : whole,
    );
}
