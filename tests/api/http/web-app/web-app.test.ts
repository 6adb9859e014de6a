import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { courseOfferingInstructors } from "../../../../schema/db/courses/offerings.ts";
import { demoAccounts, demoPassword } from "../../../../scripts/dev/seed/accounts.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const stranger = {
  email: "nobody@northgate.example",
  password: demoPassword,
  full_name: "No Body",
  role: "student",
};
const accounts = demoAccounts.map(({ email, name, role }) => ({
  ...{ email, role },
  full_name: name,
  password: demoPassword,
}));
const world = openWorld({
  DEMONSTRATION_ACCOUNTS: JSON.stringify([...accounts, stranger]),
  PUBLIC_URL: "https://learn.example.edu/lms",
  PACKAGES_URL: "https://packages.example.org",
});
const make = makersOf(world);

const bucket = {
  ...{ kind: "s3" as const, bucket: "learn-files", region: "eu-west-2" },
  ...{ endpoint: undefined, pathStyle: false },
};

const get = (path: string, headers = {}) => world.app.request(path, { headers });

describe("the web application", () => {
  it.each([
    ["/", "/lms/app"],
    ["/lms/", "/lms/app"],
  ])("is the target of %s", async (path, target) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, target]);
  });

  it("is a page that is revalidated each time, with the allowed scripts", async () => {
    const page = await get("/app");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    // External tools and packages of any host.
    expect(policy).toContain("frame-src 'self' https: http: https://packages.example.org;");
    expect(policy).not.toMatch(/unsafe|\*/);
    const again = await get("/app", { "If-None-Match": page.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });

  it("says how large files may be, and which store browsers may send them to", async () => {
    const html = await (await get("/app")).text();
    const [, limits = ""] = /data-uploads="([^"]*)"/.exec(html) ?? [];
    expect(JSON.parse(limits.replaceAll("&quot;", '"'))).toMatchObject({
      ...{ SUBMISSION: 100_000_000, POST: 20_000_000, AVATAR: 5_000_000, LOGO: 1_000_000 },
    });
    const inBucket = { ...world.deps, config: { ...world.deps.config, FILE_STORE: bucket } };
    const page = await createApp(inBucket, allEndpointGroups).request("/app");
    const policy = page.headers.get("content-security-policy") ?? "";
    const stored = "https://learn-files.s3.eu-west-2.amazonaws.com/";
    expect(policy).toContain(`connect-src 'self' ${stored} https://learn.example.edu;`);
    const without = { ...world.deps.config, FILE_STORE: undefined, ENVIRONMENT: "production" as const };
    const none = await createApp({ ...world.deps, config: without }, allEndpointGroups).request("/app");
    expect(await none.text()).toContain('data-uploads=""');
  });

  it.each(["/app", "/app/", "/lms/app"])(
    "%s names its parts, which are cached for as long as their names are valid",
    async (path) => {
      const page = await (await get(path)).text();
      const named = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");
      const links = named.filter((link) => !link.endsWith(".webmanifest"));
      expect(links).toHaveLength(5);
      for (const link of links) {
        const part = await get(new URL(link, `http://localhost${path}`).pathname);
        expect([part.status, part.headers.get("cache-control")]).toEqual([
          200,
          "public, max-age=31536000, immutable",
        ]);
        expect(part.headers.get("content-type")).toMatch(
          /^(text\/(css|javascript|plain)|image\/svg\+xml); charset=utf-8$/,
        );
      }
      const service = /data-service="([^"]+)"/.exec(page)?.[1] ?? "";
      const root = new URL(`${service}/`, `http://localhost${path}`).pathname;
      expect(root).toBe(path.startsWith("/lms") ? "/lms/" : "/");
    },
  );

  it("loads its build from the operator's location, and its policy allows only that origin", async () => {
    const config = { ...world.deps.config, APP_ASSETS_URL: "https://cdn.example.edu/learn" };
    const page = await createApp({ ...world.deps, config }, allEndpointGroups).request("/app");
    const html = await page.text();
    const own = await (await get("/app")).text();
    expect(own).not.toContain("crossorigin");
    const tags = [...html.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"[^>]*>/g)];
    for (const [tag, link = ""] of tags) {
      const isBuilt = /\.(css|js)$/.test(link);
      expect([link.startsWith("https://cdn.example.edu/learn/"), tag.includes(" crossorigin>")]).toEqual([
        isBuilt,
        isBuilt,
      ]);
      // The service's files, under the same names.
      expect(own).toContain(`app/${link.split("/").at(-1)}`);
    }
    const policy = page.headers.get("content-security-policy") ?? "";
    const sources = Object.fromEntries(
      policy
        .split("; ")
        .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1).join(" ")]),
    );
    const cdn = "https://cdn.example.edu";
    expect([sources["script-src"], sources["style-src"], sources["font-src"]]).toEqual([cdn, cdn, cdn]);
    expect([sources["connect-src"], sources["manifest-src"]].join()).not.toContain(cdn);
  });

  it.each(["/app", "/app/", "/lms/app"])(
    "%s is installed from a manifest, which opens the application below the same prefix",
    async (path) => {
      const config = { ...world.deps.config, APP_NAME: 'Learn "here" $&' };
      const ask = (at: string) => createApp({ ...world.deps, config }, allEndpointGroups).request(at);
      const page = await ask(path);
      expect(page.headers.get("content-security-policy")).toContain("manifest-src 'self'");
      const html = await page.text();
      const [, link = ""] = /rel="manifest" href="([^"]+)"/.exec(html) ?? [];
      const address = new URL(link, `http://localhost${path}`);
      const answer = await ask(address.pathname);
      expect([
        answer.status,
        answer.headers.get("content-type"),
        answer.headers.get("cache-control"),
      ]).toEqual([...[200, "application/manifest+json; charset=utf-8"], "no-cache"]);
      const manifest = await answer.json();
      expect(manifest).toMatchObject({ name: config.APP_NAME, display: "standalone" });
      const pathOf = (relative: string) => new URL(relative, address).pathname;
      const app = path.replace(/\/$/, "");
      expect([manifest.id, manifest.start_url, manifest.scope].map(pathOf)).toEqual([app, app, app]);
      const types = await Promise.all(
        manifest.icons.map(async ({ src }: { src: string }) =>
          (await ask(pathOf(src))).headers.get("content-type"),
        ),
      );
      expect(types.map((type) => type?.split(";")[0])).toEqual(
        manifest.icons.map(({ type }: { type: string }) => type),
      );
      const themes = [...html.matchAll(/name="theme-color" content="(#\w{6})"/g)].map(([, color]) => color);
      expect(themes[0]).toBe(manifest.theme_color);
      const styles = await readFile(new URL("../../../../app/styles/base.css", import.meta.url), "utf8");
      expect(styles).toContain(`--ground: light-dark(${themes.join(", ")});`);
    },
  );

  it("has a font for formulas, of this service, which its first screen does not wait for", async () => {
    const page = await get("/app");
    expect(page.headers.get("content-security-policy")).toContain("font-src 'self'");
    const html = await page.text();
    const [, styles] = /rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
    const [, font] = /url\("?\.\/([^")]+\.woff2)/.exec(await (await get(`/${styles}`)).text()) ?? [];
    expect(html).not.toContain(font);
    const answer = await get(`/app/${font}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "font/woff2"]);
    expect(Buffer.from(await answer.arrayBuffer()).toString("latin1", 0, 4)).toBe("wOF2");
  });

  it("loads less than 37 KB in three files for its first screen", async () => {
    const page = await get("/app");
    const links = [
      ...(await page.text()).matchAll(/<(?:script|link rel="stylesheet")[^>]*(?:href|src)="([^"]+)"/g),
    ];
    const wanted = links.map(([, link]) => `/${link}`);
    for (const path of wanted) {
      const text = await (await get(path)).text();
      const imported = path.endsWith(".js")
        ? text.matchAll(/\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"/g)
        : [];
      for (const [, from, bare] of imported)
        if (!wanted.includes(`/app/${from ?? bare}`)) wanted.push(`/app/${from ?? bare}`);
    }
    const sizes = await Promise.all(
      wanted.map(async (path) => gzipSync(await (await get(path)).text()).length),
    );
    expect(wanted.length).toBeLessThan(5);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(37 * 1024);
  });

  it("hands out nothing else of the package", async () => {
    for (const name of ["index.html", "built-from", "..%2fbuild.ts", "constructor", "app.js"])
      expect((await get(`/app/${name}`)).status, name).toBe(404);
  });
});

describe("GET /auth/demonstration-accounts", () => {
  it("names those of the setting that there are, to anyone", async () => {
    expect((await world.as().get("/auth/demonstration-accounts")).body).toEqual([]);
    await make.person({ email: "mina@northgate.example" });
    expect((await world.as().get("/auth/demonstration-accounts")).body).toEqual([
      { email: "mina@northgate.example", full_name: "Mina Park", role: "STUDENT", password: demoPassword },
    ]);
  });
});

describe("GET /users/me/roles", () => {
  it("lists the caller's roles, and those from teaching an offering", async () => {
    const { course } = await make.topic();
    const nobody = await make.person();
    expect((await world.as(nobody).get("/users/me/roles")).body).toEqual([]);
    const teacher = await make.holder("ta", course.university_id);
    const scope = { university_id: course.university_id, department_id: null, offering_id: null };
    const { id: course_offering_id } = await make.offering(course);
    await world.deps.db.insert(courseOfferingInstructors).values({ course_offering_id, user_id: teacher.id });
    expect((await world.as(teacher).get("/users/me/roles")).body).toEqual([
      { ...scope, role: "TA", course_id: null },
      { ...scope, role: "INSTRUCTOR", course_id: course.id },
    ]);
  });
});
