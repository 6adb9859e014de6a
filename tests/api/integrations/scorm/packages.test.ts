import { sql } from "drizzle-orm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { archiveOf, packedText } from "../../../support/archives.ts";
import { makersOf } from "../../../support/makers.ts";
import { manifest12, packageOf } from "../../../support/scorm.ts";
import { openWorld } from "../../../support/world.ts";
import { openPackage, uploadPackage } from "./open-package.ts";

const world = openWorld({ PACKAGES_URL: "http://*.packages.test" });

const page = "<!doctype html><title>Start</title>";
const manifest = manifest12([{ href: "index.html" }]);

/** Refused checks leave no package. */
async function refusalOf(files: Parameters<typeof uploadPackage>[3]) {
  const make = makersOf(world);
  const { university, course } = await make.topic();
  const teacher = world.as(await make.holder("instructor", university.id));
  const file_id = await uploadPackage(world, teacher, course.id, files);
  const { status, body } = await teacher.post("/scorm/packages", { file_id });
  const { rows } = await world.deps.db.execute(sql`select from scorm_packages where file_id = ${file_id}`);
  expect(rows).toEqual([]);
  return [status, body.detail];
}

describe("an uploaded file", () => {
  it("is a package with its version, SCOs and thresholds", async () => {
    const extra = "<adlcp:masteryscore>75</adlcp:masteryscore>";
    const { checked, file_id, changed } = await openPackage(world, {
      items: [{ href: "index.html", title: "Quiz", extra }],
    });
    expect(checked.status).toBe(201);
    expect(checked.body).toEqual({
      ...{ file_id, version: "1.2", title: "Course", is_sequenced: false },
      scos: [{ id: "item1", title: "Quiz", is_sco: true, passing_score: 0.75, completion_threshold: null }],
      checked_at: "2026-03-10T12:00:00.000Z",
    });
    expect([changed.status, changed.body.data_json.file_id]).toEqual([200, file_id]);
  });

  it("is found again with 200, and follows a change of the reader", async () => {
    const { teacher, file_id, checked } = await openPackage(world);
    await world.deps.db.execute(sql`update scorm_packages set title = 'Former' where file_id = ${file_id}`);
    const again = await teacher.post("/scorm/packages", { file_id });
    expect([again.status, again.body]).toEqual([200, checked.body]);
    const { rows } = await world.deps.db.execute(
      sql`select title from scorm_packages where file_id = ${file_id}`,
    );
    expect(rows).toEqual([{ title: "Course" }]);
  });

  it.each([
    ["is no archive", new TextEncoder().encode("plain text"), /^The package is not a readable ZIP archive: /],
    ["has no manifest", packageOf({ "index.html": page }), /^imsmanifest.xml is not at the top/],
    [
      "is a package of cmi5",
      packageOf({ "cmi5.xml": "<courseStructure/>", "index.html": page }),
      /^imsmanifest.xml is not at the top/,
    ],
    [
      "has its manifest in a folder",
      packageOf({ "course/imsmanifest.xml": manifest, "course/index.html": page }),
      /^imsmanifest.xml is not at the top/,
    ],
    [
      "has a path that leaves it",
      packageOf({ "imsmanifest.xml": manifest, "index.html": page, "../evil.html": page }),
      /^The package's file \.\.\/evil\.html cannot be used: The path of this file leads out of the archive$/,
    ],
    [
      "is a bomb",
      packageOf({ "imsmanifest.xml": manifest, "index.html": page, "bomb.bin": new Uint8Array(20_000_000) }),
      /^The package's file bomb\.bin cannot be used: should have at most 200 times/,
    ],
    [
      "has an absolute path",
      packageOf({ "imsmanifest.xml": manifest, "index.html": page, "/etc/passwd": page }),
      /^The package's file \/etc\/passwd cannot be used: The path of this file leads out of the archive$/,
    ],
    [
      "has a path that leaves it by backslashes",
      packageOf({ "imsmanifest.xml": manifest, "index.html": page, "..\\evil.html": page }),
      /^The package's file \.\.\/evil\.html cannot be used: The path of this file leads out of the archive$/,
    ],
    [
      "has a symbolic link",
      zipSync({
        "imsmanifest.xml": strToU8(manifest),
        "index.html": strToU8(page),
        "link.html": [strToU8("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }],
      }),
      /^The package's file link\.html cannot be used: /,
    ],
    [
      "launches a file outside of it",
      packageOf({ "imsmanifest.xml": manifest12([{ href: "../../index.html" }]), "index.html": page }),
      /^'Part 1' launches \.\.\/\.\.\/index\.html/,
    ],
    [
      "launches a script",
      packageOf({ "imsmanifest.xml": manifest12([{ href: "javascript:alert(1)" }]), "index.html": page }),
      /^'Part 1' launches javascript:alert\(1\)/,
    ],
    [
      "has a file twice",
      archiveOf([
        { name: "imsmanifest.xml", packed: packedText(manifest), size: manifest.length },
        { name: "a.html", packed: packedText(page), size: page.length },
        { name: "a.html", packed: packedText(page), size: page.length },
      ]),
      /^The package's file a\.html cannot be used: The archive has two files with this name$/,
    ],
    [
      "lies about the manifest's size",
      archiveOf([{ name: "imsmanifest.xml", packed: packedText(manifest), size: 10 }]),
      /^The package's file imsmanifest\.xml cannot be used: /,
    ],
    [
      "has a manifest of a cartridge",
      packageOf({
        "imsmanifest.xml": manifest.replace("<schemaversion>1.2", "<schemaversion>1.3.0"),
        "index.html": page,
      }),
      /^The manifest has the version 1\.3\.0\. Use SCORM 1\.2 or 2004$/,
    ],
    ...["1.0", "1.1", "1.20", "2005", "CAM 1.4"].map((version): [string, Uint8Array, RegExp] => [
      `has the version ${version}`,
      packageOf({
        "imsmanifest.xml": manifest.replace("<schemaversion>1.2", `<schemaversion>${version}`),
        "index.html": page,
      }),
      new RegExp(`^The manifest has the version ${version.replace(".", "\\.")}\\. Use SCORM 1\\.2 or 2004$`),
    ]),
    [
      "lacks the launched file",
      packageOf({ "imsmanifest.xml": manifest }),
      /^'Part 1' launches index\.html, which is not in the package$/,
    ],
  ])("that %s is rejected", async (_, bytes, message) => {
    expect(await refusalOf(bytes)).toEqual([400, expect.stringMatching(message)]);
  });

  it("is checked only for writers of its course, and used only once checked", async () => {
    const { teacher, course, university, item, asLearner, make } = await openPackage(world);
    const stranger = world.as(await make.holder("instructor", (await make.university()).id));
    const assistant = world.as(await make.holder("ta", university.id));
    const file_id = await uploadPackage(world, teacher, course.id, {
      "imsmanifest.xml": manifest,
      "index.html": page,
    });
    for (const client of [stranger, assistant, asLearner])
      expect((await client.post("/scorm/packages", { file_id })).status).toBe(403);
    const used = await teacher.put(`/content/${item.id}`, { data_json: { file_id } });
    expect([used.status, used.body.detail]).toEqual([
      400,
      `File ${file_id} was not checked as a SCORM package`,
    ]);
    const missing = await teacher.post("/scorm/packages", { file_id: 999_999 });
    expect([missing.status, missing.body.detail]).toEqual([400, "File 999999 does not exist"]);
  });
});

describe("a package's files", () => {
  const text = "0123456789".repeat(10);
  const files = {
    "css/style.css": "p{}",
    "data.txt": text,
    "päge.html": page,
    "stored.bin": new Uint8Array([1, 2, 3]),
  };

  async function opened() {
    const at = await openPackage(world, { files });
    const { body } = await at.launch();
    const base = body.player_url.replace(/\/player$/, "");
    const get = (path: string, headers: Record<string, string> = {}, url = base) =>
      world.app.request(`${url}/${path}`, { headers });
    return { ...at, base, get };
  }

  it("are served on their own origin, with a policy that keeps scripts there", async () => {
    const { get, base, file_id } = await opened();
    expect(new URL(base).hostname).toBe(`p${file_id}.packages.test`);
    const index = await get("files/index.html");
    expect([index.status, index.headers.get("content-type"), await index.text()]).toEqual([
      200,
      "text/html",
      page,
    ]);
    const policy = index.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/allow-top-navigation|https:/);
    expect((await get("files/css/style.css")).headers.get("content-type")).toBe("text/css");
    expect(await (await get(`files/${encodeURIComponent("päge.html")}`)).text()).toBe(page);
    const player = await get("player");
    expect([player.status, (await player.text()).includes("player.js")]).toEqual([200, true]);
  });

  it("have ranges", async () => {
    const { get } = await opened();
    const part = await get("files/data.txt", { range: "bytes=95-" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 95-99/100",
      "56789",
    ]);
    const middle = await get("files/data.txt", { range: "bytes=2-4" });
    expect([middle.status, await middle.text()]).toEqual([206, "234"]);
    const behind = await get("files/data.txt", { range: "bytes=100-" });
    expect([behind.status, behind.headers.get("content-range")]).toEqual([416, "bytes */100"]);
  });

  it("are missing for other paths, tokens, hosts and times", async () => {
    const { get, base } = await opened();
    const at = (url: string) => get("files/index.html", {}, url);
    expect((await get("files/none.html")).status).toBe(404);
    expect((await get("files/..%2f..%2fetc%2fpasswd")).status).toBe(404);
    expect((await get("files/constructor")).status).toBe(404);
    expect((await at(base.replace(/\/\/p\d+\./, "//p1."))).status).toBe(404);
    expect((await at(base.replace(/\/\/p\d+\./, "//"))).status).toBe(404);
    expect((await at(`${base.slice(0, -2)}xx`)).status).toBe(404);
    expect((await at(base)).status).toBe(200);
    world.setNow("2026-03-11T12:00:01Z");
    expect((await at(base)).status).toBe(404);
    world.setNow("2026-03-10T12:00:00Z");
  });
});
