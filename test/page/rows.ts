/** Of the terminal that is shown. What runs in the page is text here: the types of a browser are not those of these tests. */
export const ROWS = `[...document.querySelectorAll(".live:not(.away) .xterm-rows > div, .past:not(.away) .xterm-rows > div")]`;
