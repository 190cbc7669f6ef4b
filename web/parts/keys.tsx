/** The list of keyboard shortcuts. */
import { Dialog } from "./dialog.tsx";

const KEYS: readonly (readonly [keys: string, action: string])[] = [
  ["Ctrl/Cmd K", "palette: sessions and actions"],
  ["/", "filter the list; Enter searches all output"],
  ["j  k", "next and previous session in the list"],
  ["Enter", "open"],
  ["n", "new session"],
  ["b", "hide or show the list"],
  ["Ctrl/Cmd Shift F", "find in the terminal"],
  ["Ctrl/Cmd Shift E", "move from the terminal to the list"],
  ["← → Home", "on the timeline: move"],
  ["[  ]", "in the past: previous, next command"],
  ["Space", "in the past: play and pause"],
  ["End  Esc", "in the past: back to now"],
  ["?", "this list"],
];

export function Keys() {
  return (
    <Dialog title="Keys" look="centre">
      <dl class="keylist">
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <p class="note">In the terminal all other keys go to the program.</p>
    </Dialog>
  );
}
