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

export function inCommands(hint: string): string {
  return hint
    .replaceAll(/session\.wait \{"until": "(\w+)"\}/g, "`holt wait ID --until $1`")
    .replaceAll(/session\.send \{"keys": \["([\w-]+)"\]\}/g, "`holt send ID --keys $1`")
    .replaceAll(/session\.start \{"argv": \["(\w+)"\]\}/g, "`holt start -- $1`")
    .replaceAll(/session\.(\w+) \{"session_id": "([^"]+)"\}/g, (whole, method: string, id: string) =>
      method in VERBS ? `\`holt ${VERBS[method]} ${id}\`` : whole,
    )
    .replaceAll(/\bsession\.(\w+)\b/g, (whole, method: string) =>
      method in VERBS ? `\`holt ${VERBS[method]}\`` : whole,
    );
}
