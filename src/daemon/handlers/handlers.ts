/** Maps each method of the table to its handler; a method without a handler does not compile. */
import type { Method, Parsed, Result } from "../../protocol/methods/table.schema.ts";
import * as attach from "./attach.ts";
import * as daemon from "./daemon.ts";
import * as control from "./control.ts";
import * as exec from "./exec.ts";
import * as fs from "./fs.ts";
import * as pty from "./pty.ts";
import * as reading from "./reading.ts";
import { screen } from "./screen.ts";
import { shellRun } from "./shell-run.ts";
import * as sessionExec from "./session-exec.ts";
import * as search from "./search.ts";
import { start } from "./start.ts";
import { subscribe, unsubscribe } from "./subscribe.ts";
import { wait } from "./wait.ts";
import * as watching from "./watching.ts";
import * as web from "./web.ts";
import type { CallContext } from "../daemon-context.ts";

export type Handler<M extends Method> = (params: Parsed<M>, context: CallContext) => Result<M> | Promise<Result<M>>;

export const HANDLERS: { readonly [M in Method]: Handler<M> } = {
  "session.start": start,
  "session.list": reading.list,
  "session.get": reading.get,
  "session.read": reading.read,
  "session.wait": wait,
  "session.subscribe": subscribe,
  "session.unsubscribe": unsubscribe,
  "session.search": search.search,
  "session.export": search.exportSession,
  "session.send": control.send,
  "session.exec": sessionExec.exec,
  "session.commands": sessionExec.commands,
  "session.attach": attach.attach,
  "session.screen": screen,
  "session.replay": watching.replay,
  "session.timeline": watching.timeline,
  "session.activity": watching.activity,
  "session.clients": attach.clients,
  "session.detach": attach.detach,
  "session.resize": control.resize,
  "session.signal": control.signal,
  "session.stop": control.stop,
  "session.kill": control.kill,
  "session.remove": control.remove,
  "session.rename": control.rename,
  "shell.run": shellRun,
  "exec.run": exec.run,
  "exec.run_background": exec.runBackground,
  "exec.status": exec.status,
  "exec.cancel": exec.cancel,
  "exec.output": exec.output,
  "pty.open": pty.open,
  "pty.send": pty.send,
  "pty.read": pty.read,
  "pty.resize": pty.resize,
  "pty.signal": pty.signal,
  "pty.close": pty.close,
  "fs.write_file": fs.writeFile,
  "fs.read_file": fs.readFile,
  "fs.list": fs.list,
  "web.start": web.start,
  "web.stop": web.stop,
  "web.ticket": web.ticket,
  "token.create": web.createToken,
  "token.list": web.listTokens,
  "token.rotate": web.rotateToken,
  "token.revoke": web.revokeToken,
  "health.info": daemon.info,
  "daemon.shutdown": daemon.shutdown,
};
