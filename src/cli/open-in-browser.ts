/** The person's browser, where there is a screen to show it on. */
export function openInBrowser(url: string): boolean {
  const opener = openerFor(process.platform, process.env);
  if (opener === null) return false;
  try {
    // It outlives us, and what it prints is nobody's business.
    Bun.spawn([...opener, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
    return true;
  } catch {
    return false;
  }
}

function openerFor(platform: string, env: NodeJS.ProcessEnv): string[] | null {
  const browser = env["BROWSER"] ?? "";
  if (browser !== "") return [browser];
  if (platform === "darwin") return ["open"];
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen ? ["xdg-open"] : null;
}
