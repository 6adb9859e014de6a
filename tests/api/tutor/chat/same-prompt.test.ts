import { expect, it } from "vitest";
import { openTurn } from "../../../../lib/tutor/chat/open-turn.ts";
import { openWorld } from "../../../support/world.ts";
import { openConversation } from "./support.ts";

const world = openWorld();

it("turns with the same prompt share one copy", async () => {
  const { db, now } = world.deps;
  const settings = {
    defaultModel: "model-of-the-tests",
    allowedModels: [],
    tutorPrompt: "tutor",
    now: now(),
  };
  const graphOf = async () => {
    const { person, session } = await openConversation(world);
    const turn = await openTurn(db, person as never, session.id, { content: "Why?" }, settings);
    if ("stored" in turn) throw new Error("nothing is stored yet");
    return turn.graph;
  };
  const graph = await graphOf();
  expect(graph?.prompts).not.toEqual([]);
  expect(await graphOf()).toBe(graph);
});
