import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../../lib/integrations/lti/keys.ts";
import { checkLtiPlatforms } from "../../../../scripts/ops/doctor/lti.ts";
import type { KeysMode } from "../../../support/lti-platform-stand-in.ts";
import { startLtiPlatform } from "../../../support/lti-platform-stand-in.ts";
import type { Fault } from "../../../support/lti-services-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
let lms: Awaited<ReturnType<typeof startLtiPlatform>>;
let university: { id: number; name: string };
beforeAll(async () => {
  lms = await startLtiPlatform();
});
afterAll(() => lms.close());
beforeEach(() => {
  lms.state.keys = "well";
  Object.assign(lms.services.state, { tokenFault: undefined, tokenError: () => undefined });
});

const examine = () => checkLtiPlatforms(world.deps.db, world.deps.config, world.deps.now);
const named = (of: string, problem: string) =>
  `${university.name}: LMS of the campus, ${lms.issuer}${of} ${problem}`;

it("the doctor calls no LMS if none is registered, and reports missing keys of the tool", async () => {
  expect(await examine()).toEqual({ state: "ok", what: "no LMS is registered" });
  university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  await admin.post(`/universities/${university.id}/lti-platforms`, lms.registration);
  expect((await examine()).what).toContain(named("/token", "gives no tokens: the tool has no LTI key yet"));
});

describe("for each registered LMS the doctor", () => {
  beforeAll(async () => {
    await renewToolKeys(world.deps);
    const keys = await world.app.request("http://localhost/lti/jwks");
    lms.services.state.toolKeys = (await keys.json()) as typeof lms.services.state.toolKeys;
  });

  it("requests a token for each of the tool's scopes, signed by its key", async () => {
    const asked = lms.services.state.tokensAsked.length;
    expect((await examine()).state).toBe("ok");
    const scopes = lms.services.state.tokensAsked.slice(asked).map(({ scope }) => scope);
    expect(scopes).toEqual([lms.services.scopes.score, lms.services.scopes.roster]);
  });

  it.each<[KeysMode, string]>([
    ["html", "has no keys with an id"],
    [404, "answered 404"],
    ["redirect", "answered 301"],
    ["reset", "cannot be read: it could not be reached"],
  ])("says what becomes of its keys where they are %s", async (keys, problem) => {
    lms.state.keys = keys;
    expect(await examine()).toMatchObject({
      state: "advice",
      what: expect.stringContaining(named("/keys", problem)),
    });
  });

  it.each<[string, Partial<typeof lms.services.state>, string]>([
    [
      "it does not know the client or its keys",
      { tokenError: () => "invalid_client" },
      "gives no tokens: it has no tool with the client_id learning, or cannot read the tool's keys at",
    ],
    [
      "it lets the client use no services",
      { tokenError: () => "unauthorized_client" },
      "gives no tokens: it does not allow the client_id learning to use services",
    ],
    [
      "it grants no rosters",
      { tokenError: (scope) => (scope === lms.services.scopes.roster ? "invalid_scope" : undefined) },
      "grants no permission to read rosters",
    ],
    [
      "it grants nothing",
      { tokenError: () => "invalid_scope" },
      "grants no permission to post scores, and none to read rosters",
    ],
    ["it answers 401", { tokenFault: 401 }, "gives no tokens: it gave no token, and answered 401"],
    ["it answers 404", { tokenFault: 404 }, "gives no tokens: it gave no token, and answered 404"],
    ["it answers 503", { tokenFault: 503 }, "gives no tokens: it gave no token, and answered 503"],
    ["it answers a page", { tokenFault: "html" }, "gives no tokens: it gave no token, and answered 200"],
    ["it leads elsewhere", { tokenFault: "redirect" }, "gives no tokens: it gave no token, and answered 301"],
    ["it is cut off", { tokenFault: "reset" satisfies Fault }, "gives no tokens: it could not be reached"],
  ])("says what becomes of tokens where %s", async (_, state, problem) => {
    Object.assign(lms.services.state, state);
    expect((await examine()).what).toContain(named("/token", problem));
  });

  it("asks at no private address, from a deployment", async () => {
    const config = { ...world.deps.config, ENVIRONMENT: "production" as const };
    const { what } = await checkLtiPlatforms(world.deps.db, config, world.deps.now);
    const inward = "its address is in a private network, or not https";
    expect(what).toContain(named("/keys", `cannot be read: ${inward}`));
    expect(what).toContain(named("/token", `gives no tokens: ${inward}`));
  });
});
