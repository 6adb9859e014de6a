import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { toldDocument } from "./document.ts";

const migrations = path.resolve(import.meta.dirname, "../../../schema/migrations");

export const writeToldToTutor = (): string => toldDocument(seededPrompt());

/** The tutor prompt of a new installation: the last one that a migration seeds. */
export function seededPrompt(): string {
  const texts = globSync("*.sql", { cwd: migrations })
    .sort()
    .flatMap((file) => [
      ...readFileSync(path.join(migrations, file), "utf8").matchAll(/\$prompt\$(.*?)\$prompt\$/gs),
    ])
    .map(([, text = ""]) => text);
  const [newest] = texts.slice(-1);
  if (newest === undefined) throw new Error("No migration seeds the tutor's prompt");
  return newest;
}
