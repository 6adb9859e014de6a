import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { archiveOf, packedText } from "../../../tests/support/archives.ts";
import { putBytes } from "../../../tests/support/send-file.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import { createProfileReadProbe, type FloodEnvironment, floodingIpAddress } from "./environment.ts";
import { expectSuccessStatus } from "./http-client.ts";

/** Concurrent imports of one user. */
const imports = 6;

/**
 * One user imports uploaded files that no importer accepts: 100 MB of captions, ZIP bombs, 10,000 nested elements,
 * and cut files.
 */
export async function createHostileImportsFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller, deps, make, tokenOf } = stage;
  const { university, course, offering } = await make.topic();
  const { pool } = await make.questionPool(course);
  const token = await tokenOf(await make.holder("university_admin", university.id));
  const post = (path: string, body: object) =>
    expectSuccessStatus(caller.send({ method: "POST", path, from: floodingIpAddress, token, body }));
  const upload = async (name: string, bytes: Uint8Array): Promise<number> => {
    const about = { purpose: "IMPORT", university_id: university.id, name, media_type: "text/plain" };
    const promised = JSON.parse((await post("/files/", { ...about, size: bytes.length })).text);
    await putBytes(deps, promised.upload.url, bytes);
    await post(`/files/${promised.id}/complete`, {});
    return promised.id;
  };
  const people = `/universities/${university.id}/imports`;
  const questions = `/assessments/question-pools/${pool.id}/import`;
  const grades = `/assessments/offerings/${offering.id}/gradebook/import`;
  const calls: { path: string; body: object }[] = [];
  for (const [name, bytes, path, more] of [
    ["long.vtt", captions(), "/content/captions", { course_id: course.id, name: "long.vtt" }],
    ["bomb.zip", bombOf("item.xml"), `${questions}/qti`, {}],
    ["nested.xml", nested(), `${questions}/qti`, {}],
    ["cut.json", Buffer.from('[{"kind": "TRUE_FALSE",'.repeat(100_000)), questions, {}],
    ["bomb.zip", bombOf("people.csv"), people, { format: "CSV" }],
    ["bomb.zip", bombOf("users.csv"), people, { format: "ONE_ROSTER" }],
    ["cut.zip", bombOf("people.csv").subarray(0, -50), people, { format: "CSV" }],
    ["grades.csv", Buffer.alloc(8_000_000, '"'), grades, { reason: "A flood" }],
  ] as const)
    calls.push({ path, body: { ...more, file_id: await upload(name, bytes) } });
  // Large files are hashed by a job.
  await hashAndScanPendingFiles(deps, new AbortController().signal);
  return {
    name: "hostile files",
    others: [await createProfileReadProbe(stage, 250)],
    async run(isOver, tell) {
      let sent = 0;
      const sending = Array.from({ length: imports }, () =>
        repeatRequestsUntilAborted(isOver, tell, () => {
          const call = calls[sent % calls.length];
          sent += 1;
          if (!call) throw new Error("there are no files");
          return caller.send({ method: "POST", ...call, from: floodingIpAddress, token });
        }),
      );
      await Promise.all(sending);
    },
  };
}

const captions = (): Buffer =>
  Buffer.from(
    `WEBVTT\n\n${"00:01.000 --> 00:02.000\nWaves interfere with each other.\n\n".repeat(1_700_000)}`,
  );

const bomb = packedText("x".repeat(100_000_000));

const bombOf = (name: string): Buffer => archiveOf([{ name, packed: bomb, size: 1 }]);

const nested = (): Buffer =>
  Buffer.from(
    `<questestinterop>${"<section>".repeat(10_000)}${"</section>".repeat(10_000)}</questestinterop>`,
  );
