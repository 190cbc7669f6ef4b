/** The list without sessions: commands to start one. */
import { copy } from "../state/actions.ts";

const EXAMPLES = [
  ["holt run -- npm test", "runs in your terminal and records its output"],
  ["holt start --name web -- npm run dev", "runs in the background"],
  ["holt start --name shell -- bash", "a shell that you can detach from and come back to"],
] as const;

export function EmptyList() {
  return (
    <div class="empty">
      <p>No sessions yet. Run one of these in a terminal; it appears here.</p>
      {EXAMPLES.map(([line, meaning]) => (
        <button type="button" key={line} class="try" onClick={() => void copy(line, "Command")}>
          <code>{line}</code>
          <span>{meaning}</span>
        </button>
      ))}
    </div>
  );
}
