/** `holt/client`: the daemon's methods, typed, for Bun and Node. */
export {
  type CallOptions,
  type Change,
  connect,
  type ConnectOptions,
  type FollowOptions,
  HoltClient,
  type Output,
} from "./holt-client.ts";
export { type ErrorCode, HoltError } from "../protocol/errors.ts";
export type { Methods, Notifications, Session } from "./methods.ts";
