/** The messages at the bottom of the page. */
import { Icon } from "./icon.tsx";
import { dismiss, toasts } from "../state/toast.ts";

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, hint, look, undo }) => (
        <div key={id} class={`toast ${look}`}>
          <p>
            {text}
            {hint === null ? null : <span class="hint">{hint}</span>}
          </p>
          {undo === null ? null : (
            <button type="button" class="accent" onClick={undo}>
              Undo
            </button>
          )}
          <button type="button" class="quiet square" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
