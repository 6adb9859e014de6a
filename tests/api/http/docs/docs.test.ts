import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { withDeploymentNameAndUrl } from "../../../../functions/http/docs/api-document.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();

const get = (path: string) => world.app.request(path);

describe("the API document", () => {
  it("is served at the root, to anyone", async () => {
    const answer = await get("/openapi.json");
    expect(answer.status).toBe(200);
    const document = (await answer.json()) as { paths: object };
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Ramavia" } });
    expect(Object.keys(document.paths)).toContain("/api/v1/users/me");
  });

  it("carries the deployment's own name, version and prefix", () => {
    const document = {
      info: { title: "", description: "kept" },
      servers: [],
      paths: { "/api/v1/users/me": 1, "/metrics": 2 },
    };
    const config = {
      ...world.deps.config,
      APP_NAME: "Campus",
      APP_VERSION: "2.1.0",
      API_V1_PREFIX: "/learn",
    };
    expect(withDeploymentNameAndUrl(document, config, "https://campus.example.edu")).toEqual({
      info: { title: "Campus", version: "2.1.0", description: "kept" },
      servers: [{ url: "https://campus.example.edu" }],
      paths: { "/learn/users/me": 1, "/metrics": 2 },
    });
  });
});

describe("the pages", () => {
  it.each([
    [
      "/docs",
      ["/docs/swagger-ui-dist/swagger-ui.css", "/docs/swagger-ui-dist/swagger-ui-bundle.js", "/openapi.json"],
    ],
    ["/redoc", ["/openapi.json", "/redoc/redoc.js", "/redoc/start.js"]],
  ])("take everything from this service, with and without a trailing slash: %s", async (path, expected) => {
    for (const asked of [path, `${path}/`]) {
      const page = await get(asked);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      const links = [
        ...(await page.text()).matchAll(/(?:(?:href|src|data-document)=|\burl: )["'](?!data:)([^"']+)["']/g),
      ];
      expect(links.map(([, link]) => new URL(link ?? "", `http://localhost${asked}`).pathname)).toEqual(
        expected,
      );
    }
  });

  it.each(["/docs", "/redoc"])("allow no script from elsewhere or made from text: %s", async (path) => {
    const page = await get(path);
    const policy = page.headers.get("content-security-policy") ?? "";
    const [, scripts = ""] = /^default-src 'none'; script-src 'self'([^;]*);/.exec(policy) ?? [];
    const inline = [...(await page.text()).matchAll(/<script>([\s\S]*?)<\/script>/g)];
    const hashes = inline.map(([, script = ""]) => ` 'sha256-${hash("sha256", script, "base64")}'`);
    expect(scripts).toBe(hashes.join(""));
    expect(policy).not.toContain("unsafe-eval");
  });

  it("write the name of the deployment as text", async () => {
    const config = { ...world.deps.config, APP_NAME: "<b>Campus</b>" };
    const app = createApp({ ...world.deps, config }, allEndpointGroups);
    for (const path of ["/docs", "/redoc"])
      expect(await (await app.request(path)).text()).toContain("<title>&lt;b&gt;Campus&lt;/b&gt;</title>");
  });

  it("serve their scripts and styles with their charset", async () => {
    for (const [name, type] of [
      ["docs/swagger-ui-dist/swagger-ui-bundle.js", "text/javascript"],
      ["docs/swagger-ui-dist/swagger-ui.css", "text/css"],
      ["redoc/redoc.js", "text/javascript"],
      ["redoc/start.js", "text/javascript"],
    ]) {
      const asset = await get(`/${name}`);
      expect(asset.status, name).toBe(200);
      expect(asset.headers.get("content-type"), name).toBe(`${type}; charset=utf-8`);
      expect((await asset.text()).length, name).toBeGreaterThan(100);
    }
  });

  it("send the document to no validator", async () => {
    expect(await (await get("/docs")).text()).toContain("validatorUrl: 'none'");
  });

  it("serve nothing else from their folders", async () => {
    for (const name of ["package.json", "..%2f..%2fpackage.json", "constructor", "swagger-ui.js"])
      expect((await get(`/docs/swagger-ui-dist/${name}`)).status, name).toBe(404);
  });
});
