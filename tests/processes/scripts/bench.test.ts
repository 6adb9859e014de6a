import { expect, it } from "vitest";
import { prepareClassroomLoadTest } from "../../../proof/bench/baseline/environment.ts";
import { expectEqualResponses } from "../../../proof/bench/baseline/equal-responses.ts";
import { openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { maxProcessIoKilobytesPerFile, measureFileIoAndBlocking } from "../../../proof/bench/stored-files.ts";

it("the bench compares servers that answer alike", async () => {
  const bench = await openBenchEnvironment();
  try {
    const stage = await prepareClassroomLoadTest(bench);
    try {
      const [ours, limit] = [await stage.startOurs(), await stage.startBaseline()];
      for (const operation of stage.operations)
        await expectEqualResponses([ours.url, limit.url], operation, stage.sentBy(operation)(0));
      expect(stage.operations.length).toBeGreaterThan(6);
    } finally {
      await stage.close();
    }
  } finally {
    await bench.close();
  }
});

it("the bytes of files in a bucket do not go through the process that answers", async () => {
  const bench = await openBenchEnvironment();
  try {
    // Smaller files are checked by the process when they are complete.
    const { kilobytes } = await measureFileIoAndBlocking(bench, { megabytes: 12, files: 4 });
    expect(kilobytes).toBeGreaterThan(0);
    expect(kilobytes).toBeLessThanOrEqual(maxProcessIoKilobytesPerFile);
  } finally {
    await bench.close();
  }
});
