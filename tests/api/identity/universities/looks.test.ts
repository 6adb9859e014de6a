import { beforeAll, expect, it } from "vitest";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { png, sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: number;
let admin: Client;
let nobody: Client;
let other: Client;

beforeAll(async () => {
  university = (await make.university({ name: "Northgate University" })).id;
  nobody = world.as();
  admin = world.as(await make.holder("university_admin", university));
  other = world.as(await make.holder("university_admin", (await make.university()).id));
});

const sendLogo = async (client: Client, scope = university, bytes = png): Promise<number> => {
  const file = { purpose: "LOGO", university_id: scope, name: "logo.png", media_type: "image/png" };
  return (await sendFile(world.deps, client, file, bytes)).body.id;
};

const path = (url: string) => url.replace("http://localhost/api/v1", "");

it("its administrator gives a university a name and a color, which anyone reads as shades", async () => {
  const change = { display_name: "Northgate", color: "#FFD400" };
  const { status, body } = await admin.put(`/universities/${university}`, change);
  expect([status, body.display_name, body.color]).toEqual([200, "Northgate", "#ffd400"]);
  const seen = (await nobody.get(`/universities/${university}`)).body;
  expect(seen.shades.light.accent).not.toBe("#ffd400");
  expect(seen.shades.dark.accent).toBe("#ffd400");
  expect((await other.put(`/universities/${university}`, change)).status).toBe(403);
});

it.each(["red", "#fff", "#12345g", "#123456;", "url(https://a.example)", "#1234567", ""])(
  "%j is no color",
  async (color) => {
    const { status, body } = await admin.put(`/universities/${university}`, { color });
    expect([status, body.detail[0].loc]).toEqual([422, ["body", "color"]]);
  },
);

it("a logo is read by its address without a token, which ends with another", async () => {
  const first = await admin.put(`/universities/${university}/logo`, { file_id: await sendLogo(admin) });
  expect(first.status).toBe(200);
  expect((await nobody.get(`/universities/${university}`)).body.logo_url).toBe(first.body.logo_url);
  expect((await nobody.get(path(first.body.logo_url))).status).toBe(302);
  const second = await admin.put(`/universities/${university}/logo`, { file_id: await sendLogo(admin) });
  expect((await nobody.get(path(first.body.logo_url))).status).toBe(404);
  expect((await nobody.get(path(second.body.logo_url))).status).toBe(302);
  const none = await admin.put(`/universities/${university}/logo`, { file_id: null });
  expect(none.body).toEqual({ logo_url: null });
  expect((await nobody.get(path(second.body.logo_url))).status).toBe(404);
});

it("the same logo again keeps its URL", async () => {
  const file_id = await sendLogo(admin);
  const first = await admin.put(`/universities/${university}/logo`, { file_id });
  expect((await admin.put(`/universities/${university}/logo`, { file_id })).body).toEqual(first.body);
});

it("of several concurrent logos one stays, and its URL is returned", async () => {
  const ids = [await sendLogo(admin), await sendLogo(admin), await sendLogo(admin)];
  const answers = await Promise.all(
    ids.map((file_id) => admin.put(`/universities/${university}/logo`, { file_id })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { logo_url } = (await nobody.get(`/universities/${university}`)).body;
  expect(answers.map(({ body }) => body.logo_url)).toContain(logo_url);
  expect((await nobody.get(path(logo_url))).status).toBe(302);
});

it("only administrators set a logo, from the university's own bitmap files", async () => {
  const theirs = await make.holder("university_admin", university);
  const foreign = await sendLogo(world.as(theirs));
  const refused = await admin.put(`/universities/${university}/logo`, { file_id: foreign });
  expect([refused.status, refused.body.detail]).toEqual([400, `File ${foreign} does not exist`]);
  const file = { purpose: "LOGO", university_id: university, name: "a.png", media_type: "image/png" };
  expect((await other.post("/files/", { ...file, size: 100 })).status).toBe(403);
  expect((await other.put(`/universities/${university}/logo`, { file_id: null })).status).toBe(403);
  expect((await other.put("/universities/999999/logo", { file_id: null })).status).toBe(404);
  const large = await admin.post("/files/", { ...file, size: 1_000_001 });
  expect([large.status, large.body.detail]).toMatchObject([400, expect.stringContaining("1 MB")]);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const drawn = await sendFile(world.deps, admin, { ...file, name: "logo.svg" }, svg);
  expect(drawn.body.detail ?? drawn.body.refusal).toContain("PNG, JPEG or WebP");
});

it("members of exactly one university get its branding with their profile", async () => {
  const { course } = await make.topic();
  const own = course.university_id;
  const member = await make.holder("student", own);
  await world
    .as(await make.holder("university_admin", own))
    .put(`/universities/${own}`, { color: "#7a1f3d", display_name: "Ours" });
  expect((await world.as(member).get("/users/me")).body).not.toHaveProperty("looks");
  const { looks } = (await world.as(member).get("/users/me?looks=true")).body;
  expect(looks).toMatchObject({ university_id: own, name: "Ours", logo_url: null });
  expect(looks.shades.light.accent).toBe("#7a1f3d");
  const { body } = await world.as(member).put("/users/me?looks=true", { full_name: "Another Name" });
  expect([body.full_name, body.looks]).toEqual(["Another Name", looks]);
  await world.deps.db
    .insert(userUniversityRoles)
    .values({ user_id: member.id, university_id: university, role: "STUDENT" });
  expect((await world.as(member).get("/users/me?looks=true")).body.looks).toBeNull();
  expect((await world.as(await make.person()).get("/users/me?looks=true")).body.looks).toBeNull();
});

it("a logo stays when its uploader's account is erased", async () => {
  const leaver = await make.holder("university_admin", university);
  const client = world.as(leaver);
  const { body } = await client.put(`/universities/${university}/logo`, { file_id: await sendLogo(client) });
  await world.deps.db.execute(`select erase_files_of_person(${leaver.id}, now())`);
  expect((await nobody.get(path(body.logo_url))).status).toBe(302);
});
