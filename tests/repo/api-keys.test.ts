import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { formatApiKey, hashApiKeySecret } from "../../lib/identity/auth/api-key-format.ts";
import { apiKeys } from "../../schema/db/identity/api-keys.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { type ApiKeyScope, apiKeyScopes } from "../../schema/enums.ts";
import type { Reply } from "../support/client.ts";
import { openDryRun } from "../support/dry-run.ts";
import { eraseAccountOf } from "../support/erase.ts";
import { makersOf } from "../support/makers.ts";
import { addressOf, bodyOf, type Operation, operations } from "../support/operations.ts";
import { allOr, oneOfEach } from "../support/representatives.ts";
import { keepAllSecret, secret } from "../support/tenant-secrets.ts";
import type { World } from "../support/world.ts";

type Made = { maker_id: number; university_id: number; scopes?: readonly ApiKeyScope[]; over?: object };

const part = "a".repeat(43);

/** A key as sent by a machine. Used today, so further use changes no rows. */
async function makeKey(world: World, { maker_id, university_id, scopes = apiKeyScopes, over = {} }: Made) {
  const [made] = await world.deps.db
    .insert(apiKeys)
    .values({
      maker_id,
      university_id,
      scopes: [...scopes],
      name: "Machine",
      key_hash: hashApiKeySecret(part),
      expires_at: "2100-01-01T00:00:00Z",
      last_used_on: world.deps.now().toISOString().slice(0, 10),
      ...over,
    })
    .returning();
  return formatApiKey(made?.id ?? 0, part);
}

let maker: { id: number };
let withAll: string;
let elsewhere: string;
let without: Record<ApiKeyScope, string>;
let worthless: Record<string, string>;

const dryRun = openDryRun(async (world, university) => {
  const make = makersOf(world);
  const { university_id } = university.scope;
  const other = (await make.university()).id;
  maker = await make.holder("university_admin", university_id);
  const role = { user_id: maker.id, role: "UNIVERSITY_ADMIN" as const, university_id: other };
  await world.deps.db.insert(userUniversityRoles).values(role);
  const mine = { maker_id: maker.id, university_id };
  withAll = await makeKey(world, mine);
  elsewhere = await makeKey(world, { ...mine, university_id: other });
  without = Object.fromEntries(
    await Promise.all(
      apiKeyScopes.map(async (left) => {
        const scopes = apiKeyScopes.filter((scope) => scope !== left);
        return [left, await makeKey(world, { ...mine, scopes })];
      }),
    ),
  );
  const department = university.scope.department_id ?? undefined;
  const [formerly, ofDepartment, suspended, inactive, erased] = await Promise.all([
    make.person(),
    make.holder("university_admin", university_id, department),
    make.holder("university_admin", university_id),
    make.holder("university_admin", university_id),
    make.holder("university_admin", university_id),
  ]);
  const madeBy = ({ id }: { id: number }) => makeKey(world, { ...mine, maker_id: id });
  worthless = {
    expired: await makeKey(world, { ...mine, over: { expires_at: "2020-01-01T00:00:00Z" } }),
    revoked: await makeKey(world, { ...mine, over: { revoked_at: "2026-01-01T00:00:00Z" } }),
    "with another secret": `${withAll.slice(0, -1)}b`,
    "of an unknown number": formatApiKey(999_999_999, part),
    "cut short": withAll.slice(0, -1),
    "whose maker administers nothing any more": await madeBy(formerly),
    "whose maker administers a department alone": await madeBy(ofDepartment),
    "whose maker is suspended": await madeBy(suspended),
    "whose maker is inactive": await madeBy(inactive),
    "whose maker has erased their account": await madeBy(erased),
  };
  const { db } = world.deps;
  await db.execute(sql`update university_members set is_active = false where user_id = ${suspended.id}`);
  await db.execute(sql`update users set is_active = false where id = ${inactive.id}`);
  expect(await eraseAccountOf(world, erased)).toBe(204);
  await keepAllSecret(world, university);
  // The maker's own name is no secret in either university.
  await db.execute(
    sql`update users set full_name = 'Plain', email = 'plain@example.edu' where id = ${maker.id}`,
  );
});

/** Requests about people name another member: a machine cannot act on its maker. */
const requestOf = (operation: Operation) => ({
  method: operation.method,
  path: addressOf(operation, {
    ...dryRun.university.paths,
    ...(operation.method !== "GET" && { user_id: dryRun.university.fields["user_id"] }),
  }),
  body: bodyOf(operation, dryRun.university.fields),
});

const askWith = (key: string, operation: Operation) =>
  dryRun.ask(undefined, { ...requestOf(operation), headers: { authorization: `Bearer ${key}` } });

const told = (reply: Reply): string => JSON.stringify([reply.status, [...reply.headers], reply.text]);

const ofKind = (...kinds: string[]) =>
  operations.filter(({ contract: { access } }) => kinds.includes(access.kind));

describe("a key for machines", () => {
  const scoped = operations.filter(({ contract }) => contract.scope);
  const isOfMaker = (operation: Operation) => operation.contract.id === "createEnrollment";

  it.each(scoped.filter((operation) => !isOfMaker(operation)))(
    "does with its scope what its maker may there: $name",
    async (operation) => {
      const reply = await askWith(withAll, operation);
      expect(reply.status, reply.text).toBe((await dryRun.ask(maker, requestOf(operation))).status);
      expect(reply.status, reply.text).not.toBe(401);
    },
  );

  it.each(scoped)("is rejected without that scope: $name", async (operation) => {
    const scope = operation.contract.scope as ApiKeyScope;
    const reply = await askWith(without[scope], operation);
    expect(reply).toMatchObject({
      status: 403,
      body: { detail: `This API key does not have the scope ${scope}` },
      wrote: false,
    });
  });

  it.each(ofKind("signed in").filter(({ contract }) => !contract.scope))(
    "may do nothing for which there is no scope: $name",
    async (operation) => {
      expect(await askWith(withAll, operation)).toMatchObject({
        status: 403,
        body: { detail: "An API key cannot do this" },
        wrote: false,
      });
    },
  );

  it.each(ofKind("refreshing"))("is no refresh token: $name", async (operation) => {
    expect(await askWith(withAll, operation)).toMatchObject({ status: 401, wrote: false });
  });

  it.each(ofKind("anyone", "maybe signed in"))("is nobody where all may come: $name", async (operation) => {
    const reply = await askWith(withAll, operation);
    expect(reply.status, reply.text).toBe((await dryRun.ask(undefined, requestOf(operation))).status);
  });

  it.each(operations)("of another university reads nothing here: $name", async (operation) => {
    const reply = await askWith(elsewhere, operation);
    expect(told(reply)).not.toMatch(secret);
    if (operation.contract.scope && operation.method !== "GET") expect(reply.status).toBeGreaterThan(399);
  });

  it.each(ofKind("signed in"))("that is worth nothing is not signed in: $name", async (operation) => {
    const keys = Object.entries(worthless);
    const tried = allOr(keys, () => oneOfEach(keys, () => "worthless", operations.indexOf(operation)));
    for (const [name, key] of tried) {
      const reply = await askWith(key, operation);
      expect(reply, name).toMatchObject({ status: 401, wrote: false });
    }
  });
});
