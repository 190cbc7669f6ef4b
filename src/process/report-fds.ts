/** Numbers that hardly anybody hands to a command; the native leader has them too. */
export const REPORT_FD = 243;
export const ORDER_FD = 244;
/** Where stderr is no terminal: the pipe that takes its place. */
export const STDERR_FD = 245;
/** The cgroup.procs of the control group that the command is to be in. */
export const GROUP_FD = 246;
