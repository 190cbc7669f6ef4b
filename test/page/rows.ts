/**
 * Reads the visible terminal. Code for the page is text here: these tests have no browser types.
 */
export const ROWS = `[...document.querySelectorAll(".live:not(.away) .xterm-rows > div, .past:not(.away) .xterm-rows > div")]`;
