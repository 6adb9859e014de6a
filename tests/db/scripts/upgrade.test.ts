import { afterAll, beforeAll, expect, it } from "vitest";
import { runStatementInDatabase } from "../../../proof/bench/databases.ts";
import { benchRequestsDuringMigration } from "../../../proof/bench/upgrade.ts";
import { lastRelease } from "../../../schema/functions/last-release.ts";
import { hasLastRelease } from "../../../scripts/build/migrations/last-release.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await emptyDatabase();
});

afterAll(async () => {
  await runStatementInDatabase(database.url, "drop database if exists upgraded with (force)");
  await database.drop();
});

const title = "the last release is brought up to date while people write, who all come through";

it.skipIf(!hasLastRelease)(
  hasLastRelease ? title : `${title}: skipped, git has no tag ${lastRelease} yet`,
  async () => {
    const verdicts = await benchRequestsDuringMigration(0.002)({ databaseUrl: database.url });
    expect(verdicts.map(({ what }) => what)).toHaveLength(2);
  },
);
