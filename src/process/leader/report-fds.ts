/**
 * Numbers that are hardly ever handed to a command: above those of a shell's process substitutions (63 and below), and below 100, which is a
 * low limit. The native leader has them too.
 */
export const REPORT_FD = 90;
export const ORDER_FD = 91;
/** Where stderr is no terminal: the pipe that takes its place. */
export const STDERR_FD = 92;
/** The cgroup.procs of the control group that the command is to be in. */
export const GROUP_FD = 93;
