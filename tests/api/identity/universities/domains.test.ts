import { beforeAll, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let path: string;
let admin: ReturnType<typeof world.as>;
let platform: ReturnType<typeof world.as>;

beforeAll(async () => {
  const university = await make.university();
  path = `/universities/${university.id}`;
  admin = world.as(await make.holder("university_admin", university.id));
  platform = world.as(await make.holder("platform_admin", (await make.university()).id));
});

describe("a university's domains", () => {
  it("are granted and taken back by the platform, and read by its administrators", async () => {
    const domain = { domain: " Own.Example.ORG " };
    expect((await admin.post(`${path}/domains`, domain)).status).toBe(403);
    const added = await platform.post(`${path}/domains`, domain);
    expect(added).toMatchObject({ status: 201, body: { domain: "own.example.org" } });
    expect(await platform.post(`${path}/domains`, domain)).toMatchObject({
      status: 400,
      body: { detail: "University domain 'own.example.org' is already taken" },
    });
    expect((await admin.get(`${path}/domains`)).body).toEqual([added.body]);
    expect((await platform.post("/universities/2000000/domains", domain)).status).toBe(404);
    const stranger = world.as(await make.holder("university_admin", (await make.university()).id));
    expect((await stranger.get(`${path}/domains`)).status).toBe(403);
    const one = `${path}/domains/${added.body.id}`;
    expect((await admin.delete(one)).status).toBe(403);
    expect((await platform.delete(one)).status).toBe(204);
    expect((await platform.delete(one)).status).toBe(404);
    const { body } = await admin.get("/admin/audit?limit=2");
    expect(body.map(({ action }: { action: string }) => action)).toEqual([
      "university_domain.removed",
      "university_domain.granted",
    ]);
  });

  it("stay when another is taken back", async () => {
    const { id } = await make.university();
    const all = `/universities/${id}/domains`;
    const kept = await platform.post(all, { domain: "kept.example.org" });
    const removed = await platform.post(all, { domain: "removed.example.org" });
    expect((await platform.delete(`${all}/${removed.body.id}`)).status).toBe(204);
    expect((await platform.get(all)).body).toEqual([kept.body]);
  });

  it("are those of its identity providers, however they are granted", async () => {
    const providers = `${path}/identity-providers`;
    const provider = {
      label: "Campus",
      issuer: "https://id.example.org",
      client_id: "c",
      client_secret: "s",
    };
    const { body } = await admin.post(providers, { name: "campus", ...provider });
    expect(body.email_domains).toEqual([]);
    await platform.post(`${path}/domains`, { domain: "one.example.org" });
    expect((await admin.get(providers)).body[0].email_domains).toEqual(["one.example.org"]);
    const set = { email_domains: ["two.example.org", "three.example.org"] };
    const changed = await platform.put(`${providers}/${body.id}/email-domains`, set);
    expect(changed.body.email_domains).toEqual(["three.example.org", "two.example.org"]);
    const listed = (await admin.get(`${path}/domains`)).body;
    expect(listed.map(({ domain }: { domain: string }) => domain)).toEqual(changed.body.email_domains);
  });
});
