/**
 * The variables that every command needs of the system: who the user is and where things are; the language; the time zone; and how this machine gets out to the network.
 * Not SSH_AUTH_SOCK: it is the use of the user's keys, and that of a login that may be over.
 */
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_(?:RUNTIME_DIR|CONFIG_HOME|CACHE_HOME|DATA_HOME|STATE_HOME)|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY|(?:http|https|ftp|all|no)_proxy|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$/;

export function isSystemVariable(name: string): boolean {
  return NEEDED.test(name);
}
