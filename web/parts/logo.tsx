/** The logo: an otter's den. */
export function Logo() {
  return (
    <svg class="den" viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <path d="M5 25c0-8 5-14 11-14s11 6 11 14" />
      <path d="M12 25c0-3 1.8-5 4-5s4 2 4 5" />
    </svg>
  );
}
