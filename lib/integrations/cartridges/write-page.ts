import { Marked, type Token } from "marked";
import { formulasIn } from "../../platform/text/formulas.ts";
import { filePathKey } from "./parse-native-item.ts";

type Json = Record<string, unknown>;

/** Without active content. `up` is the relative path of the archive's root. */
export function buildPageHtml(title: string, data: Json, up: string): string {
  const body = [
    ...["instructions", "description"].flatMap((key) =>
      typeof data[key] === "string" ? [markdown(data[key], up)] : [],
    ),
    ...listIn(data["blocks"]).map((block) => blockOf(block, up)),
    ...(listIn(data["resources"]).length > 0 ? [linksOf(listIn(data["resources"]), up)] : []),
    ...(listIn(data["files"]).length > 0
      ? [
          linksOf(
            listIn(data["files"])
              .filter(({ role }) => role !== "hidden_test")
              .map((one) => ({ label: one["path"], ...one })),
            up,
          ),
        ]
      : []),
    ...(typeof data[filePathKey] === "string" ? [linksOf([{ label: title, ...data }], up)] : []),
    ...(typeof data["url"] === "string" ? [linksOf([{ label: title, url: data["url"] }], up)] : []),
  ];
  return `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>${escaped(title)}</title>\n</head>\n<body>\n${body.join("\n")}\n</body>\n</html>\n`;
}

function blockOf(block: Json, up: string): string {
  const { type, text, latex, caption, items } = block;
  if (type === "math") return typeof latex === "string" ? `<p>\\[${escaped(latex)}\\]</p>` : "";
  if (type === "link_list") return linksOf(listIn(items), up);
  const file = block[filePathKey];
  const label = typeof caption === "string" ? caption : "";
  if (type === "image")
    return typeof file === "string"
      ? `<p><img src="${addressOf(file, up)}" alt="${escaped(label)}"></p>`
      : `<p>${escaped(label)}</p>`;
  return typeof text === "string" ? markdown(text, up) : "";
}

function linksOf(links: Json[], up: string): string {
  const lines = links.map((link) => {
    const file = link[filePathKey];
    const url = typeof file === "string" ? addressOf(file, up) : safe(String(link["url"] ?? ""));
    const label = escaped(String(link["label"] ?? link["url"] ?? file ?? ""));
    return `<li>${url ? `<a href="${url}">${label}</a>` : label}</li>`;
  });
  return `<ul>\n${lines.join("\n")}\n</ul>`;
}

const addressOf = (path: string, up: string): string =>
  escaped(up + path.split("/").map(encodeURIComponent).join("/"));

const safe = (url: string): string => (/^(https?:|mailto:)/i.test(url.trim()) ? escaped(url.trim()) : "");

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const mark = "\u{F0000}";

/** Protects formulas from Markdown, in which `_` and `*` have a meaning. */
function markdown(source: string, up: string): string {
  const text = source.replaceAll(mark, "");
  const found = formulasIn(text, { hasDollars: true });
  const between = [...found, undefined].map((formula, at) =>
    text.slice(found[at - 1]?.end ?? 0, formula?.start ?? text.length),
  );
  let at = 0;
  const tokens = parser.lexer(between.join(mark));
  parser.walkTokens(tokens, (token) => leadFrom(up, token));
  const html = parser.parser(tokens);
  return html.replaceAll(mark, () => {
    const formula = found[at++];
    return escaped(formula ? text.slice(formula.start, formula.end) : "");
  });
}

/** Creating a parser takes longer than parsing most texts. HTML within Markdown is shown as text. */
const parser = new Marked({ gfm: true, renderer: { html: ({ text }) => escaped(text) } });

/** Keeps links to files of the archive and safe addresses; removes others. */
function leadFrom(up: string, token: Token): void {
  if (token.type !== "link" && token.type !== "image") return;
  if (/^cartridge:item-\d+\/[\w.]+$/.test(token.href))
    token.href = up + token.href.slice("cartridge:".length);
  else if (!/^(https?:|mailto:)/i.test(token.href)) token.href = "#";
}

const listIn = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((one): one is Json => typeof one === "object" && one !== null) : [];
