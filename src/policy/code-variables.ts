/**
 * Variables by which a program can be made to run code of one's own choice. Not all there are, as every program may have its own: `policy.env`
 * names those that may be set, which is the safe way round.
 */
const LOADERS =
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|OPENSSL_CONF|PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|ZDOTDIR|INPUTRC|GIT_.*|EDITOR|VISUAL|VIMINIT|EXINIT|PAGER|MANPAGER|LESS|LESSOPEN|LESSCLOSE|BROWSER|SHELL|NODE_OPTIONS|NODE_PATH|BUN_OPTIONS|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|LUA_.*|R_PROFILE.*|MAKEFLAGS|MAKEFILES|CC|CXX|RUSTC|RUSTC_.*|GOFLAGS|TAR_OPTIONS|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS|HOME|XDG_CONFIG_.*)$/;
/** npm reads them in any case of letters. */
const NPM = /^npm_config_/i;

export function loadsCode(key: string): boolean {
  return LOADERS.test(key) || NPM.test(key);
}
