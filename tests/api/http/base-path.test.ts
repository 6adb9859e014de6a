import { handle, type LambdaContext, type LambdaEvent } from "hono/aws-lambda";
import { expect, it } from "vitest";
import { allEndpointGroups } from "../../../functions/groups.ts";
import { createApp } from "../../../lib/http/create-app.ts";
import { gatewayEvent } from "../../support/gateway.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** The status and `Link` of a Lambda function's response to an event. */
async function askFunction(event: object) {
  const answer = await handle(createApp(world.deps, allEndpointGroups))(
    event as LambdaEvent,
    {} as LambdaContext,
  );
  const { link = [] } = ("multiValueHeaders" in answer && answer.multiValueHeaders) || {};
  return { status: answer.statusCode, link: link.join() };
}

/** A REST API's event for a custom domain: the resource lacks the base path. */
const domainEvent = (path: string, resource: string) => {
  const event = gatewayEvent({ path });
  return {
    ...event,
    resource,
    requestContext: { ...event.requestContext, path, domainName: "learn.example.edu" },
  };
};

/** An HTTP API's event or, for the stage `$default`, the function URL's. */
const httpApiEvent = (rawPath: string, stage: string, rawQueryString = "") => ({
  version: "2.0",
  routeKey: "$default",
  rawPath,
  rawQueryString,
  headers: { host: "abc123.lambda-url.eu-west-2.on.aws" },
  requestContext: { stage, http: { method: "GET", path: rawPath }, domainName: "abc123" },
  isBase64Encoded: false,
});

it.each([
  ["a stage of a REST API", gatewayEvent({ path: "/healthz" })],
  ["a custom domain's base path", domainEvent("/lms/healthz", "/healthz")],
  [
    "a deeper base path, to a resource with a parameter",
    domainEvent("/lms/v2/docs/swagger-ui-dist/swagger-ui.css", "/docs/{proxy+}"),
  ],
  ["a named stage of an HTTP API", httpApiEvent("/production/api/v1/courses", "production")],
  ["the root stage of an HTTP API", httpApiEvent("/api/v1/courses", "$default")],
  ["a function's own URL", httpApiEvent("/readyz", "$default")],
])("the service answers at %s", async (_, event) => {
  expect(await askFunction(event)).toMatchObject({ status: 200 });
});

it("a path that only resembles the base path is a 404", async () => {
  expect(await askFunction(httpApiEvent("/productions/healthz", "production"))).toMatchObject({
    status: 404,
  });
});

it("behind a proxy that passes the base path on, PUBLIC_URL defines it", async () => {
  const config = { ...world.deps.config, PUBLIC_URL: "https://learn.example.edu/lms/" };
  const app = createApp({ ...world.deps, config }, allEndpointGroups);
  for (const path of ["/lms/healthz", "/lms/api/v1/courses/", "/healthz"])
    expect((await app.request(path)).status, path).toBe(200);
  expect((await app.request("/lmsx/healthz")).status).toBe(404);
});

it("a prefix of PUBLIC_URL that equals the API's may be removed by the proxy, or passed on", async () => {
  const config = { ...world.deps.config, PUBLIC_URL: "https://learn.example.edu/api" };
  const app = createApp({ ...world.deps, config }, allEndpointGroups);
  for (const path of ["/api/v1/courses/", "/api/api/v1/courses/", "/docs", "/api/docs"])
    expect((await app.request(path)).status, path).toBe(200);
});

it("links in responses have the base path", async () => {
  const { module, university } = await make.topic();
  const text = "x".repeat(256 * 1024 - 60);
  for (let at = 0; at < 21; at++)
    await make.contentItem(module, university.id, { data_json: { blocks: [{ type: "paragraph", text }] } });
  const path = `/api/v1/content/modules/${module.id}/content`;
  const event = domainEvent(`/lms${path}`, "/api/v1/content/{proxy+}");
  expect((await askFunction(event)).link).toContain(`https://learn.example.edu/lms${path}?skip=`);
});
