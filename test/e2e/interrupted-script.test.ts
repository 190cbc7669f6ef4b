import { describe, expect, test } from "bun:test";
import { Bench } from "../support/holt.ts";
import { prompt } from "../support/prompt.ts";

/** Found by a newcomer: a loop of `holt run` in a script could not be stopped, as Ctrl-C ended only the command. */
describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("Ctrl-C in a command that a script runs, %s,", (_, extra: Record<string, string>) => {
  const READY = `"$HOLT" run -- sh -c "echo rea\\"\\"dy; exec sleep 20"`;

  test.each([
    ["ends the script", `bash -c '${READY}; echo no'`, "code 130"],
    ["ends its loop", `bash -c 'while :; do ${READY}; echo no; done'`, "code 130"],
    ["runs its trap", `bash -c 'trap "echo cleaned; exit 3" INT; ${READY}; echo no'`, "code 3"],
  ])("%s", async (_title, line, expected) => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    user.type(`${line}\n`);
    await user.sees("ready\r\n");
    const from = user.text.length;
    user.type("\x03");
    await user.sees("prompt> ", { from });
    user.type('echo "code $?"\n');
    await user.sees(expected, { from });
    expect(user.text).not.toContain("no\r\n");
    user.type("exit\n");
    await user.exit();
  });

  test("lets the script go on when the command catches it and does well", async () => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    const command = `"$HOLT" run -- bash -c "trap \\"exit 0\\" INT; echo rea\\"\\"dy; while :; do sleep 0.05; done"`;
    user.type(`bash -c '${command}; echo we""nt on'\n`);
    await user.sees("ready\r\n");
    user.type("\x03");
    await user.sees("went on");
    user.type("exit\n");
    await user.exit();
  });

  test("in a job of a shell under holt is that job's alone", async () => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    user.type(`bash -c '"$HOLT" run -- env PS1="inner> " bash --norc -i; echo "came ba""ck $?"'\n`);
    await user.sees("inner> ");
    user.type(`sh -c 'echo rea""dy; exec sleep 20'\n`);
    await user.sees("ready\r\n");
    const from = user.text.length;
    user.type("\x03");
    await user.sees("inner> ", { from });
    user.type("exit 5\n");
    await user.sees("came back 5");
    user.type("exit\n");
    await user.exit();
  });
});
