/** The protocol table: every method is a row. */
import type * as z from "zod";
import { daemonShutdown, healthInfo } from "./rows/daemon.schema.ts";
import { execCancel, execOutput, execRun, execRunBackground, execStatus } from "./rows/exec.schema.ts";
import { fsList, fsReadFile, fsWriteFile } from "./rows/fs.schema.ts";
import { ptyClose, ptyOpen, ptyRead, ptyResize, ptySend, ptySignal } from "./rows/pty.schema.ts";
import {
  sessionKill,
  sessionRemove,
  sessionRename,
  sessionResize,
  sessionSignal,
  sessionStop,
} from "./rows/session-control.schema.ts";
import { sessionAttach } from "./rows/session-attach.schema.ts";
import { sessionCommands, sessionExec } from "./rows/session-exec.schema.ts";
import { sessionExport } from "./rows/session-export.schema.ts";
import { sessionGet } from "./rows/session-get.schema.ts";
import { sessionList } from "./rows/session-list.schema.ts";
import { sessionRead } from "./rows/session-read.schema.ts";
import { sessionClients, sessionDetach, sessionScreen } from "./rows/session-screen.schema.ts";
import { sessionSearch } from "./rows/session-search.schema.ts";
import { sessionSend } from "./rows/session-send.schema.ts";
import { sessionStart } from "./rows/session-start.schema.ts";
import { sessionSubscribe, sessionUnsubscribe } from "./rows/session-subscribe.schema.ts";
import { sessionActivity, sessionReplay, sessionTimeline } from "./rows/session-activity.schema.ts";
import { sessionWait } from "./rows/session-wait.schema.ts";
import { shellRun } from "./rows/shell-run.schema.ts";
import { tokenCreate, tokenList, tokenRevoke, tokenRotate, webStart, webStop, webTicket } from "./rows/web.schema.ts";

const ROWS = [
  sessionStart,
  sessionList,
  sessionGet,
  sessionRead,
  sessionWait,
  sessionSubscribe,
  sessionUnsubscribe,
  sessionSearch,
  sessionExport,
  sessionSend,
  sessionExec,
  sessionCommands,
  sessionAttach,
  sessionScreen,
  sessionReplay,
  sessionTimeline,
  sessionActivity,
  sessionClients,
  sessionDetach,
  sessionResize,
  sessionSignal,
  sessionStop,
  sessionKill,
  sessionRemove,
  sessionRename,
  shellRun,
  execRun,
  execRunBackground,
  execStatus,
  execCancel,
  execOutput,
  ptyOpen,
  ptySend,
  ptyRead,
  ptyResize,
  ptySignal,
  ptyClose,
  fsWriteFile,
  fsReadFile,
  fsList,
  webStart,
  webStop,
  webTicket,
  tokenCreate,
  tokenList,
  tokenRotate,
  tokenRevoke,
  healthInfo,
  daemonShutdown,
] as const;

export type AnyRow = (typeof ROWS)[number];

export type Method = AnyRow["name"];
export type RowOf<M extends Method> = Extract<AnyRow, { name: M }>;

/** Parameters as a client sends them. */
export type Params<M extends Method> = z.input<RowOf<M>["params"]>;
/** Parameters as a handler gets them: validated, with defaults. */
export type Parsed<M extends Method> = z.output<RowOf<M>["params"]>;
export type Result<M extends Method> = z.output<RowOf<M>["result"]>;

export const TABLE: ReadonlyMap<string, AnyRow> = new Map(ROWS.map((row) => [row.name, row]));
