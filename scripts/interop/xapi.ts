/** `npm run interop xapi`: a third-party learning record store reads the event feed's statements. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  installValidator,
  sampleStatementsOfEveryKind,
  validateStatements,
} from "../../proof/xapi-check/validator.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import { demoRegistrar } from "../dev/seed/accounts.ts";

commandLine({
  usage: `npm run interop xapi

Validates xAPI statements with the models of ralph, a learning record store from PyPI: one statement of each kind, and all
statements of a new server's demonstration. A missing program is named and is no failure.`,
  flags: {},
});

type Feed = { statements: unknown[]; more: string; next: string | null };

/** All statements of the demo university, page by page. */
async function statementsAt(base: string): Promise<unknown[]> {
  const ask = async <Answer>(where: string, init: object = {}): Promise<Answer> => {
    const response = await fetch(`${base}/api/v1${where}`, init);
    if (!response.ok) throw new Error(`${where} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const headers = { "content-type": "application/json" };
  const { access_token } = await ask<{ access_token: string }>("/auth/login", {
    ...{ method: "POST", headers, body: JSON.stringify(demoRegistrar) },
  });
  const read = (where: string) => ask<Feed>(where, { headers: { authorization: `Bearer ${access_token}` } });
  const all: unknown[] = [];
  let where = "/universities/1/events?format=xapi&limit=100";
  while (where !== "") {
    const { statements, more } = await read(where);
    all.push(...statements);
    where = more.replace(/^\/api\/v1/, "");
  }
  return all;
}

async function check(folder: string): Promise<void> {
  const missing = await findMissingTool(["python3"]);
  if (missing) return console.log(`Nothing was checked: ${missing} is not installed.`);
  const python = await installValidator(folder).catch((error: unknown) => {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(`Nothing was checked: ralph cannot be installed from PyPI here.\n${error.message}`);
    return undefined;
  });
  if (!python) return;
  const kinds = sampleStatementsOfEveryKind("https://learn.example.edu");
  // Proves that the store validates statements.
  const [wrong] = kinds.map((one) => ({ ...one, verb: { id: "completed" } }));
  if ((await validateStatements(python, [wrong])).length !== 1)
    throw new ToolFailure("ralph accepts a verb that is not an IRI");
  const platform = await startOwnPlatform(folder);
  try {
    const told = await statementsAt(platform.base);
    if (told.length === 0) throw new ToolFailure("the demonstration has no events");
    const faults = await validateStatements(python, [...kinds, ...told]);
    if (faults.length > 0) throw new ToolFailure(JSON.stringify(faults.slice(0, 5), null, 2));
    console.log(`ralph  ok: ${kinds.length} kinds of statements, and ${told.length} of the demonstration`);
  } finally {
    await platform.stop();
  }
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-xapi-check-"));
try {
  await check(folder);
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
