import { namedCharacter, numberedCharacter } from "../../../platform/text/html-entities.ts";

const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi;

/** The directions of text and soft hyphens have no place in a transcript. */
const silent = /^(?:lrm|rlm|shy)$/i;

function characterOf(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return silent.test(name) ? "" : (namedCharacter(name) ?? whole);
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code < 32 ? whole : (numberedCharacter(code) ?? whole);
}

/** Tags of WebVTT and SubRip, times within a cue, and commands of SubStation. Others are text, as in `a <b and c> d`. */
const mark =
  /<(\/?)((?:b|i|u|s|em|strong|ruby|rt|c)(?:\.[^\s<>]{0,100})?\s?\/?|(?:v|lang)(?:\.[^\s<>]{0,100})?(?:\s[^<>]{0,200})?|(?:font|span|p|div)(?:\s[\w-]{1,20}\s?=[^<>]{0,300})?|br\s?\/?|\d{1,4}:[\d:.,]{2,14})>|\{\\([^{}]*)\}/gi;

/** Without marks, which `omit` receives by name. A voice becomes `Name: `, and a reading is in parentheses. */
export const stripCaptionMarkup = (line: string, omit: (element: string) => void): string =>
  line
    .replaceAll(/<v(?:\.[^\s<>]*)?\s+([^<>]{1,100})>/g, (_, name: string) => `${name.trim()}: `)
    .replaceAll(/<rt>([^<>]{1,200})(?:<\/rt>|$)/g, "($1)")
    .replaceAll(mark, (_, closing, tag = "", command = "") => {
      const [name = ""] = /^[a-z]+/i.exec(tag) ?? [tag === "" ? `{\\${command}}` : "timestamp"];
      if (name === "br") return " ";
      if (closing !== "/" && !/^(?:v|ruby)$/.test(name)) omit(name);
      return "";
    })
    .replaceAll(entity, characterOf)
    .replaceAll(/\s+/g, " ")
    .trim();
