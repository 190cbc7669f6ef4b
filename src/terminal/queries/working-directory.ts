/**
 * Parses reports of the working directory: OSC 7, iTerm2's 1337;CurrentDir, ConEmu's 9;9 and VS
 * Code's 633;P;Cwd.
 */
export function workingDirectory(number: number, text: string): string | null {
  switch (number) {
    case 7:
      return checked(fromUrl(text));
    case 9:
      return checked(after(text, "9;")?.replace(/^"(.*)"$/, "$1"));
    case 633:
      return checked(after(text, "P;Cwd=")?.replace(/\\(\\|x[0-9a-f]{2})/gi, unescaped));
    case 1337:
      return checked(after(text, "CurrentDir="));
    default:
      return null;
  }
}

/** `file://host/path`, percent-encoded; some shells send only the path. */
function fromUrl(text: string): string | undefined {
  const [, path] = /^(?:file|kitty-shell-cwd):\/\/[^/]*(\/.*)$/.exec(text) ?? /^(\/.*)$/.exec(text) ?? [];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return path;
  }
}

function after(text: string, start: string): string | undefined {
  return text.startsWith(start) ? text.slice(start.length) : undefined;
}

function unescaped(_: string, code: string): string {
  return code === "\\" ? "\\" : String.fromCharCode(parseInt(code.slice(1), 16));
}

/** Accepts absolute paths (POSIX or Windows) without control characters. */
function checked(path: string | undefined): string | null {
  return path !== undefined && /^(\/|[a-z]:[\\/])[^\x00-\x1f\x7f]*$/i.test(path) ? path : null;
}
