import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { normalizePostgresUrl, unpooledDatabaseUrl } from "../../../../lib/platform/db/driver/address.ts";
import { connectDatabase } from "../../../../lib/platform/db/driver/connect.ts";
import { nodeArguments } from "../../../../server/node-arguments.ts";

describe("postgresUrl", () => {
  test.each([
    ["postgresql+asyncpg://ada:pw@db/x", "postgresql://ada:pw@db/x"],
    ["postgres://ada:pw@db:5433/x", "postgresql://ada:pw@db:5433/x"],
    ["postgresql://db/x?ssl=require", "postgresql://db/x?sslmode=verify-full"],
    ["postgresql://db/x?sslmode=no-verify", "postgresql://db/x?sslmode=no-verify"],
    ["postgresql://db/x?sslmode=disable", "postgresql://db/x?sslmode=disable"],
  ])("%s is read as %s", (given, expected) => {
    expect(normalizePostgresUrl(given)).toBe(expected);
  });
});

test.each([
  ["postgresql://ada:pw@ep-cool-lab-123-pooler.eu-central-1.aws.neon.tech/x", "websocket"],
  ["postgresql://ada:pw@neon.tech.example.com/x", "tcp"],
  ["postgresql://ada:pw@127.0.0.1/x", "tcp"],
])("%s is reached by %s", async (url, transport) => {
  const database = await connectDatabase({ url });
  expect(database.transport).toBe(transport);
  await database.close();
});

test.each([
  ["postgresql://ada:pw@ep-cool.eu-central-1.aws.neon.tech/x", ["@neondatabase/serverless"]],
  ["postgresql://ada:pw@127.0.0.1/x", ["pg"]],
])("a process with the database %s loads no other driver than %s", async (url, drivers) => {
  const connecting = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      load(file, context, next) {
        loaded.add(/node_modules\\/(@[^/]+\\/)?[^/]+(?!.*node_modules)/.exec(file)?.[0].slice(13));
        return next(file, context);
      },
    });
    const { connectDatabase } = await import("./lib/platform/db/driver/connect.ts");
    await connectDatabase({ url: process.argv[1] });
    console.log(JSON.stringify(["@neondatabase/serverless", "pg"].filter((name) => loaded.has(name))));`;
  const command = [...nodeArguments, "--input-type=module", "--eval", connecting, url];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  expect(JSON.parse(stdout)).toEqual(drivers);
});

test("a direct connection avoids Neon's pooler", () => {
  const url = "postgresql://ada:pw@ep-cool-lab-123-pooler.eu-central-1.aws.neon.tech/x";
  expect(new URL(unpooledDatabaseUrl(url)).hostname).toBe("ep-cool-lab-123.eu-central-1.aws.neon.tech");
});
