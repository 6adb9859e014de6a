import { expect, it } from "vitest";
import { createApp } from "../../../lib/http/create-app.ts";
import { type Contract, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { type EndpointOnDemand, onDemand } from "../../../lib/http/on-demand.ts";
import { anyone, signedIn } from "../../../lib/identity/auth/guards.ts";
import { OwnRole } from "../../../schema/api/identity/users.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

/** An app whose operations load on demand, and the ids of loaded ones. */
function appOnDemand() {
  const read: string[] = [];
  const onDemandAt = (id: string, path: string, access: Pick<Contract, "access">): EndpointOnDemand =>
    onDemand({ method: "get", path }, async () => {
      read.push(id);
      const contract = { id, method: "get", path, summary: id, ...access, ...ok(OwnRole, "A role") } as const;
      return endpoint(contract, () => new Response(id));
    });
  const endpoints = [onDemandAt("open", "/open", anyone), onDemandAt("guarded", "/{role_id}", signedIn)];
  const app = createApp(world.deps, [{ tag: "Test", mount: "/read", atRoot: false, endpoints }]);
  const ask = async (path: string, method = "GET") => {
    const answer = await app.request(`${world.deps.config.API_V1_PREFIX}/read${path}`, { method });
    return [answer.status, await answer.text()];
  };
  return { ask, read };
}

it("an operation on demand is read once, with the first request for it, and no other with it", async () => {
  const { ask, read } = appOnDemand();
  expect(await Promise.all([ask("/open"), ask("/open/")])).toEqual([
    [200, "open"],
    [200, "open"],
  ]);
  expect(await ask("/open")).toEqual([200, "open"]);
  expect(read).toEqual(["open"]);
});

it("an operation on demand is guarded as every other", async () => {
  const { ask, read } = appOnDemand();
  expect(await ask("/7")).toEqual([401, '{"detail":"Could not validate credentials"}']);
  expect(read).toEqual(["guarded"]);
});

it("an unknown operation is rejected without reading files", async () => {
  const { ask, read } = appOnDemand();
  expect((await ask("/open", "DELETE"))[0]).toBe(405);
  expect((await ask("/open/further"))[0]).toBe(404);
  expect((await ask("/7", "OPTIONS"))[0]).toBeLessThan(300);
  expect(read).toEqual([]);
});
