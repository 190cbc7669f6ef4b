/** How each error of each row is brought about. A row's errors that stand neither here nor in ELSEWHERE fail the suite. */
import type { Method } from "../../src/protocol/methods/table.schema.ts";
import { ENDED, SHELL } from "./household.ts";

const UNKNOWN = { session_id: "nosuch" };

const NO_COMMAND = { argv: ["/no/such/command"] };
const NOT_EXECUTABLE = { argv: ["/etc/passwd"] };

type Provoked = { readonly [M in Method]?: Readonly<Record<string, object>> };

export const PROVOKED: Provoked = {
  "session.start": {
    EEXISTS: { session_id: ENDED, argv: ["true"] },
    ENOTFOUND: { argv: ["/no/such/command"] },
    EDENIED: { argv: ["/etc/passwd"] },
  },
  "session.get": { ENOTFOUND: UNKNOWN },
  "session.read": { ENOTFOUND: UNKNOWN },
  "session.wait": { ENOTFOUND: UNKNOWN },
  "session.search": { ENOTFOUND: { query: "x", after: { ...UNKNOWN, cursor: "0" } } },
  "session.export": { ENOTFOUND: UNKNOWN },
  "session.subscribe": { ENOTFOUND: UNKNOWN },
  "session.send": { ENOTFOUND: { ...UNKNOWN, text: "x" }, ESESSIONCLOSED: { session_id: ENDED, text: "x" } },
  "session.attach": { ENOTFOUND: UNKNOWN, ESESSIONCLOSED: { session_id: ENDED } },
  "session.exec": {
    ENOTFOUND: { ...UNKNOWN, command: "true" },
    ESESSIONCLOSED: { session_id: ENDED, command: "true" },
  },
  "session.commands": { ENOTFOUND: UNKNOWN },
  "session.screen": { ENOTFOUND: UNKNOWN },
  "session.replay": { ENOTFOUND: UNKNOWN },
  "session.timeline": { ENOTFOUND: UNKNOWN },
  "web.ticket": { ENOTFOUND: UNKNOWN },
  "token.create": { ENOTFOUND: UNKNOWN },
  "token.rotate": { ENOTFOUND: { token_id: "tnosuch" } },
  "session.clients": { ENOTFOUND: UNKNOWN },
  "session.detach": {
    ENOTFOUND: { ...UNKNOWN, client_id: "c1" },
    ESESSIONCLOSED: { session_id: ENDED, client_id: "c1" },
  },
  "session.resize": {
    ENOTFOUND: { ...UNKNOWN, cols: 80, rows: 24 },
    ESESSIONCLOSED: { session_id: ENDED, cols: 80, rows: 24 },
  },
  "session.signal": {
    ENOTFOUND: { ...UNKNOWN, signal: "SIGINT" },
    ESESSIONCLOSED: { session_id: ENDED, signal: "SIGINT" },
  },
  "session.stop": { ENOTFOUND: UNKNOWN },
  "session.kill": { ENOTFOUND: UNKNOWN },
  "session.remove": { ENOTFOUND: UNKNOWN, EBUSY: { session_id: SHELL } },
  "shell.run": { ENOTFOUND: NO_COMMAND, EDENIED: NOT_EXECUTABLE },
  "exec.run": {
    ENOTFOUND: { args: NO_COMMAND.argv },
    EDENIED: { args: NOT_EXECUTABLE.argv },
    EEXISTS: { session_id: ENDED, args: ["true"] },
  },
  "exec.run_background": {
    ENOTFOUND: { args: NO_COMMAND.argv },
    EDENIED: { args: NOT_EXECUTABLE.argv },
    EEXISTS: { session_id: ENDED, args: ["true"] },
  },
  "exec.status": { ENOTFOUND: UNKNOWN },
  "exec.cancel": { ENOTFOUND: UNKNOWN },
  "exec.output": { ENOTFOUND: UNKNOWN },
  "pty.open": { ENOTFOUND: NO_COMMAND, EDENIED: NOT_EXECUTABLE },
  "pty.send": { ENOTFOUND: { id: "nosuch", data: "eA==" }, ESESSIONCLOSED: { id: ENDED, data: "eA==" } },
  "pty.read": { ENOTFOUND: { id: "nosuch" } },
  "pty.resize": {
    ENOTFOUND: { id: "nosuch", cols: 80, rows: 24 },
    ESESSIONCLOSED: { id: ENDED, cols: 80, rows: 24 },
  },
  "pty.signal": { ENOTFOUND: { id: "nosuch", signal: "INT" }, ESESSIONCLOSED: { id: ENDED, signal: "INT" } },
  "pty.close": { ENOTFOUND: { id: "nosuch" } },
  "fs.write_file": {
    ENOTFOUND: { path: "/tmp/no/such/directory/file", data: "" },
    EDENIED: { path: "/etc/passwd", data: "" },
  },
  "fs.read_file": { ENOTFOUND: { path: "/tmp/no/such/file" }, EDENIED: { path: "/etc/passwd" } },
  "fs.list": { ENOTFOUND: { path: "/tmp/no/such/directory" }, EDENIED: { path: "/etc" } },
  "session.rename": {
    ENOTFOUND: { ...UNKNOWN, name: "x" },
    ESESSIONCLOSED: { session_id: ENDED, name: "x" },
  },
};

/** Errors that no parameters bring about, and where they are tested. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  "* EIO":
    "a state directory or a holder that does not let itself be used: test/daemon/recovery, test/cli/state-errors, test/chaos",
  "* EBUSY": "no holder can be started: test/daemon/cold-start",
  "* EDENIED":
    "a session directory that leads elsewhere: test/transcript/path-safety; the policy: test/policy/gate, test/policy/others",
  "* ERLIMIT": "the policy: test/policy/gate",
  "session.send EDENIED": "a `holt run` that is not shared: test/e2e/drive",
  "session.resize EDENIED": "the same",
  "session.send EBUSY": "another has the lease: test/e2e/attach",
  "session.export EEXISTS": "a file that is there: test/daemon/search-export",
  "session.export ERLIMIT": "more than an answer takes: test/daemon/search-export",
  "session.subscribe ERLIMIT": "test/daemon/subscriptions",
  "web.start EBUSY": "a port that another program has: test/http/web-command",
  "web.start EDENIED": "an address that others can reach: test/http/listening",
  "token.create ERLIMIT": "more keys than are kept: test/http/keys",
  "exec.run_background ERLIMIT": "test/daemon/notifications",
};
