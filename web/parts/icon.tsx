/** The page's icons, drawn as paths so that they look the same everywhere. */
const PATHS = {
  panel: "M2.5 3.5h11v9h-11zM6.5 3.5v9",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1",
  moon: "M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  play: "M5 3.2v9.6l7.5-4.8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  before: "M10.5 3.5 6 8l4.5 4.5",
  after: "M5.5 3.5 10 8l-4.5 4.5",
  up: "M3.5 10 8 5.5l4.5 4.5",
  down: "M3.5 6 8 10.5 12.5 6",
  close: "M4 4l8 8M12 4l-8 8",
  help: "M6 6.1a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 12h.01",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
