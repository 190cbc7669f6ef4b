import { Dialog } from "./dialog.tsx";

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl/Cmd K", "everything: sessions and what can be done"],
  ["/", "filter the list; Enter searches all output"],
  ["j  k", "down and up the list"],
  ["Enter", "open"],
  ["n", "new session"],
  ["b", "hide or show the list"],
  ["Ctrl/Cmd Shift F", "find in the terminal"],
  ["Ctrl/Cmd Shift E", "from the terminal to the list"],
  ["← → Home", "on the timeline: travel"],
  ["[  ]", "in the past: a command back, a command on"],
  ["Space", "in the past: play and pause"],
  ["End  Esc", "in the past: back to now"],
  ["?", "this list"],
];

export function Keys() {
  return (
    <Dialog title="Keys" look="centre">
      <dl class="keylist">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="note">In the terminal every other key is the program's.</p>
    </Dialog>
  );
}
