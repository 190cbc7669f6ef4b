/** The HTTP route of a method, derived from its name. */
export function httpRoute(method: string): string {
  return `POST /api/v1/${method.replace(".", "/")}`;
}
