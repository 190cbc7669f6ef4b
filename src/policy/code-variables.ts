/**
 * Variables by which a program can be made to run code of one's own choice. Not all there are, as every program may have its own: `policy.env`
 * names those that may be set, which is the safe way round.
 */
const LOADERS =
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|ZDOTDIR|GIT_.*|EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SHELL|NODE_OPTIONS|NODE_PATH|BUN_OPTIONS|NPM_CONFIG_.*|npm_config_.*|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|LUA_.*|R_PROFILE.*|MAKEFLAGS|MAKEFILES|CC|CXX|TAR_OPTIONS|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS|HOME|XDG_CONFIG_.*)$/;

export function loadsCode(key: string): boolean {
  return LOADERS.test(key);
}
