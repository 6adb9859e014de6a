import { describe, expect, test } from "vitest";
import { directUrl, postgresUrl } from "../../../lib/db/driver/address.ts";
import { connectDatabase } from "../../../lib/db/driver/connect.ts";

describe("postgresUrl", () => {
  test.each([
    ["postgresql+asyncpg://ada:pw@db/x", "postgresql://ada:pw@db/x"],
    ["postgres://ada:pw@db:5433/x", "postgresql://ada:pw@db:5433/x"],
    ["postgresql://db/x?ssl=require", "postgresql://db/x?sslmode=verify-full"],
    ["postgresql://db/x?sslmode=no-verify", "postgresql://db/x?sslmode=no-verify"],
    ["postgresql://db/x?sslmode=disable", "postgresql://db/x?sslmode=disable"],
  ])("%s is read as %s", (given, expected) => {
    expect(postgresUrl(given)).toBe(expected);
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

test("a direct connection goes past Neon's pooler", () => {
  const url = "postgresql://ada:pw@ep-cool-lab-123-pooler.eu-central-1.aws.neon.tech/x";
  expect(new URL(directUrl(url)).hostname).toBe("ep-cool-lab-123.eu-central-1.aws.neon.tech");
});
