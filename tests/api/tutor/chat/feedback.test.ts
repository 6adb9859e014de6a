import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { messageIdOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

async function answered() {
  const { item, university } = await make.topic();
  const client = world.as(await make.person());
  const session = await openSession(client, item.id);
  const id = messageIdOf(await session.say("Start."));
  const tree = `/chat/topics/${item.id}/tree`;
  const instructor = world.as(await make.holder("instructor", university.id));
  return { item, client, session, id, path: `/chat/messages/${id}/feedback`, tree, instructor };
}

describe("a learner's rating of an answer", () => {
  it("is shown with the answer, to the learner only, until it is changed or withdrawn", async () => {
    const { client, session, id, path } = await answered();
    expect((await client.put(path, { rating: "up", comment: "Clear." })).body).toEqual({
      message_id: id,
      rating: "up",
      comment: "Clear.",
      updated_at: expect.stringMatching(/Z$/),
    });
    const feedback = async () => (await session.read()).messages.at(-1).feedback;
    expect(await feedback()).toEqual({ rating: "up", comment: "Clear." });
    await client.put(path, { rating: "down" });
    expect(await feedback()).toEqual({ rating: "down", comment: "Clear." });
    await client.put(path, { rating: "down", comment: null });
    expect(await feedback()).toEqual({ rating: "down", comment: null });
    const page = await client.get(`/chat/sessions/${session.id}/messages`);
    expect(page.body.messages.at(-1).feedback).toEqual({ rating: "down", comment: null });
    const { share_token } = (await client.post(`/chat/sessions/${session.id}/share`)).body;
    const shared = await world.as().get(`/chat/share/${share_token}`);
    expect(shared.body.messages.at(-1).feedback).toBeNull();
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.delete(path)).status).toBe(204);
    expect(await feedback()).toBeNull();
  });

  it("is a 403 for another person's answer, a 404 for a missing one, and a 400 for a question", async () => {
    const { session, path, client } = await answered();
    const other = world.as(await make.person());
    expect((await other.put(path, { rating: "up" })).status).toBe(403);
    expect((await other.delete(path)).status).toBe(403);
    const none = "/chat/messages/2000000000/feedback";
    expect((await client.put(none, { rating: "up" })).status).toBe(404);
    expect((await client.delete(none)).status).toBe(404);
    const [question] = (await session.read()).messages;
    expect((await client.put(`/chat/messages/${question.id}/feedback`, { rating: "up" })).status).toBe(400);
    expect((await client.delete(`/chat/messages/${question.id}/feedback`)).status).toBe(400);
    expect((await client.put(path, { rating: "sideways" })).status).toBe(422);
  });

  it("is counted at its node for the course's staff, without the person", async () => {
    const { item, client, path, tree, instructor } = await answered();
    const other = world.as(await make.person());
    const second = messageIdOf(await (await openSession(other, item.id)).say("Start."));
    await client.put(path, { rating: "down", comment: "Unclear." });
    await other.put(`/chat/messages/${second}/feedback`, { rating: "up" });
    const shown = await instructor.get(tree);
    expect(shown.body.nodes[0].feedback).toEqual({ up: 1, down: 1 });
    expect(shown.text).not.toContain("Unclear.");
  });

  it("outlives the node of the answer, and is deleted with its conversation", async () => {
    const { client, session, path, tree, instructor } = await answered();
    await client.put(path, { rating: "up" });
    const [{ id: node }] = (await instructor.get(tree)).body.nodes;
    expect((await instructor.delete(`${tree}/nodes/${node}`)).status).toBe(204);
    expect((await session.read()).messages.at(-1).feedback).toEqual({ rating: "up", comment: null });
    expect((await client.put(path, { rating: "down" })).status).toBe(200);
    await client.delete(`/chat/sessions/${session.id}`);
    expect((await client.put(path, { rating: "up" })).status).toBe(404);
  });
});
