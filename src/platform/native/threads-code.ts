/** Written by scripts/native from native/threads.c: do not edit. */
export const THREADS = {
  x64: {
    code:
      "QVZJiflMjXcgQVVBvQ8BAABBVEG8AQAAAFVIjW8IUzHbSWNxGEUx0kG4CAAAAEyJ6EyJ90iJ2g8FRTHASWN5ELoIAAAATIngTInO" +
      "DwVJY3kUSInYSInuDwXrxEUx0kUxwLgBAAAAuoAAAABIYz0GAAAADwXDAAAA/////w==",
    poll_thread: 0,
    on_signal: 91,
    signal_pipe: 120,
  },
  arm64: {
    code:
      "5QMAqgeAAJEGIACRoRiAueADB6ooCYDSAgCA0gMAgNIEAYDSAQAA1AgIgNLiAwSqoBCAueEDBaoEAIDSAQAA1OgHgNKgFIC54QMG" +
      "qgEAANTv//8XAAAAkAgIgNICEIDSAwCA0gB0gLkEAIDSAQAA1MADX9b/////",
    poll_thread: 0,
    on_signal: 84,
    signal_pipe: 116,
  },
};
