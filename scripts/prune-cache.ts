/** `npm run prune-cache`: prunes the tree of shared answers, as the daily schedule does. */

import { loadConfig } from "../lib/config.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { pruneAnswerTree } from "../lib/tutor/chat/prune.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { runScript } from "./ops/run-script.ts";
import { completeSettings } from "./ops/settings.ts";

commandLine({
  usage: "npm run prune-cache\n\nPrunes the tree of shared answers, like the daily job.",
});

const maxPruneSeconds = 3600;

await runScript(async (url) => {
  const settings = completeSettings(readEnvironment(), url, "http://127.0.0.1");
  const config = loadConfig({ SECRET_KEY: "not used here", ...settings });
  const database = await connectDatabase({ url });
  try {
    const signal = AbortSignal.timeout(maxPruneSeconds * 1000);
    const pruned = await pruneAnswerTree(database.db, config, signal, (sofar) => {
      if (process.stdout.isTTY) process.stdout.write(`\r${summaryOf(sofar)} …`);
    });
    return `\r${summaryOf(pruned)}${pruned.finished ? "" : "; the time limit was reached, run it again to continue"}`;
  } finally {
    await database.close();
  }
});

function summaryOf({
  visits_folded,
  ended_answers,
  expired_nodes,
  surplus_nodes,
}: Awaited<ReturnType<typeof pruneAnswerTree>>): string {
  return `${visits_folded} visits counted, ${expired_nodes} expired and ${surplus_nodes} surplus nodes pruned, ${ended_answers} ended answers removed`;
}
