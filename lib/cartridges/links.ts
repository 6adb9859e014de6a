import { decoded, fileAt } from "./paths.ts";

/*
 * Links from one item to another. What a link of a cartridge leads to may be made later than the link: until all parts are
 * made it names the file or the resource, as `cartridge:…`, and then the item that was made of it.
 */

const scheme = "cartridge:";

/** The end of a link of Markdown that waits, behind its label. */
const waiting = /\]\(cartridge:([\w.%-]*)\)/g;

/** A link of Markdown to an item here, as `/app` has it in texts. */
const made = /\]\(#\/items\/(\d+)\)/g;

/** What Canvas writes for a page, or another thing of the course, in place of its address. */
const ofCanvas =
  /^\$?(?:WIKI_REFERENCE|CANVAS_OBJECT_REFERENCE|CANVAS_COURSE_REFERENCE)\$?\/([^/?#]+)\/([^/?#]+)/;

const file = (path: string): string => `file/${path}`;
export const resourceTarget = (identifier: string): string => `resource/${identifier}`;

/**
 * What a link in a file at `from` leads to within its cartridge: `file/…` with a path, or `resource/…` with an identifier.
 * Undefined for what leads elsewhere. Pure.
 */
export function targetOf(address: string, from: string, names: ReadonlySet<string>): string | undefined {
  const [, kind = "", name = ""] = ofCanvas.exec(decoded(address)) ?? [];
  if (name === "") {
    const path = fileAt(address, from, names);
    return path && file(path);
  }
  const page = `wiki_content/${name}.html`;
  return /^(pages|wiki)$/.test(kind) && names.has(page) ? file(page) : resourceTarget(name);
}

/** The address that stands for a target until it is made. */
export const waitingAddress = (target: string): string =>
  scheme +
  encodeURIComponent(target).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/**
 * Data with the links in it that wait made links to items; one whose target was made nothing of is its label, and told. Pure.
 */
export function withItems<Data>(
  data: Data,
  itemOf: (target: string) => number | undefined,
): { data: Data; lost: string[] } {
  const lost: string[] = [];
  const written = inTexts(data, (text) =>
    withoutWaiting(text, (label, name) => {
      const target = decoded(name);
      const item = itemOf(target);
      if (item !== undefined) return `[${label}](#/items/${item})`;
      lost.push(`link: ${target.slice(target.indexOf("/") + 1).slice(0, 150)}`);
      return label;
    }),
  );
  return { data: written, lost };
}

/** A text with each link that waits put otherwise; its label begins at the bracket next to it, in one pass. */
function withoutWaiting(text: string, put: (label: string, name: string) => string): string {
  let written = "";
  let from = 0;
  let looked = 0;
  for (const { 0: end, 1: name = "", index } of text.matchAll(waiting)) {
    const opening = openingBefore(text, index, looked);
    looked = index + end.length;
    if (opening === undefined) continue;
    written += text.slice(from, opening) + put(text.slice(opening + 1, index), name);
    from = looked;
  }
  return written + text.slice(from);
}

/** Where the last bracket opens before a place and not before another one; one behind a backslash is a sign like others. */
function openingBefore(text: string, place: number, first: number): number | undefined {
  for (let at = place - 1; at >= first; at -= 1) if (text[at] === "[" && !isEscaped(text, at)) return at;
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** The items that data links to. Pure. */
export function itemsLinkedIn(data: unknown): number[] {
  const found = new Set<number>();
  inTexts(data, (text) => {
    for (const [, id] of text.matchAll(made)) found.add(Number(id));
    return text;
  });
  return [...found];
}

/** Data with links to items named by other addresses; where there is none they stay. Pure. */
export const withAddresses = <Data>(data: Data, addressOf: (item: number) => string | undefined): Data =>
  inTexts(data, (text) =>
    text.replaceAll(made, (whole, id: string) => {
      const address = addressOf(Number(id));
      return address === undefined ? whole : `](${address})`;
    }),
  );

function inTexts<Data>(data: Data, change: (text: string) => string): Data {
  const changed = (value: unknown): unknown => {
    if (typeof value === "string") return change(value);
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner)]));
  };
  return changed(data) as Data;
}
