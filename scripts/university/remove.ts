/** `npm run university remove`: removes a university and data that belongs only to it. */
import { createInterface } from "node:readline/promises";
import { connectDatabase, openConnection } from "../../lib/platform/db/driver/connect.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { findLeaving, refuseActive } from "../ops/university/leaving.ts";
import { previewRemoval, type Removal, removeUniversity } from "../ops/university/remove-university.ts";

const usage = `npm run university remove -- SHORT_CODE [--dry-run] [--yes]

Counts what the removal of an inactive university deletes, asks for its short code once more, and then removes it in steps:
its courses, what people did there, and their membership. People who belong elsewhere too stay; accounts that belong
nowhere else are erased, as an erasure does. The audit log keeps its lines, and what calls of the LLM cost stays. Started
again it goes on. --dry-run only counts, --yes does not ask. Nothing brings it back but a backup or its export.`;

const flag = { type: "boolean", default: false } as const;
const { flags, words } = commandLine({ usage, flags: { "dry-run": flag, yes: flag }, words: 1 });
const [shortCode] = words;
if (!shortCode) refuse("SHORT_CODE is that of a university", usage);

await runScript(async (_, url) => {
  const client = await openConnection(url);
  const university = await findLeaving(client, shortCode).finally(() => client.end());
  const database = await connectDatabase({ url });
  try {
    console.log(summaryOf(await previewRemoval(database.schedule, university)));
    if (flags["dry-run"]) return "Nothing was removed";
    refuseActive(university);
    if (!flags.yes && (await askFor(`${shortCode}, once more, to remove ${university.name}: `)) !== shortCode)
      return "Nothing was removed";
    const options = { onProgress: progressBar(), signal: stopSignal() };
    const { people, erased } = await removeUniversity(database.schedule, university, options);
    return `${university.name} is removed; of ${people} people ${erased} accounts are erased`;
  } finally {
    await database.close();
  }
});

function summaryOf({ rows, people, erased }: Removal): string {
  const tables = Object.entries(rows).map(([table, count]) => `${String(count).padStart(12)}  ${table}`);
  return [
    ...tables,
    `${people} people, of whom ${erased} belong nowhere else: their accounts are erased`,
  ].join("\n");
}

async function askFor(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error("There is no terminal to ask on: say --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}
