import { readFileSync } from "node:fs";
import path from "node:path";
import { containerSettings, parameterSettings, secretSettings } from "./placements.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** compose.yaml, which passes all settings of a container on. A value in the file comes first. */
export function writeComposeSettings(): string {
  const values = valuesAbove("compose.yaml", "      ");
  const passed = containerSettings.filter((name) => !values.has(name)).map((name) => `      ${name}:`);
  return withBlock("compose.yaml", "      ", passed);
}

/** serverless.yml, with all parameters. A value in the file comes first. */
export function writeServerlessSettings(): string {
  const values = valuesAbove("serverless.yml", "    ");
  const parameters = parameterSettings
    .filter((name) => !values.has(name))
    .map((name) => `    ${name}: \${param:${name}, ''}`);
  return withBlock("serverless.yml", "    ", parameters);
}

/** docs/reference/settings.md: the comments of .env.example as tables. */
export function writeSettingsPage(): string {
  const sections = read(".env.example").split(/^# --- (.+) ---$/m);
  const tables: string[] = [];
  for (let at = 1; at < sections.length; at += 2)
    tables.push(
      `## ${sections[at]}\n\n| Setting | Meaning | On AWS |\n| --- | --- | --- |\n${rowsOf(sections[at + 1] ?? "")}`,
    );
  return `${heading}${tables.join("\n")}`;
}

const heading = `# All settings

After this page you know each setting, its default, and where a deployment takes it from.

\`npm run generate settings\` writes this page from .env.example. Environment variables and \`.env\` have all settings.
compose.yaml passes them to the container. A deployment to AWS takes secret ones from its secret, and others as
parameters.

`;

const rowsOf = (section: string): string =>
  [...section.matchAll(/((?:^#.*\n)+)^([A-Z][A-Z0-9_]*)=$/gm)]
    .map(([, comment = "", name = ""]) => `| \`${name}\` | ${meaningOf(comment)} | ${placeOnAws(name)} |\n`)
    .join("");

const meaningOf = (comment: string): string =>
  comment
    .replace(/^# ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("|", "\\|")
    .replaceAll(/<(\w+)>/g, "`<$1>`");

function placeOnAws(name: string): string {
  if (secretSettings.includes(name)) return "secret";
  return parameterSettings.includes(name) ? "parameter" : "";
}

const begin = "# Written by `npm run generate settings`.";
const end = "# End of the written settings.";

/** The file with these lines between its two marks. */
function withBlock(file: string, indent: string, lines: readonly string[]): string {
  const [before, rest] = read(file).split(`${indent}${begin}\n`);
  const after = rest?.split(`${indent}${end}\n`)[1];
  if (before === undefined || after === undefined) throw new Error(`${file} lacks the marks of its settings`);
  return `${before}${indent}${begin}\n${lines.join("\n")}\n${indent}${end}\n${after}`;
}

/** Names above the marks, with values of their own. */
function valuesAbove(file: string, indent: string): Set<string> {
  const above =
    read(file)
      .split(`${indent}${begin}\n`)[0]
      ?.split(/ environment:.*\n/)
      .at(-1) ?? "";
  const names = above.matchAll(/^ +([A-Z][A-Z0-9_]*): ./gm);
  return new Set([...names].map(([, name = ""]) => name));
}
