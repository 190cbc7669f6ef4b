import { DEFAULT_MAX_CLIENTS, type InputSharing, type SizeRule } from "../protocol/attach.ts";

/** How several share a session. */
export interface Sharing {
  maxClients: number;
  sizeRule: SizeRule;
  input: InputSharing;
}

export const DEFAULT_SHARING: Sharing = { maxClients: DEFAULT_MAX_CLIENTS, sizeRule: "smallest", input: "shared" };
