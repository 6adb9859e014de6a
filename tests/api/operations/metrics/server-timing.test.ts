import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "../../tutor/chat/support.ts";

const world = openWorld();
const make = makersOf(world);

describe("Server-Timing", () => {
  it("has the number and the time of the queries, on errors too", async () => {
    const client = world.as(await make.person());
    expect((await client.get("/users/me")).headers.get("server-timing")).toMatch(
      /^db;desc="1 query";dur=\d+\.\d$/,
    );
    const refused = await world.as().get("/users/me");
    expect(refused.headers.get("server-timing")).toBe('db;desc="0 queries";dur=0.0');
    const nowhere = await world.app.request("/nowhere");
    expect(nowhere.headers.get("server-timing")).toBe('db;desc="0 queries";dur=0.0');
  });

  it("has the use of the shared answer tree, and the time of the LLM if it was called", async () => {
    const { item } = await make.topic();
    const greet = async () => {
      const session = await openSession(world.as(await make.person()), item.id);
      return (await session.greet()).headers.get("server-timing");
    };
    expect(await greet()).toMatch(/^db;desc="\d+ queries";dur=[\d.]+, cache;desc="miss", llm;dur=\d+\.\d$/);
    expect(await greet()).toMatch(/^db;desc="1 query";dur=[\d.]+, cache;desc="hit"$/);

    const uncached = await make.topic({ cache_enabled: false });
    const session = await openSession(world.as(await make.person()), uncached.item.id);
    expect((await session.greet()).headers.get("server-timing")).toContain('cache;desc="bypass", llm;dur=');
  });
});
