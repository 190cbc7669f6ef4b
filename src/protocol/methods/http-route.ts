/** Where a method is found over HTTP: every method has its place, derived from its name. */
export function httpRoute(method: string): string {
  return `POST /api/v1/${method.replace(".", "/")}`;
}
