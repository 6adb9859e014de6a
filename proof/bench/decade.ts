import { openSession } from "../../lib/db/driver/connect.ts";
import { progressBar } from "../../scripts/ops/progress-bar.ts";
import { decadeSize, loadDecade } from "../scale/decade.ts";
import { createAnotherDatabase } from "./another-database.ts";
import { boundsOfReads } from "./decade/reads.ts";
import { boundsOfRollUp } from "./decade/roll-up.ts";
import { printSizes } from "./decade/sizes.ts";
import { boundsOfWrites } from "./decade/writes.ts";
import type { BenchEnvironment } from "./environment.ts";
import type { Verdict } from "./report.ts";
import { openWholeApp } from "./whole-app.ts";

/**
 * Ten years of a large university and a hundred small ones, or that share of them: what each costs in room, and what gave
 * way when they were loaded first, each with its bound.
 */
export const benchDecade =
  (share: number) =>
  async (stage: BenchEnvironment): Promise<Verdict[]> => {
    const size = decadeSize(share);
    const url = await createAnotherDatabase(stage.databaseUrl, "decade");
    const began = performance.now();
    await loadDecade(url, size, progressBar());
    console.log(`Loaded in ${Math.round((performance.now() - began) / 1000)} seconds`);
    const client = await openSession(url);
    // As PostgreSQL has it: a plan that needs more gives way here too.
    await client.query("alter database decade set work_mem = '4MB'");
    const { deps, app } = await openWholeApp(url);
    try {
      await printSizes(client);
      const request = async (person: number, method: string, path: string, body?: object) => {
        const { access_token } = await deps.tokens.issue({ id: person });
        const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
        const begun = performance.now();
        const answer = await app.request(`/api/v1${path}`, {
          ...{ method, headers },
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return { ms: performance.now() - begun, text };
      };
      const decade = { url, size, db: deps.db, client, request };
      return [
        ...(await boundsOfReads(decade)),
        ...(await boundsOfWrites(decade)),
        ...(await boundsOfRollUp(decade)),
      ];
    } finally {
      await client.end();
      await deps.close();
    }
  };
