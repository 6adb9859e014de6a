import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { users } from "../../../../schema/db/identity/users.ts";
import { makersOf } from "../../../support/makers.ts";
import { operations, pathOf } from "../../../support/operations.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const unvalidated = { status: 401, body: { detail: "Could not validate credentials" } };

describe("tokens of a version", () => {
  it("omit the first version, and follow the specification exactly", async () => {
    const { id } = await make.person();
    const { access_token } = await world.deps.tokens.issue({ id, token_version: 0 });
    const payload = JSON.parse(Buffer.from(access_token.split(".")[1] ?? "", "base64url").toString());
    expect(Object.keys(payload).toSorted()).toEqual(["exp", "sub", "type"]);
  });

  it("all end, access and refresh, when the person logs out everywhere; those made next are valid", async () => {
    const person = await make.person();
    const before = await world.deps.tokens.issue(person);
    const asSent = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const reply = await world.as().post("/auth/logout-everywhere", undefined, asSent(before.access_token));
    expect(reply.status).toBe(204);
    expect(reply.headers.getSetCookie()).toHaveLength(3);
    expect(await world.as().get("/users/me", asSent(before.access_token))).toMatchObject(unvalidated);
    expect(await world.as().post("/auth/refresh", undefined, asSent(before.refresh_token))).toMatchObject(
      unvalidated,
    );
    const after = await world.deps.tokens.issue({ id: person.id, token_version: 1 });
    expect((await world.as().get("/users/me", asSent(after.access_token))).status).toBe(200);
    const { rows: noted } = await world.deps.db.execute(
      sql`select subject_id from audit_events where action = 'tokens.ended' and actor_id = ${person.id}`,
    );
    expect(noted).toEqual([{ subject_id: person.id }]);
    const refreshed = await world.as().post("/auth/refresh", undefined, asSent(after.refresh_token));
    expect((await world.as().get("/users/me", asSent(refreshed.body.access_token))).status).toBe(200);
  });

  it("of an inactive person are a 403 whether or not they have ended, and of an active one a 401", async () => {
    const person = await make.person({ is_active: false, token_version: 3 });
    expect(await world.as({ id: person.id }).get("/users/me")).toMatchObject({ status: 403 });
    await world.deps.db.update(users).set({ is_active: true }).where(eq(users.id, person.id));
    expect(await world.as({ id: person.id }).get("/users/me")).toMatchObject(unvalidated);
  });
});

describe("a token that has ended", () => {
  let ended: { id: number };
  let inactive: { id: number };

  beforeAll(async () => {
    ended = { id: (await make.person({ token_version: 1 })).id };
    inactive = { id: (await make.person({ token_version: 1, is_active: false })).id };
  });

  const guarded = operations.filter(({ contract: { access } }) => access.kind === "signed in");
  const anywhere = { name: "any/name", label: "x" };
  const values = new Proxy<Record<string, unknown>>(anywhere, {
    get: (_, name) => (name === "prompt_name" ? "a" : 1),
  });

  it.each(guarded)("opens nothing by $name, and of a deactivated person neither", async (operation) => {
    const ask = (person: { id: number }) =>
      world
        .as(person)
        .request(operation.method, pathOf(operation, values), operation.body && validBody(operation));
    expect(await ask(ended)).toMatchObject(unvalidated);
    expect(await ask(inactive)).toMatchObject({ status: 403, body: { detail: "Inactive user" } });
  });
});

/** One operation looks up the person itself, so its body must be valid; elsewhere guards run before bodies. */
const validBody = ({ path }: { path: string }): object =>
  path.endsWith("/messages")
    ? { content: "Hello" }
    : { email: "new@example.edu", current_password: "x", new_password: "y", password: "x" };
