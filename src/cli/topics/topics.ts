/** Topics of `holt help` besides the commands. */
import { CURSORS } from "./cursors.ts";
import { ENVIRONMENT } from "./environment.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { SESSIONS } from "./sessions.ts";

export interface Topic {
  readonly name: string;
  readonly summary: string;
  /** Formatted as output/page.ts describes. */
  readonly text: string;
}

export const TOPICS: readonly Topic[] = [SESSIONS, CURSORS, ENVIRONMENT, EXIT_CODES];
