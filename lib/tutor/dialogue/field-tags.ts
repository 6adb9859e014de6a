import { keyFieldAliases, namesPattern } from "./key-fields.ts";
import { normalizeTextForFields } from "./plain-spelling.ts";
import { hasKeyLines, isKeyShape, mayBecomeSecret } from "./secret-shapes.ts";

const { misconceptions } = keyFieldAliases;
const names = Object.values(keyFieldAliases).flat();

const attributes = `(?:"[^"]*"|'[^']*'|[^<>"'])*`;
const tag = new RegExp(`^<[A-Za-z][\\w:.-]{0,40}(?:\\s${attributes})?/?>`);
const fieldTag = new RegExp(
  `^\\s{0,20}<((?:[\\w-]{1,20}:)?${namesPattern(names)})(?:\\s${attributes})?/?>`,
  "i",
);
const begun = new RegExp(`^\\s{0,20}<(?:[A-Za-z][\\w:.-]{0,40}(?:\\s${attributes}(?:"[^"]*|'[^']*)?)?/?)?$`);
const isTag = (text: string): boolean => /^\s{0,20}$/.test(text) || begun.test(text);

/** Longest tag that waits for its end unless it may have a key. */
export const maxTagCharacters = 300;
export const maxTagNameCharacters = 50;
const longestElement = 20_000;

/** Tags of fields, or one tag with attributes; `isKey` if they have a key's fields. */
export type FieldTags = { end: number; isKey: boolean };

export function fieldTagsAt(text: string, from: number, isEnd: boolean): FieldTags | "more" | undefined {
  const head = text.slice(from, from + maxTagCharacters);
  if (!tag.test(head) && !begun.test(head)) return undefined;
  const isLong = fieldTag.test(head) || mayBecomeSecret(head);
  const held = isLong ? text.slice(from, from + longestElement) : head;
  const canGoOn = !isEnd && held.length < longestElement;
  if (fieldTag.test(held)) {
    const end = endOfElements(held, canGoOn);
    return end === "more" ? end : { end: from + end, isKey: isKeyInTags(held.slice(0, end)) };
  }
  const [one] = tag.exec(held) ?? [];
  if (one) return isKeyShape(one) ? { end: from + one.length, isKey: true } : undefined;
  if (!begun.test(held)) return undefined;
  if (canGoOn && (held.length < maxTagCharacters || isLong)) return "more";
  return isLong && isKeyShape(held) ? { end: from + held.length, isKey: true } : undefined;
}

/** The end of the fields' elements, one after another. */
function endOfElements(held: string, canGoOn: boolean): number | "more" {
  let end = 0;
  for (;;) {
    const rest = held.slice(end);
    const [opened = "", name = ""] = fieldTag.exec(rest) ?? [];
    if (opened === "") return canGoOn && isTag(rest) ? "more" : end;
    if (opened.endsWith("/>")) {
      end += opened.length;
      continue;
    }
    const closing = new RegExp(`</${name}\\s{0,8}>`, "i").exec(rest);
    if (!closing) return canGoOn ? "more" : isKeyShape(opened) ? end + opened.length : held.length;
    end += closing.index + closing[0].length;
  }
}

/** Each tag of a field counts as the field. */
const isKeyInTags = (text: string): boolean =>
  hasKeyLines(
    [...text.matchAll(/<([\w:.-]{1,40})([^<>]*)/g)]
      .map(([, name, attributes]) => `${withoutPrefix(name)}: ${attributes}`)
      .join("\n"),
  );

const withoutPrefix = (name = ""): string => name.slice(name.indexOf(":") + 1);

const element = /<([\w:.-]{1,40})((?:\s[^<>]*)?)>([^<]*)<\/\1\s{0,8}>/g;
const attribute = /([\w:.-]{1,40})\s{0,4}=\s{0,4}(?:"([^"]*)"|'([^']*)')/g;

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = "", double, single]) => [
      name.replace(/^data-/, ""),
      double ?? single ?? "",
    ]),
  );

/** JSON of a key in tags: leaves and attributes are its fields. */
export function keyInTagsToJson(text: string): string {
  const plain = normalizeTextForFields(text);
  const isMisconception = (name: string) => new RegExp(`^${namesPattern(misconceptions)}$`, "i").test(name);
  const leaves = [...plain.matchAll(element)].map(([, name = "", more = "", content = ""]) => ({
    name: withoutPrefix(name),
    id: Object.values(attributesOf(more))[0],
    text: content.trim(),
  }));
  const told = leaves.filter(({ name, id }) => isMisconception(name) && id !== undefined);
  const fields = leaves.filter((one) => !told.includes(one)).map(({ name, text: said }) => [name, said]);
  return JSON.stringify({
    ...(told.length === 0 && attributesOf(plain)),
    ...Object.fromEntries(fields),
    ...(told.length > 0 && { misconceptions: told.map(({ id, text: said }) => ({ id, text: said })) }),
  });
}
