import { type EncodedOmission, encodeOmission } from "../../platform/results/omission-codes.ts";
import { decodePath, resolveArchiveFile } from "./paths.ts";

/*
 * A target may be created after its link. The link first names the file or resource as `cartridge:…`, later
 * the item.
 */

const scheme = "cartridge:";

/** The end of an unresolved Markdown link, after its label. */
const waiting = /\]\(cartridge:([\w.%-]*)\)/g;

/** A Markdown link to an item, as the app writes it. */
const made = /\]\(#\/items\/(\d+)\)/g;

/** Canvas's placeholders for pages and other objects of the course. */
const ofCanvas =
  /^\$?(?:WIKI_REFERENCE|CANVAS_OBJECT_REFERENCE|CANVAS_COURSE_REFERENCE)\$?\/([^/?#]+)\/([^/?#]+)/;

const file = (path: string): string => `file/${path}`;
export const linkTargetOfResource = (identifier: string): string => `resource/${identifier}`;

/**
 * A link's target from a file at `from`: `file/…` with a path or `resource/…` with an identifier. Undefined
 * outside the cartridge.
 */
export function resolveLinkTarget(
  address: string,
  from: string,
  names: ReadonlySet<string>,
): string | undefined {
  const [, kind = "", name = ""] = ofCanvas.exec(decodePath(address)) ?? [];
  if (name === "") {
    const path = resolveArchiveFile(address, from, names);
    return path && file(path);
  }
  const page = `wiki_content/${name}.html`;
  return /^(pages|wiki)$/.test(kind) && names.has(page) ? file(page) : linkTargetOfResource(name);
}

/** A target's placeholder address. */
export const placeholderLinkUrl = (target: string): string =>
  scheme +
  encodeURIComponent(target).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** A link without an item becomes its label and is reported. */
export function replacePlaceholdersWithItemLinks<Data>(
  data: Data,
  itemOf: (target: string) => number | undefined,
): { data: Data; lost: EncodedOmission[] } {
  const lost: EncodedOmission[] = [];
  const written = inTexts(data, (text) =>
    withoutWaiting(text, (label, name) => {
      const target = decodePath(name);
      const item = itemOf(target);
      if (item !== undefined) return `[${label}](#/items/${item})`;
      lost.push(
        encodeOmission("left_out_link", { address: target.slice(target.indexOf("/") + 1).slice(0, 150) }),
      );
      return label;
    }),
  );
  return { data: written, lost };
}

/** In one pass; a label starts at the nearest bracket. */
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

/** The last unescaped opening bracket between `first` and `place`. */
function openingBefore(text: string, place: number, first: number): number | undefined {
  for (let at = place - 1; at >= first; at -= 1) if (text[at] === "[" && !isEscaped(text, at)) return at;
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** Pure. */
export function itemIdsLinkedIn(data: unknown): number[] {
  const found = new Set<number>();
  inTexts(data, (text) => {
    for (const [, id] of text.matchAll(made)) found.add(Number(id));
    return text;
  });
  return [...found];
}

/** Keeps links without another address. Pure. */
export const replaceItemLinksWithUrls = <Data>(
  data: Data,
  addressOf: (item: number) => string | undefined,
): Data =>
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
