import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { operations } from "../../support/operations.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

describe("every answer", () => {
  it("has a fixed content type, and sends no other host its URL", async () => {
    for (const path of ["/courses/", "/nowhere", "/users/me"]) {
      const { headers } = await world.as().get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("strict-transport-security"), "over http").toBeNull();
    }
    const secure = await world.app.request("https://api.example.edu/api/v1/courses");
    expect(secure.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  it("loads and runs nothing if opened as a page, and cannot be framed", async () => {
    const policyOf = async (address: string, init?: RequestInit) =>
      (await world.app.request(address, init)).headers.get("content-security-policy");
    const asset = /app\/[\w.-]+\.js/.exec(await (await world.app.request("/app")).text())?.[0];
    for (const path of ["/api/v1/courses", "/api/v1/nowhere", "/api/v1/users/me", "/healthz", `/${asset}`]) {
      expect(await policyOf(path), path).toContain("default-src 'none'");
      expect(await policyOf(path), path).toContain("base-uri 'none'");
    }
    const refused = { method: "POST", body: "{" };
    for (const path of ["/app", "/docs", "/redoc", "/api/v1/auth/login"])
      expect(await policyOf(path, path.endsWith("login") ? refused : {}), path).toContain(
        "frame-ancestors 'none'",
      );
    const { headers } = await world.app.request("/app");
    const same = { headers: { "if-none-match": headers.get("etag") ?? "" } };
    expect(await policyOf("/app", same), "of the page that the browser has").toBeNull();
  });

  it("is not cached if it is about a person or contains a token", async () => {
    const someone = world.as(await make.person());
    const kept = async (reply: Promise<{ headers: Headers }>) =>
      !(await reply).headers.get("cache-control")?.includes("no-store");
    const login = { email: "nobody@example.edu", password: "x" };
    expect(await kept(world.as().get("/courses/"))).toBe(true);
    expect(await kept(someone.get("/enrollments/my-enrollments"))).toBe(false);
    expect(await kept(someone.get("/users/me"))).toBe(false);
    expect(await kept(world.as().post("/auth/login", login))).toBe(false);
    expect(await kept(world.as().get("/chat/share/abcdefghijklmnopqrstuvwxyz"))).toBe(false);
  });
});

describe("an answer that seldom changes", () => {
  const again = (tag: string | null) => ({ headers: { "if-none-match": tag ?? "" } });

  it("is sent again only when it has changed, to each as they see it", async () => {
    const { id: university_id } = await make.university();
    const course = await make.course(university_id);
    const path = `/courses/${course.id}`;
    const someone = world.as(await make.person());
    const first = await someone.get(path);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const tag = first.headers.get("etag");
    const same = await someone.get(path, again(tag));
    expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", tag]);
    expect((await world.as().get(path, again(tag))).status).toBe(304);
    expect((await someone.get(path, again('"other", W/"tags"'))).status).toBe(200);

    const admin = world.as(await make.holder("platform_admin", university_id));
    await admin.put(path, { is_published: false });
    expect((await someone.get(path, again(tag))).status).toBe(404);
    const changed = await admin.get(path, again(tag));
    expect(changed.status).toBe(200);
    expect(changed.body.is_published).toBe(false);
  });

  it("carries its tag, also as a list and as the API document", async () => {
    for (const path of ["/courses/", "/domains/", "/content-types/", "/countries/", "/universities/"]) {
      const { headers } = await world.as().get(path);
      expect((await world.as().get(path, again(headers.get("etag")))).status, path).toBe(304);
    }
    const document = await world.app.request("/openapi.json");
    const headers = { "if-none-match": document.headers.get("etag") ?? "" };
    expect((await world.app.request("/openapi.json", { headers })).status).toBe(304);
  });

  it("may be requested, and its tag read, by a page of another origin", async () => {
    const origin = "https://learn.example.edu";
    const { headers } = await world.as().get("/courses/", { headers: { origin } });
    expect(headers.get("access-control-expose-headers")).toContain("ETag");
    const tag = headers.get("etag") ?? "";
    const same = await world.as().get("/courses/", { headers: { origin, "if-none-match": tag } });
    expect([same.status, same.headers.get("access-control-allow-origin")]).toEqual([304, origin]);
  });
});

describe("a path that ends in a word of the API", () => {
  const literal = Map.groupBy(
    operations.filter(({ path }) => !path.endsWith("}")),
    ({ path }) => path,
  );
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

  it.each([...literal])("%s has no other methods than its own", async (path, own) => {
    const address = path.replaceAll(/\{\w+\}/g, "1");
    const others = methods.filter((method) => !own.some((operation) => operation.method === method));
    for (const method of others) {
      const reply = await world.as().request(method, address);
      expect(reply.status, method).toBe(405);
      for (const operation of own) expect(reply.headers.get("allow")).toContain(operation.method);
    }
  });
});
