import { describe, expect, it } from "vitest";
import { holdDeadlines } from "../../../support/held-deadlines.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

describe("a function that nears its time limit", () => {
  it("ends the stream with an error event, and leaves no node", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const session = await openSession(client, item.id);
    const deadlines = holdDeadlines();
    world.llm.script({ chunks: ["Half "], failure: "hang" });
    const response = await world.app.request(
      `/api/v1/chat/sessions/${session.id}/messages`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${await client.token}` },
        body: JSON.stringify({ content: "Start." }),
      },
      { lambdaContext: { getRemainingTimeInMillis: () => 8000 } },
    );
    // The first chunk has arrived. Five seconds remain for the interruption's event.
    deadlines.pass(3000);
    const events = (await response.text()).split("\n\n").filter(Boolean);
    expect(events[0]).toBe('data: {"content":"Half ","done":false}');
    expect(events.at(-1)).toContain('"done":true,"error":');
    expect(await session.read()).toMatchObject({ cache_node_id: null, messages: [{ role: "user" }] });
    expect((await session.say("Start.")).status).toBe(200);
  });
});
