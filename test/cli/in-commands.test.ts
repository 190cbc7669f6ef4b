/** Hints of holders and of the daemon, in commands instead of methods. */
import { expect, test } from "bun:test";
import { hintInCommands } from "../../src/cli/output/report-error.ts";

/** A hint of `holt exec` named the method session.wait, which is no command. */
test("Methods in hints are replaced by commands.", () => {
  expect(
    hintInCommands('session.wait {"until": "prompt"} first, or end what runs: session.send {"keys": ["ctrl-c"]}'),
  ).toBe("`holt wait ID --until prompt` first, or end what runs: `holt send ID --keys ctrl-c`");
  expect(hintInCommands('session.wait {"until": "prompt"} first', "work")).toBe(
    "`holt wait work --until prompt` first",
  );
  // The method in a `holt call` line was replaced too.
  const line = `e.g. holt call session.get '{"session_id":"k3f9q2"}'`;
  expect(hintInCommands(line)).toBe(line);
  expect(hintInCommands('session.read {"session_id": "a1"} shows what it printed')).toBe(
    "`holt logs a1` shows what it printed",
  );
  expect(hintInCommands('on a terminal: session.start {"argv": ["bash"]}')).toBe("on a terminal: `holt start -- bash`");
  expect(hintInCommands("session.get shows when it starts; session.stop cancels it")).toBe(
    "`holt show` shows when it starts; `holt stop` cancels it",
  );
  expect(hintInCommands("sessions.retention_seconds, session.subscribe and `holt ls` stay as they are")).toBe(
    "sessions.retention_seconds, session.subscribe and `holt ls` stay as they are",
  );
});
