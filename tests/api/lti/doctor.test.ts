import { afterAll, beforeAll, expect, it } from "vitest";
import { checkLtiPlatforms } from "../../../scripts/ops/doctor/lti.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
let platform: LtiPlatformStandIn;
beforeAll(async () => {
  platform = await startLtiPlatform();
});
afterAll(() => platform.close());

const examine = () => checkLtiPlatforms(world.deps.db, world.deps.config);

it("the doctor names each LMS whose keys or token address do not answer", async () => {
  expect(await examine()).toEqual({ state: "ok", what: "no LMS is registered" });
  const make = makersOf(world);
  const { id, name } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const all = `/universities/${id}/lti-platforms`;
  await admin.post(all, platform.registration);
  expect((await examine()).state).toBe("ok");
  platform.state.keys = "html";
  expect(await examine()).toMatchObject({
    state: "advice",
    what: expect.stringContaining(`${name}: LMS of the campus, ${platform.issuer}/keys cannot be read`),
  });
  platform.state.keys = 404;
  expect((await examine()).what).toContain(`${platform.issuer}/keys answered 404`);
  platform.state.keys = "well";
  const away = { client_id: "away", auth_token_url: "http://127.0.0.1:1/token" };
  await admin.post(all, { ...platform.registration, ...away });
  expect((await examine()).what).toContain("http://127.0.0.1:1/token cannot be read");
});
