/** Keys that a phone's keyboard lacks. */
import { signal } from "@preact/signals";
import { notifyError } from "../state/toast.ts";
import { currentScreen } from "./current-screen.ts";

const KEYS: readonly (readonly [label: string, name: string, bytes: () => string])[] = [
  ["Esc", "Esc", () => "\x1b"],
  ["Tab", "Tab", () => "\t"],
  ["↑", "Up", () => arrow("A")],
  ["↓", "Down", () => arrow("B")],
  ["←", "Left", () => arrow("D")],
  ["→", "Right", () => arrow("C")],
];

/** An arrow key in the cursor key mode of the terminal. */
function arrow(letter: string): string {
  return `\x1b${currentScreen()?.terminal.modes.applicationCursorKeysMode === true ? "O" : "["}${letter}`;
}

const isCtrl = signal(false);

/** Applies the held Ctrl key of this row to the next key. */
export function withCtrl(bytes: Uint8Array): Uint8Array {
  const [first = 0] = bytes;
  const letter = first & 0x5f;
  if (!isCtrl.peek() || bytes.length !== 1 || letter < 0x40 || letter > 0x5f) return bytes;
  isCtrl.value = false;
  return Uint8Array.of(letter & 0x1f);
}

export function KeyRow({ press }: { press: (bytes: Uint8Array) => void }) {
  const send = (text: string): void => press(new TextEncoder().encode(text));
  return (
    <div class="keys" role="toolbar" aria-label="Keys">
      {KEYS.map(([label, name, bytes]) => (
        <button type="button" key={label} aria-label={name} onClick={() => send(bytes())}>
          {label}
        </button>
      ))}
      <button type="button" aria-pressed={isCtrl.value} onClick={() => (isCtrl.value = !isCtrl.value)}>
        Ctrl
      </button>
      {isCtrl.value
        ? ["C", "D", "Z", "L", "R"].map((letter) => (
            <button
              type="button"
              key={letter}
              aria-label={`Control ${letter}`}
              onClick={() => {
                send(String.fromCharCode(letter.charCodeAt(0) - 64));
                isCtrl.value = false;
              }}
            >
              ^{letter}
            </button>
          ))
        : null}
      <button
        type="button"
        onClick={() => {
          const paste = (text: string): void => currentScreen()?.terminal.paste(text);
          navigator.clipboard.readText().then(paste, notifyError);
        }}
      >
        Paste
      </button>
    </div>
  );
}
