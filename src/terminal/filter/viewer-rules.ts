/**
 * Rules for the control sequences that reach viewers' terminals. Dropped are
 * - queries, because the holder answers them, and a second answer would be typed into the program;
 * - answers that came back as an echo;
 * - sequences that act on the viewer's machine or window instead of showing something: clipboard,
 *   printer, files, fonts, user keys and macros, window size and position, and leaving UTF-8, where
 *   this filter would be blind.
 *
 * The verdict on a string is given as early as possible and never changes with what follows.
 */
import { dcsHead } from "../parser/dcs.ts";
import { oscHead } from "../parser/osc.ts";
import { asciiTable, type Sequence } from "../parser/sequence.ts";

export type FilterVerdict = "pass" | "drop" | "undecided";

export interface ViewerPermissions {
  clipboard: boolean;
}

export function filterVerdict(sequence: Sequence, allowed: ViewerPermissions): FilterVerdict {
  switch (sequence.kind) {
    case "private":
      return "drop";
    case "osc":
      return oscVerdict(sequence, allowed);
    case "dcs":
      return dcsVerdict(sequence);
    case "csi":
    case "escape":
      // Terminals ignore an interrupted sequence, but differ on what interrupts one: drop it.
      if (sequence.ended === "open" && !sequence.truncated) return "undecided";
      if (!sequence.complete || sequence.truncated) return "drop";
      return sequence.kind === "csi" ? csiVerdict(sequence) : escapeVerdict(sequence);
  }
}

/** DECID (`ESC Z`) queries the terminal's kind; `ESC % @` leaves UTF-8. */
function escapeVerdict(sequence: Sequence): FilterVerdict {
  const final = String.fromCharCode(sequence.final);
  if (final !== "Z" && final !== "@") return "pass";
  return sequence.marks === (final === "Z" ? "" : "%") ? "drop" : "pass";
}

/**
 * Keyed by marker, intermediates and final byte, wherever the marker stands, because terminals
 * differ on it.
 */
const DROPPED_CSI: ReadonlySet<string> = words([
  "c >c =c", // DA1, DA2, DA3
  "n ?n R ?R", // DSR and CPR, and their answers
  "$p ?$p $y ?$y", // DECRQM and DECRPM
  ">q ?u x", // XTVERSION, kitty's keyboard flags, DECREQTPARM
  `$w $u &u "v '| *y`, // DECRQPSR, DECRQTSR, DECRQUPSS, DECRQDE, DECRQLP, DECRQCRA
  "?S ?m ?g #R #|", // XTSMGRAPHICS, XTQMODKEYS, XTQFMTKEYS, XTREPORTCOLORS, XTREPORTSGR
  "i ?i", // media copy
  "$| *| *z", // DECSCPP, DECSNLS, DECINVM
]);

const ERASE_SCROLLBACK = 3;
const PUSH_TITLE = 22;
const POP_TITLE = 23;
/** Modes in which a terminal reports by itself: colour scheme and size. */
const REPORTING_MODES = new Set([2031, 2048]);
/**
 * VT102's answer to DA1. All other answers have several parameters; with one parameter the sequence
 * sets the cursor of the Linux console.
 */
const VT102 = 6;

/** Finals of all CSI rules, and of those without marks: most sequences need no further check. */
const JUDGED_CSI = [...DROPPED_CSI, "t", "J", "?c", "?h", "?r", "?s"];
const FINALS = asciiTable(JUDGED_CSI.map((key) => key.slice(-1)).join(""));
const PLAIN_FINALS = asciiTable(JUDGED_CSI.filter((key) => key.length === 1).join(""));

function csiVerdict(sequence: Sequence): FilterVerdict {
  const { final } = sequence;
  if (FINALS[final] === 0) return "pass";
  const { marks } = sequence;
  if (marks === "" && PLAIN_FINALS[final] === 0) return "pass";
  const key = marks + String.fromCharCode(final);
  if (DROPPED_CSI.has(key)) return "drop";
  switch (key) {
    case "t": {
      const [operation = 0] = sequence.parameters();
      return operation === PUSH_TITLE || operation === POP_TITLE ? "pass" : "drop";
    }
    case "J": // the viewer's own scrollback stays
      return sequence.parameters().includes(ERASE_SCROLLBACK) ? "drop" : "pass";
    case "?c": {
      const parameters = sequence.parameters();
      return parameters.length > 1 || parameters[0] === VT102 ? "drop" : "pass";
    }
    case "?h":
    case "?r":
    case "?s":
      return sequence.parameters().some((mode) => REPORTING_MODES.has(mode)) ? "drop" : "pass";
    default:
      return "pass";
  }
}

