/** Answers to queries that do not depend on the screen. */
import { bytesOf } from "../../protocol/types/bytes.ts";

const CSI = "\x1b[";
const DCS = "\x1bP";
const ST = "\x1b\\";

/** A VT220 with colours. */
const DEVICE_ATTRIBUTES = `${CSI}?62;22c`;
/**
 * A VT220 with the features of xterm 388: programs infer SGR mouse reports and the like from this
 * number.
 */
const SECONDARY_ATTRIBUTES = `${CSI}>1;388;0c`;
const TERTIARY_ATTRIBUTES = `${DCS}!|00000000${ST}`;

export const deviceAttributes = bytesOf(DEVICE_ATTRIBUTES);
export const secondaryAttributes = bytesOf(SECONDARY_ATTRIBUTES);
export const tertiaryAttributes = bytesOf(TERTIARY_ATTRIBUTES);
export const operatingStatus = bytesOf(`${CSI}0n`);
export const unknownSetting = bytesOf(`${DCS}0$r${ST}`);

/** DSR for DEC's devices, all absent. */
const DEVICES: ReadonlyMap<number, string> = new Map([
  [15, "13"], // printer: none
  [25, "20"], // user keys: not locked
  [26, "27;1;0;0"], // keyboard: North American
  [53, "50"], // locator: none
  [55, "50"],
  [56, "57;0"], // kind of locator: unknown
  [75, "70"], // data integrity: no errors
  [85, "83"], // multiple sessions: not configured
]);

export function deviceStatus(device: number): Uint8Array | null {
  const status = DEVICES.get(device);
  return status === undefined ? null : bytesOf(`${CSI}?${status}n`);
}

export function colorScheme(dark: boolean): Uint8Array {
  return bytesOf(`${CSI}?997;${dark ? 1 : 2}n`);
}

export function keyboardFlags(flags: number): Uint8Array {
  return bytesOf(`${CSI}?${flags}u`);
}

export function modeReport(mode: number, value: number): Uint8Array {
  return bytesOf(`${CSI}?${mode};${value}$y`);
}

export function terminalVersion(version: string): Uint8Array {
  return bytesOf(`${DCS}>|holt(${version})${ST}`);
}

/** `subject` is the OSC's number, followed by the palette index for OSC 4. */
export function colorReport(subject: string, color: string, terminator: "bel" | "st"): Uint8Array {
  return bytesOf(`\x1b]${subject};${color}${terminator === "bel" ? "\x07" : ST}`);
}

/**
 * One answer per name, so that an unknown name does not hide the others. Names are in hexadecimal.
 */
export function capabilities(names: string, term: string): Uint8Array {
  const known: Record<string, string> = { TN: term, name: term, Co: "256", colors: "256", RGB: "8/8/8" };
  const answers = names.split(";").map((hex) => {
    const name = /^([0-9a-f]{2})+$/i.test(hex) ? String.fromCharCode(...Uint8Array.fromHex(hex)) : "";
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    return value === undefined
      ? `${DCS}0+r${hex}${ST}`
      : `${DCS}1+r${hex}=${bytesOf(value).toHex().toUpperCase()}${ST}`;
  });
  return bytesOf(answers.join(""));
}
