/** Sessions worth a picture: what waits, what runs, what failed, what has ended. */
import { join } from "node:path";
import { Bench } from "../../test/support/holt.ts";

const SAMPLE = `import { items } from "./items.ts";

/** Answers with what there is; an unknown id is the caller's mistake. */
export function serve(port: number): Server {
  return Bun.serve({
    port,
    routes: {
      "/api/items": () => Response.json(items.all()),
      "/api/items/:id": ({ params }) => {
        const item = items.get(Number(params.id));
        return item === undefined ? new Response("no such item", { status: 404 }) : Response.json(item);
      },
    },
  });
}
`;

export const bench = Bench.withDaemon({
  PS1: "$ ",
  HISTFILE: "",
  LC_ALL: "C.UTF-8",
  TERM: "xterm-256color",
  LS_COLORS: "",
});

export async function household(): Promise<void> {
  const start = (name: string, project: string, ...argv: string[]): Promise<string> =>
    holt("start", "--name", name, ...(project === "" ? [] : ["--project", project]), "--size", "118x34", "--", ...argv);
  const server = `i=0; while :; do i=$((i+1)); printf '\\033[32mGET\\033[0m /api/items/%d \\033[2m200 in %d ms\\033[0m\\n' $i $((i * 7 % 90)); n=0; while [ $n -lt 20000 ]; do n=$((n+1)); done; sleep 0.3; done`;
  await start("api", "otter", "sh", "-c", server);
  await start("tests", "otter", "sh", "-c", "echo '120 passed, 3 failed'; exit 1");
  await start("deploy", "", "bash", "-c", "echo 'to production'; read -s -p 'Password: ' x");
  await start("backup", "", "sh", "-c", "echo '4.2 GiB in 31 s'");
  const build =
    "for f in serve items main; do echo \"compiled $f.ts\"; done; echo 'items.ts:3: unused import' >&2; echo built";
  await holt("start", "--no-pty", "--name", "build", "--project", "otter", "--", "sh", "-c", build);
  await Bun.write(join(bench.root, "server.ts"), SAMPLE);
  const vim = [..."vim -n -u NONE -N -i NONE -c".split(" "), "syntax on|set number laststatus=2 ruler", "server.ts"];
  await start("editor", "otter", ...vim);
  await bench.shell(
    `git init -q . && git config user.name o && git config user.email o@x && for w in 'serve items' tests 'faster start'; do git commit -q --allow-empty -m "$w"; done`,
  );
  const shell = await start("shell", "otter", "bash", "--norc", "--noprofile", "-i");
  const marks = "printf '\\033[32m✓\\033[0m %s\\n' build check test";
  for (const command of ["git log --oneline", "false", "seq 1 12 | paste -sd' '", marks]) {
    await Bun.sleep(900);
    await holt("send", shell, "--text", `${command}\n`);
  }
}

export async function holt(...args: string[]): Promise<string> {
  const { text, stderr, exitCode } = await bench.run(args);
  if (exitCode !== 0) throw new Error(`holt ${args.join(" ")}: ${stderr}`);
  return text.trim();
}
