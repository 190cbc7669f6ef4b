import { copy } from "../state/actions.ts";

const LINES = [
  ["holt run -- npm test", "runs it as you know it, and keeps every byte"],
  ["holt start --name web -- npm run dev", "runs it in the background"],
  ["holt start --name shell -- bash", "a shell that you can leave and come back to"],
] as const;

export function Empty() {
  return (
    <div class="empty">
      <p>Nothing runs yet. In a terminal, try one of these; it shows up here by itself.</p>
      {LINES.map(([line, says]) => (
        <button type="button" key={line} class="try" onClick={() => void copy(line, "Command")}>
          <code>{line}</code>
          <span>{says}</span>
        </button>
      ))}
    </div>
  );
}
