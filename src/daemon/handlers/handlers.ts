/** Maps each method of the table to its handler; a missing one does not compile. */
import type { Method, Parsed, Result } from "../../protocol/methods/table.schema.ts";
import { attach } from "./attach.ts";
import * as daemon from "./daemon.ts";
import * as control from "./control.ts";
import * as exec from "./exec.ts";
import * as fs from "./fs.ts";
import * as pty from "./pty.ts";
import * as reading from "./reading.ts";
import * as screen from "./screen.ts";
import { shellRun } from "./shell-run.ts";
import * as shell from "./shell.ts";
import * as searching from "./search.ts";
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
  "session.search": searching.search,
  "session.export": searching.exportSession,
  "session.send": control.send,
  "session.exec": shell.exec,
  "session.commands": shell.commands,
  "session.attach": attach,
  "session.screen": screen.screen,
  "session.replay": watching.replay,
  "session.timeline": watching.timeline,
  "session.activity": watching.activity,
  "session.clients": screen.clients,
  "session.detach": screen.detach,
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
