import { describe, expect, it } from "vitest";
import { named } from "../../../functions/docs/api-document.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

const get = (path: string) => world.app.request(path);

describe("the API document", () => {
  it("is served at the root, to anyone", async () => {
    const answer = await get("/openapi.json");
    expect(answer.status).toBe(200);
    const document = (await answer.json()) as { paths: object };
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Learning Platform Service" } });
    expect(Object.keys(document.paths)).toContain("/api/v1/users/me");
  });

  it("carries the deployment's own name, version and prefix", () => {
    const document = {
      info: { title: "", description: "kept" },
      paths: { "/api/v1/users/me": 1, "/metrics": 2 },
    };
    const config = {
      ...world.deps.config,
      APP_NAME: "Campus",
      APP_VERSION: "2.1.0",
      API_V1_PREFIX: "/learn",
    };
    expect(named(document, config)).toEqual({
      info: { title: "Campus", version: "2.1.0", description: "kept" },
      paths: { "/learn/users/me": 1, "/metrics": 2 },
    });
  });
});

describe("the page", () => {
  it("takes everything from this service, with and without its trailing slash", async () => {
    for (const path of ["/docs", "/docs/"]) {
      const page = await get(path);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      const links = [...(await page.text()).matchAll(/(?:href|src|data-document)="(?!data:)([^"]+)"/g)];
      expect(links.map(([, link]) => new URL(link ?? "", `http://localhost${path}`).pathname)).toEqual([
        "/docs/swagger-ui.css",
        "/openapi.json",
        "/docs/swagger-ui-bundle.js",
        "/docs/start.js",
      ]);
    }
  });

  it("allows no script from elsewhere, and none that is made from text", async () => {
    const policy = (await get("/docs")).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain("unsafe-eval");
  });

  it("serves its scripts and styles with their charset", async () => {
    for (const [name, type] of [
      ["swagger-ui-bundle.js", "text/javascript"],
      ["start.js", "text/javascript"],
      ["swagger-ui.css", "text/css"],
    ]) {
      const asset = await get(`/docs/${name}`);
      expect(asset.status, name).toBe(200);
      expect(asset.headers.get("content-type"), name).toBe(`${type}; charset=utf-8`);
      expect((await asset.text()).length, name).toBeGreaterThan(100);
    }
  });

  it("asks nobody to validate the document", async () => {
    expect(await (await get("/docs/start.js")).text()).toContain("validatorUrl: null");
  });

  it("serves nothing else from its folder", async () => {
    for (const name of ["package.json", "..%2f..%2fpackage.json", "constructor", "swagger-ui.js"])
      expect((await get(`/docs/${name}`)).status, name).toBe(404);
    expect((await get("/redoc")).status).toBe(404);
  });
});
