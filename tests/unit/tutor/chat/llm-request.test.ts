import { expect, it } from "vitest";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import { llmRequest } from "../../../../lib/tutor/chat/llm-request.ts";
import type { OpenTurn } from "../../../../lib/tutor/chat/open-turn.ts";
import { resolveTutorPrompt } from "../../../../lib/tutor/chat/tutor-prompt.ts";
import { heldMegabytes } from "../../../support/heap.ts";

const graphOf = (prompt: string) => ({
  root: 1,
  prompts: [{ id: 1, name: "tutor", version: 3, prompt }],
  links: [],
});

const context = { title: "Loops" } as ContentContext;

const requestOf = (template: string, content: string) => {
  const turn: OpenTurn = {
    session_id: 1,
    user_id: 1,
    message_id: 1,
    token: "token",
    content,
    shared: false,
    parent_id: null,
    message: null,
    move: null,
    model: "model-one",
    university_id: 1,
    generation: null,
    graph: graphOf(template),
  };
  return llmRequest(
    turn,
    resolveTutorPrompt(turn),
    { context, exchanges: [] },
    { maxMaterial: 1000, hasTool: false, bounds: { models: [], highestTemperature: 1, longestAnswer: 100 } },
  );
};

it("puts the prompt of turns that have the same graph together once", () => {
  const graph = graphOf("Teach {{title}}.");
  expect(resolveTutorPrompt({ graph })).toBe(resolveTutorPrompt({ graph }));
  expect(resolveTutorPrompt({ graph })).toMatchObject({
    name: "tutor",
    version: 3,
    template: "Teach {{title}}.",
  });
});

it("rejects a turn without a prompt, any number of times", () => {
  const rootless = { root: 2, prompts: [], links: [] };
  for (const graph of [null, rootless, rootless])
    expect(() => resolveTutorPrompt({ graph })).toThrow("The tutor is not set up here yet");
});

it("keeps one copy of a text for many learners of a topic", async () => {
  const long = "Be patient. ".repeat(50_000);
  const before = await heldMegabytes();
  const requests = Array.from({ length: 40 }, (_, learner) =>
    requestOf(`${long}Teach {{title}}.`, `Question ${learner}`),
  );
  expect(new Set(requests.map(({ system }) => system))).toEqual(new Set([`${long}Teach "Loops".`]));
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toContain("Question 39");
  expect((await heldMegabytes()) - before).toBeLessThan(10);
});
