import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const file = path.resolve(import.meta.dirname, "../../docs/reference/performance-costs.json");

export type OperationCpuCost = { process_ms: number; database_ms: number };

type KeptCost = OperationCpuCost & { measured_on: string };

/** Stores today's costs next to earlier ones, each with its date. */
export async function recordOperationCpuCosts(found: Record<string, OperationCpuCost>): Promise<void> {
  const measured_on = new Date().toISOString().slice(0, 10);
  const known: Record<string, KeptCost> = JSON.parse(await readFile(file, "utf8"));
  for (const [name, cost] of Object.entries(found))
    known[name] = {
      measured_on,
      process_ms: rounded(cost.process_ms),
      database_ms: rounded(cost.database_ms),
    };
  await writeFile(file, `${JSON.stringify(known, null, 2)}\n`);
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
