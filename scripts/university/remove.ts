/** `npm run university remove`: removes a university and data that belongs only to it. */
import { createInterface } from "node:readline/promises";
import { connectDatabase, openConnection } from "../../lib/platform/db/driver/connect.ts";
import { commandLine, refuse } from "../command-line.ts";
import { progressBar, stopSignal } from "../ops/progress-bar.ts";
import { runScript } from "../ops/run-script.ts";
import { findLeaving, refuseActive } from "../ops/university/leaving.ts";
import { previewRemoval, type Removal, removeUniversity } from "../ops/university/remove-university.ts";

const usage = `npm run university remove -- SHORT_CODE [--dry-run] [--yes]

Counts the rows to delete, asks for the short code again, and removes the inactive university in steps: its courses, the data
of its people there, and their memberships. People with other memberships stay; all other accounts are erased. The audit log and
the costs of LLM calls stay. The same command continues after an interruption. --dry-run only counts, --yes does not ask. Only a
backup or an export can bring the university back.`;

const flag = { type: "boolean", default: false } as const;
const { flags, words } = commandLine({ usage, flags: { "dry-run": flag, yes: flag }, words: 1 });
const [shortCode] = words;
if (!shortCode) refuse("SHORT_CODE must be the short code of a university", usage);

await runScript(async (_, url) => {
  const client = await openConnection(url);
  const university = await findLeaving(client, shortCode).finally(() => client.end());
  const database = await connectDatabase({ url });
  try {
    console.log(summaryOf(await previewRemoval(database.schedule, university)));
    if (flags["dry-run"]) return "Nothing was removed";
    refuseActive(university);
    if (!flags.yes && (await askFor(`Enter ${shortCode} again to remove ${university.name}: `)) !== shortCode)
      return "Nothing was removed";
    const options = { onProgress: progressBar(), signal: stopSignal() };
    const { people, erased } = await removeUniversity(database.schedule, university, options);
    return `${university.name} was removed. Of its ${people} people, ${erased} accounts were erased`;
  } finally {
    await database.close();
  }
});

function summaryOf({ rows, people, erased }: Removal): string {
  const tables = Object.entries(rows).map(([table, count]) => `${String(count).padStart(12)}  ${table}`);
  return [
    ...tables,
    `${people} people; ${erased} of them have no other membership, so their accounts will be erased`,
  ].join("\n");
}

async function askFor(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error("There is no terminal for a confirmation. Use --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}
