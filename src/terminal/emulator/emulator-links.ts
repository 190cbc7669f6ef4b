/**
 * Tracks hyperlinks (OSC 8). xterm ties each to markers of lines, which get lost when lines move
 * and cost far more than the link; here a link is keyed by its content and dropped when no cell
 * uses it.
 */
import type { Core, CoreCell, CoreLine } from "./emulator-core.ts";
import type { Link } from "../screen/screen.ts";

const MAX_LINKS = 2000;
const MAX_URI = 2083;
const MAX_ID = 250;

export class Links {
  readonly #core: Core;
  readonly #cell: CoreCell;
  #next = 1;
  readonly #byId = new Map<number, Link>();
  readonly #idByKey = new Map<string, number>();

  constructor(core: Core, cell: CoreCell) {
    this.#core = core;
    this.#cell = cell;
    core.registerOscHandler(8, (data) => this.#set(data));
  }

  get(id: number): Link | undefined {
    return this.#byId.get(id);
  }

  #set(data: string): true {
    const divider = data.indexOf(";");
    if (divider < 0) return true;
    const uri = data.slice(divider + 1);
    const id =
      data
        .slice(0, divider)
        .split(":")
        .find((parameter) => parameter.startsWith("id="))
        ?.slice(3) ?? "";
    const attributes = this.#core._inputHandler._curAttrData;
    attributes.extended = attributes.extended.clone();
    const fits = uri !== "" && uri.length <= MAX_URI && id.length <= MAX_ID;
    attributes.extended.urlId = fits ? this.#numberOf(id === "" ? { uri } : { uri, id }) : 0;
    attributes.updateExtended();
    return true;
  }

  #numberOf(link: Link): number {
    const key = keyOf(link);
    const known = this.#idByKey.get(key);
    if (known !== undefined) return known;
    if (this.#byId.size >= MAX_LINKS) this.#forgetUnused();
    if (this.#byId.size >= MAX_LINKS) return 0;
    const id = this.#next++;
    this.#byId.set(id, link);
    this.#idByKey.set(key, id);
    return id;
  }

  #forgetUnused(): void {
    const used = new Set<number>();
    for (const { lines } of [this.#core.buffers.normal, this.#core.buffers.alt]) {
      for (let row = 0; row < lines.length; row++) this.#collect(lines.get(row), used);
    }
    for (const [id, link] of this.#byId) {
      if (used.has(id)) continue;
      this.#byId.delete(id);
      this.#idByKey.delete(keyOf(link));
    }
  }

  #collect(line: CoreLine | undefined, used: Set<number>): void {
    if (line === undefined) return;
    for (let column = 0; column < line.length; column++) {
      const { bg, extended } = line.loadCell(column, this.#cell);
      if (bg & 0x10000000) used.add(extended.urlId);
    }
  }
}

const keyOf = ({ id = "", uri }: Link): string => `${id};${uri}`;
