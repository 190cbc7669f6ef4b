/** `holt/client`: the daemon's methods with types, for Bun and Node. */
export {
  type Background,
  type BackgroundParams,
  type CallOptions,
  type Change,
  connect,
  type ConnectOptions,
  type ExecNotification,
  type FollowOptions,
  HoltClient,
  type Output,
} from "./holt-client.ts";
export { type ErrorCode, HoltError } from "../protocol/types/errors.ts";
export type { Methods, Notifications, Session } from "./methods.ts";
export type { Notification, Subscription } from "./notifications.ts";
