import { archiveOf, packedText } from "../../../tests/support/archives.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import {
  bystanderIpAddress,
  createProfileReadProbe,
  type FloodEnvironment,
  floodingIpAddress,
} from "./environment.ts";
import { expectSuccessStatus } from "./http-client.ts";

/** Concurrent uploads of one user. */
const uploads = 6;

/**
 * One user sends slow files of maximum size, twice as many as may queue. A user of another university imports
 * two people.
 */
export async function createLargeImportsFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller, make, tokenOf } = stage;
  const { university, course, offering, item } = await make.topic();
  const { pool } = await make.questionPool(course);
  const flooder = await tokenOf(await make.holder("university_admin", university.id));
  const importsOf = (id: number) => `/universities/${id}/imports`;
  const files = [
    { path: importsOf(university.id), body: people({ "people.csv": wide() }) },
    {
      path: importsOf(university.id),
      body: zipped(`email,full_name\n${"no address,Nobody\n".repeat(90_000)}`),
    },
    { path: importsOf(university.id), body: people({ "people.csv": long() }) },
    { path: `/assessments/question-pools/${pool.id}/import/qti`, body: questions() },
    { path: `/assessments/offerings/${offering.id}/gradebook/import`, body: grades(item.id) },
  ];

  const other = await make.university();
  const registrar = await tokenOf(await make.holder("university_admin", other.id));
  const small = people({
    "people.csv": "email,full_name\nada@bench.example,Ada\ngrace@bench.example,Grace\n",
  });
  return {
    name: "files",
    others: [
      await createProfileReadProbe(stage, 250),
      {
        name: "an import of two people",
        everyMs: 1000,
        bound: { times: 4, milliseconds: 1500 },
        async wait() {
          const call = { path: importsOf(other.id), from: bystanderIpAddress, token: registrar, body: small };
          return (await expectSuccessStatus(caller.send(call))).milliseconds;
        },
      },
    ],
    async run(isOver, tell) {
      let sent = 0;
      const sending = Array.from({ length: uploads }, () =>
        repeatRequestsUntilAborted(isOver, tell, () => {
          const file = files[sent % files.length];
          sent += 1;
          if (!file) throw new Error("there are no files");
          return caller.send({ ...file, from: floodingIpAddress, token: flooder });
        }),
      );
      await Promise.all(sending);
    },
  };
}

const json = (body: object): Buffer => Buffer.from(JSON.stringify(body));

const people = (files: Record<string, string>): Buffer => json({ format: "CSV", dry_run: true, files });

const zipped = (csv: string): Buffer => {
  const archive = archiveOf([{ name: "people.csv", packed: packedText(csv) }]);
  return json({ format: "CSV", dry_run: true, zip: archive.toString("base64") });
};

/** Empty rows with the maximum number of columns. */
function wide(): string {
  const names = Array.from({ length: 198 }, (_, at) => `c${at}`).join(",");
  return `email,full_name,${names}\n${"x\n".repeat(5000)}`;
}

/** The maximum number of people in an import, all valid. */
function long(): string {
  const lines = Array.from({ length: 20_000 }, (_, at) => `person${at}@bench.example,Person ${at}`);
  return ["email,full_name", ...lines].join("\n");
}

/** Eight questions, each with a picture described by blanks. */
function questions(): Buffer {
  const xml = `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">
    <correctResponse><value>Paris</value></correctResponse></responseDeclaration>
    <itemBody><p><img alt="a${" ".repeat(250_000)}b"/></p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;
  const packed = packedText(xml);
  const entries = Array.from({ length: 8 }, (_, at) => ({ name: `${at}.xml`, packed }));
  return json({ package: archiveOf(entries).toString("base64") });
}

/** A hundred thousand grades of unknown people. */
function grades(item: number): Buffer {
  const items = [item, ...Array.from({ length: 199 }, (_, at) => 1_000_000 + at)];
  const lines = Array.from({ length: 500 }, (_, at) => [500_000 + at, ...items.map(() => 1)].join(","));
  return json({ csv: [`user_id,${items.join(",")}`, ...lines].join("\n"), reason: "A flood" });
}
