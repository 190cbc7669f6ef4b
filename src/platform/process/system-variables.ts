/**
 * Environment variables that every command needs: user and directories, language, time zone,
 * proxies and certificates. Not SSH_AUTH_SOCK: it gives the use of the user's keys, and its login
 * may be over.
 */
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_(?:RUNTIME_DIR|CONFIG_HOME|CACHE_HOME|DATA_HOME|STATE_HOME)|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY|(?:http|https|ftp|all|no)_proxy|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$/;

export function isSystemVariable(name: string): boolean {
  return NEEDED.test(name);
}
