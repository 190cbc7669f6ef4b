/** A handler for each row of the table: a missing one does not compile. */
import type { Method, Parsed, Result } from "../protocol/table.schema.ts";
import * as daemon from "./handlers/daemon.ts";
import * as control from "./handlers/control.ts";
import * as reading from "./handlers/reading.ts";
import * as screen from "./handlers/screen.ts";
import * as searching from "./handlers/search.ts";
import { start } from "./handlers/start.ts";
import { wait } from "./handlers/wait.ts";
import type { CallContext } from "./household.ts";

export type Handler<M extends Method> = (params: Parsed<M>, context: CallContext) => Result<M> | Promise<Result<M>>;

export const HANDLERS: { readonly [M in Method]: Handler<M> } = {
  "session.start": start,
  "session.list": reading.list,
  "session.get": reading.get,
  "session.read": reading.read,
  "session.wait": wait,
  "session.search": searching.search,
  "session.export": searching.exported,
  "session.send": control.send,
  "session.screen": screen.screen,
  "session.clients": screen.clients,
  "session.detach": screen.detach,
  "session.resize": control.resize,
  "session.signal": control.signal,
  "session.stop": control.stop,
  "session.kill": control.kill,
  "session.remove": control.remove,
  "session.rename": control.rename,
  "health.info": daemon.info,
  "daemon.shutdown": daemon.shutdown,
};