const DROPPED_DCS: ReadonlySet<string> = words([
  "$q +q +p", // DECRQSS, XTGETTCAP, XTSETTCAP
  "$r +r >| !|", // answers to DECRQSS, XTGETTCAP, XTVERSION, DA3
  "| { !z", // DECUDK, DECDLD, DECDMAC
  "p", // ReGIS, which can request reports, and tmux's control mode
  "t", // tmux passthrough, which would bypass this filter
]);

function dcsVerdict(sequence: Sequence): FilterVerdict {
  const head = dcsHead(sequence);
  if (head === null) return sequence.ended === "open" && !sequence.truncated ? "undecided" : "drop";
  return DROPPED_DCS.has(head.kind) ? "drop" : "pass";
}

const CLIPBOARD = new Set([52, 5522]);
/**
 * X properties, background files, log files, fonts, editor calls, and xterm's or urxvt's own state.
 */
const DROPPED_OSC = new Set([3, 20, 46, 49, 50, 51, 60, 61, 701, 702, 710, 711, 712, 713]);
/** OSC whose text is a colour or a name, or "?" as a query. */
const QUERYING_OSC = new Set([4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 104, 105, 708, 709]);
const ITERM = 1337;
const NOTIFICATION = 99;
const SHOWN_BY_ITERM = /^(CurrentDir|RemoteHost|ShellIntegrationVersion|SetUserVar|CursorShape)=|^SetMark$/;
const LONGEST_NAME = 64;
/** `?` in place of a colour, or a colour in the form used only by answers. */
const QUERY_OR_ANSWER = /(^|[;=])\?|rgba?:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}/i;
const NOTIFICATION_QUERY = /(^|:)p=\?/;

function oscVerdict(sequence: Sequence, allowed: ViewerPermissions): FilterVerdict {
  const head = oscHead(sequence);
  if (head === null) return sequence.truncated ? "drop" : "undecided";
  const { number } = head;
  // Sun's `OSC I` reads an icon from a file.
  if (number === null) return sequence.bytes[sequence.from] === 0x49 ? "drop" : "pass";
  if (DROPPED_OSC.has(number) || (CLIPBOARD.has(number) && !allowed.clipboard)) return "drop";
  const isOpen = sequence.ended === "open" && !sequence.truncated;
  const text = (): string => sequence.text(head.text);
  if (QUERYING_OSC.has(number)) {
    if (isOpen) return "undecided";
    return sequence.truncated || QUERY_OR_ANSWER.test(text()) ? "drop" : "pass";
  }
  if (CLIPBOARD.has(number)) return clipboardVerdict(text(), isOpen);
  if (number === ITERM) return nameVerdict(text(), isOpen);
  if (number === NOTIFICATION) {
    const [metadata = "", rest] = text().split(";", 2);
    if (rest === undefined && isOpen) return "undecided";
    return (rest === undefined && sequence.truncated) || NOTIFICATION_QUERY.test(metadata) ? "drop" : "pass";
  }
  return "pass";
}

/** `Pc;?` queries the clipboard. */
function clipboardVerdict(text: string, isOpen: boolean): FilterVerdict {
  const data = text.indexOf(";") + 1;
  if (isOpen && (data === 0 || data === text.length)) return "undecided";
  return data === 0 || text[data] === "?" ? "drop" : "pass";
}

function nameVerdict(text: string, isOpen: boolean): FilterVerdict {
  const decided = !isOpen || text.includes("=") || text.length > LONGEST_NAME;
  if (!decided) return "undecided";
  return SHOWN_BY_ITERM.test(text.slice(0, LONGEST_NAME)) ? "pass" : "drop";
}

function words(rows: readonly string[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => row.split(" ")));
}
