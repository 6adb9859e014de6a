import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { operations } from "../../support/operations.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

describe("every answer", () => {
  it("is taken for what it says it is, and tells no other host its address", async () => {
    for (const path of ["/courses/", "/nowhere", "/users/me"]) {
      const { headers } = await world.as().get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("strict-transport-security"), "over http").toBeNull();
    }
    const secure = await world.app.request("https://api.example.edu/api/v1/courses");
    expect(secure.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  it("is kept by no cache unless anyone gets it without a token", async () => {
    const someone = world.as(await make.person());
    const kept = async (reply: Promise<{ headers: Headers }>) =>
      !(await reply).headers.get("cache-control")?.includes("no-store");
    const login = { email: "nobody@example.edu", password: "x" };
    expect(await kept(world.as().get("/courses/"))).toBe(true);
    expect(await kept(someone.get("/courses/"))).toBe(false);
    expect(await kept(someone.get("/users/me"))).toBe(false);
    expect(await kept(world.as().post("/auth/login", login))).toBe(false);
    expect(await kept(world.as().get("/chat/share/abcdefghijklmnopqrstuvwxyz"))).toBe(false);
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
