import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";
import { openConversations } from "./conversations.ts";

const session = openSession();
const { rows, value } = session;
const { open, claim } = openConversations(session);

/** Messages in session 1 with consecutive ids: a greeting, another from 3 on, and later ones. */
const said = `
  insert into chat_messages (id, session_id, role, content) overriding system value
  values (1, 1, 'user', 'Start.'), (2, 1, 'assistant', 'Hello'), (3, 1, 'user', ' Start. '), (4, 1, 'assistant', 'Hello'),
         (5, 1, 'user', 'B'), (6, 1, 'assistant', 'Yes')`;

const aside = (id: number, end: number | null) => `
  insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, aside_of_id, path_end_id)
  overriding system value values (${id}, 1, 1, '{}', 'content', 'content', 1, ${end})`;

describe("close_open_aside_returning_path_end", () => {
  it("returns the position of the path, and closes the open aside", async () => {
    expect(await value("select close_open_aside_returning_path_end(1)")).toBeNull();
    await rows(said);
    await rows(aside(11, 6));
    expect(await value("select close_open_aside_returning_path_end(1)")).toBe(6);
    expect(await value("select closed_at is not null from chat_sessions where id = 11")).toBe(true);
    expect(await value("select closed_at is null from chat_sessions where id = 1")).toBe(true);
  });
});

describe("the exchanges of an answer in an aside", () => {
  it("begin with the path from the last greeting on, up to where the aside left it", async () => {
    await rows(said);
    await rows("update chat_messages set in_reply_to_id = id - 1 where role = 'assistant'");
    await rows("select setval(pg_get_serial_sequence('chat_messages', 'id'), 100)");
    const exchanges = async (of: number, end: number) => {
      await rows(aside(of, end));
      await open({ session: of, person: 1, content: "Why?", message: null });
      const claimed = await claim({ session: of, shared: false });
      await rows(`update chat_sessions set closed_at = now() where id = ${of}`);
      return claimed["exchanges"];
    };
    const greeting = { question: " Start. ", answer: "Hello", before_aside: true };
    expect(await exchanges(11, 4)).toEqual([greeting]);
    expect(await exchanges(12, 6)).toEqual([greeting, { question: "B", answer: "Yes", before_aside: true }]);
  });
});
