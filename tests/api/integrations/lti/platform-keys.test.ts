import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ltiBrowser } from "../../../support/lti-browser.ts";
import {
  type KeysMode,
  type LtiPlatformStandIn,
  startLtiPlatform,
} from "../../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld, type World } from "../../../support/world.ts";

let platform: LtiPlatformStandIn;
beforeAll(async () => {
  platform = await startLtiPlatform();
});
afterAll(() => platform.close());

/** Registers the platform in a new university, with a counting deployment. */
async function register(world: World, changes: object = {}) {
  const make = makersOf(world);
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const all = `/universities/${id}/lti-platforms`;
  const { status, body } = await admin.post(all, { ...platform.registration, ...changes });
  expect(status).toBe(201);
  await admin.post(`${all}/${body.id}/deployments`, { deployment_id: "1" });
  return ltiBrowser(
    world,
    () => platform,
    () => id,
  );
}

describe("the keys of a platform", () => {
  const world = openWorld();

  const modes: KeysMode[] = ["html", "redirect", "reset", "slow", 401, 404, 422, 429, 500, 503];
  it.each(modes)(
    "that are unreadable (%s) reject a launch for now, and are accepted once readable",
    async (mode) => {
      const browser = await register(world, { jwks_url: `${platform.issuer}/keys?${mode}` });
      platform.state.keys = mode;
      expect(await browser.launch()).toMatchObject({
        status: 400,
        html: expect.stringContaining("cannot be read at the moment"),
      });
      platform.state.keys = "well";
      expect((await browser.launch()).status).toBe(200);
    },
    20_000,
  );

  it("are read once for many launches, and not for each unknown key", async () => {
    const browser = await register(world, { jwks_url: `${platform.issuer}/keys?counted` });
    platform.state.asked = 0;
    const pages = await Promise.all(Array.from({ length: 10 }, () => browser.launch()));
    for (const { status } of pages) expect(status).toBe(200);
    expect(platform.state.asked).toBe(1);
    for (let n = 0; n < 5; n++)
      expect((await browser.launch({}, { kid: `unknown-${n}` })).html).toContain("not signed");
    expect(platform.state.asked).toBe(1);
    // Once a minute for an unknown key, and after ten minutes for any.
    const began = Date.now();
    const clock = vi.spyOn(Date, "now");
    try {
      for (const [after, kid, asked] of [
        [61_000, "unknown", 2],
        [62_000, "unknown", 2],
        [122_000, "unknown", 3],
        [722_500, undefined, 4],
        [723_000, undefined, 4],
      ] as const) {
        clock.mockReturnValue(began + after);
        const { status } = await browser.launch({}, kid && { kid });
        expect([after, status, platform.state.asked]).toEqual([after, kid ? 400 : 200, asked]);
      }
    } finally {
      clock.mockRestore();
    }
  });
});

describe("outside development", () => {
  const world = openWorld({
    ENVIRONMENT: "production",
    PUBLIC_URL: "http://localhost",
    SMTP_URL: "smtp://localhost",
    MAIL_FROM: "learn@example.edu",
  });

  it.each([
    "https://127.0.0.1/keys",
    "https://localhost/keys",
    "https://[::1]/keys",
    "https://169.254.169.254/keys",
  ])("the keys at %s are not requested", async (jwks_url) => {
    const https = "https://lms.example.edu";
    const browser = await register(world, {
      issuer: https,
      auth_login_url: `${https}/auth`,
      auth_token_url: `${https}/token`,
      jwks_url,
    });
    const begun = await browser.begin({ iss: https });
    const fields = { state: begun.state, id_token: await browser.answerOf(begun, { iss: https }) };
    expect(await browser.comeBack(fields, begun.cookie)).toMatchObject({
      status: 400,
      html: expect.stringContaining("cannot be read"),
    });
  });
});
