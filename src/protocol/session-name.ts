import { HoltError } from "./errors.ts";

export function requireName(name: string): string {
  if (name.length > 0 && name.length <= 128 && !/\p{Cc}/u.test(name)) return name;
  throw new HoltError("EBADARGS", `invalid name ${JSON.stringify(name.slice(0, 140))}`, {
    hint: "use 1 to 128 printable characters",
  });
}
