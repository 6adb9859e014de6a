import { execFile } from "node:child_process";
import path from "node:path";
import { toXapiStatement } from "../../lib/integrations/event-feed/xapi.ts";
import type { LearningEvent, XapiStatement } from "../../schema/api/integrations/events.ts";
import { activityVerbs } from "../../schema/enums.ts";
import { createPythonVenvWithPackages } from "../clients/python-environment.ts";

/* Third-party xAPI software from PyPI: ralph, a learning record store whose models validate statements. */

const packages = ["ralph-malph==5.1.0"];

export type StatementFaults = { at: number; faults: string[] };

/** Installs it, and returns its Python; throws pip's error if it cannot be fetched. */
export async function installValidator(folder: string): Promise<string> {
  return path.join(await createPythonVenvWithPackages(folder, ...packages), "python");
}

/** Invalid statements with their faults; empty if all are valid. */
export function validateStatements(
  python: string,
  statements: readonly unknown[],
): Promise<StatementFaults[]> {
  const script = path.join(import.meta.dirname, "validator.py");
  return new Promise((resolve, reject) => {
    const asked = execFile(python, [script], { timeout: 120_000, maxBuffer: 1e8 }, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout) as StatementFaults[]),
    );
    asked.stdin?.end(JSON.stringify(statements));
  });
}

/** Statements of every kind: each verb, with and without an offering and a result. */
export const sampleStatementsOfEveryKind = (homePage: string): XapiStatement[] =>
  activityVerbs.flatMap((verb, at) =>
    [null, 3].flatMap((course_offering_id) =>
      [null, { completion: true }].map((result, further) => {
        const event: LearningEvent = {
          ...{ id: 10 * at + further + 1, cursor: "1-1", user_id: 7, external_id: "s-1815", result },
          ...{
            verb: verb.toUpperCase() as LearningEvent["verb"],
            object_type: "content_item",
            object_id: 12,
          },
          ...{ content_item_id: 12, course_offering_id, occurred_at: "2026-03-10T12:00:00.000Z" },
        };
        return toXapiStatement(event, homePage);
      }),
    ),
  );
