import { readFile } from "node:fs/promises";
import path from "node:path";

/** What serverless.yml gives the API: requests a second and at once, and the memory of functions in MB. */
export type Template = { throttleRate: number; throttleBurst: number; memory: number; chatMemory: number };

const file = path.resolve(import.meta.dirname, "../../serverless.yml");

/** Reads the template as it stands; rejects where one of its numbers is not where it was. */
export async function readTemplate(): Promise<Template> {
  const text = await readFile(file, "utf8");
  const numberAfter = (start: string, name: string): number => {
    const found = new RegExp(`^ +${name}: (\\d+)$`, "m").exec(text.slice(text.indexOf(start)));
    if (!found) throw new Error(`serverless.yml has no ${name} after "${start.trim()}"`);
    return Number(found[1]);
  };
  return {
    throttleRate: numberAfter("\nparams:", "throttleRate"),
    throttleBurst: numberAfter("\nparams:", "throttleBurst"),
    memory: numberAfter("\nprovider:", "memorySize"),
    chatMemory: numberAfter("\n  chat:", "memorySize"),
  };
}
