import { fieldsWithColons } from "./field-tables.ts";
import { normalizeLinesForFields } from "./line-spelling.ts";

const line =
  /^((?:[ \t>]|[-*] )*)["'*_`]{0,3}([\p{L}][\p{L}\p{N} _-]{0,40}?)["'*_`]{0,3}[ \t]{0,20}:[*_]{0,2}(?:[ \t](.*))?$/u;

/** Rows of a table, headings, numbered lines and equals signs as lines of YAML. */
const asYaml = (text: string): string =>
  text
    .replaceAll(
      /^[ \t>]{0,20}\|([^|\n]*)\|([^|\n]*)\|.*$/gm,
      (_, name: string, value: string) => `${name.trim()}: ${value.trim()}`,
    )
    .replaceAll(
      /^[ \t]{0,8}#{1,6}([^\n:]+)(?::[ \t]{0,20})?\n\s{0,20}(?=[\p{L}\p{N}])/gmu,
      (_, name: string) => `${name.trim()}: `,
    )
    .replaceAll(/^([ \t]{0,20})\d{1,2}[.)][ \t]{1,20}/gm, "$1")
    .replaceAll(/^([^\n:=]{1,60}?)[ \t]{0,20}=[ \t]{0,20}/gm, "$1: ");

/** JSON of a YAML-like key. Fields below one without a value become its list. */
export function yamlKeyToJson(written: string): string {
  const text = asYaml(fieldsWithColons(normalizeLinesForFields(written)));
  const key: Record<string, unknown> = {};
  let list: { depth: number; entries: Record<string, string>[] } | undefined;
  for (const written of text.split(/\r?\n/)) {
    const [, before = "", name = "", value = ""] = line.exec(written) ?? [];
    if (name === "") continue;
    const depth = before.length;
    const isEntry = /[-*] $/.test(before);
    if (list && (depth > list.depth || isEntry)) {
      const isNew = isEntry || list.entries.length === 0 || !/^(id|text|option|misconception)$/i.test(name);
      if (isNew) list.entries.push({});
      const entry = list.entries.at(-1) as Record<string, string>;
      if (isOption(name)) Object.assign(entry, { id: name, text: plain(value) });
      else entry[name] = plain(value);
      continue;
    }
    list = value === "" ? { depth, entries: [] } : undefined;
    if (/^(answer[ _-]?)?key$/i.test(name)) list = undefined;
    else key[name] = list ? list.entries : plain(value);
  }
  return JSON.stringify(key);
}

const isOption = (name: string): boolean => /^(?:[A-Za-z]|\d{1,2})$/.test(name);

const plain = (value: string): string => value.trim().replace(/^(["'`*_]{1,2})(.*)\1$/, "$2");
