import { importJWK } from "jose";
import { expect, it } from "vitest";
import { reencryptToolKeys, renewToolKeys } from "../../../../lib/integrations/lti/keys.ts";
import { ltiKeys } from "../../../../schema/db/integrations/lti-keys.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();

const days = (count: number) => new Date(Date.parse("2026-03-10T12:00:00Z") + count * 86_400_000);

async function published(): Promise<Record<string, string>[]> {
  const reply = await world.app.request("http://localhost/lti/jwks");
  expect(reply.status).toBe(200);
  expect(reply.headers.get("cache-control")).toBe("public, max-age=3600");
  return ((await reply.json()) as { keys: Record<string, string>[] }).keys;
}

const kids = async () => (await published()).map(({ kid }) => kid);

it("the tool's keys are two, one ahead, and follow one another without a platform meeting a key it could not know", async () => {
  expect(await published()).toEqual([]);
  // Two concurrent processes store each generation once.
  await Promise.all([renewToolKeys(world.deps), renewToolKeys(world.deps)]);
  const [first, second] = await published();
  expect(await kids()).toHaveLength(2);
  expect(Object.keys(first ?? {}).toSorted()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
  for (const key of [first, second]) await importJWK(key as object, "RS256");
  expect(await renewToolKeys(world.deps)).toBe(0);

  world.setNow(days(90.5));
  expect(await kids()).toEqual([first?.["kid"], second?.["kid"]]);
  await Promise.all([renewToolKeys(world.deps), renewToolKeys(world.deps)]);
  // Three keys for one day, in which a platform may still have tokens signed with the first.
  const [, , third] = await kids();
  expect(await kids()).toEqual([first?.["kid"], second?.["kid"], third]);

  world.setNow(days(92));
  expect(await kids()).toEqual([second?.["kid"], third]);
  expect(await renewToolKeys(world.deps)).toBe(0);
  expect(await world.deps.db.select({ id: ltiKeys.id }).from(ltiKeys)).toHaveLength(2);
});

it("the tool's keys are re-encrypted under another SECRET_KEY", async () => {
  const { SECRET_KEY } = world.deps.config;
  const renewed = { SECRET_KEY: "another secret, long enough for it", SECRET_KEY_PREVIOUS: SECRET_KEY };
  expect(await reencryptToolKeys(world.deps.db, renewed)).toBe(2);
  expect(await reencryptToolKeys(world.deps.db, { ...renewed, SECRET_KEY_PREVIOUS: undefined })).toBe(2);
  await expect(
    reencryptToolKeys(world.deps.db, { SECRET_KEY, SECRET_KEY_PREVIOUS: undefined }),
  ).rejects.toThrow();
});
