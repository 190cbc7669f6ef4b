export interface Resize {
  /** What was printed from here on was printed on a screen of that size. */
  cursor: number;
  cols: number;
  rows: number;
}
