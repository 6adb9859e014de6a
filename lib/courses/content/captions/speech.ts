const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "", quot: '"', apos: "'", shy: "" },
  ...{ hellip: "…", ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
};

const entity = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi;

function characterOf(whole: string, name: string): string {
  if (!name.startsWith("#")) return named[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : whole;
}

/** Without marks, which `omit` receives by name. A voice becomes `Name: `, and a reading is in parentheses. */
export const stripCaptionMarkup = (line: string, omit: (element: string) => void): string =>
  line
    .replaceAll(/<v(?:\.[^\s<>]*)?\s+([^<>]{1,100})>/g, (_, name: string) => `${name.trim()}: `)
    .replaceAll(/<rt>([^<>]{1,200})(?:<\/rt>|$)/g, "($1)")
    .replaceAll(/<(\/?)([a-z0-9][^<>]*)>|\{\\([^{}]*)\}/gi, (_, closing, tag = "", command = "") => {
      const [name = ""] = /^[a-z]+/i.exec(tag) ?? [tag === "" ? `{\\${command}}` : "timestamp"];
      if (closing !== "/" && !/^(?:v|ruby)$/.test(name)) omit(name);
      return "";
    })
    .replaceAll(entity, characterOf)
    .replaceAll(/\s+/g, " ")
    .trim();
