import { readFile } from "node:fs/promises";

/** The table below a heading of docs/scale.md: each name in a first column with the text beside it. */
export async function scaleTable(heading: string): Promise<{ name: string; text: string }[]> {
  const page = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");
  const section = page.split(/^##+ /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| (`[^|]*`) \| (.*) \|$/gm)].flatMap(([, names = "", text = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ name, text })),
  );
}
