import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { insertLearnersWithChatSessions, type LearnerSessionAndToken } from "../learners.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import {
  bystanderIpAddress,
  createProfileReadProbe,
  type FloodEnvironment,
  floodingIpAddress,
} from "./environment.ts";
import { expectSuccessStatus } from "./http-client.ts";

/** Conversations of the flooding user, twice the limit of concurrent answers. */
const conversations = 8;

const Session = z.object({ id: z.int() });

/**
 * One user continuously requests private answers in several conversations. Others open the topic, whose first
 * answer is stored, and ask private questions: their time to the first chunk counts.
 */
export async function createTutorGenerationsFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller, deps, make } = stage;
  await make.topic();
  const [flooder] = await insertLearnersWithChatSessions(deps, 1, make.unique("floods"));
  if (!flooder) throw new Error("nobody floods");
  const further = sql`
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    select user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint from chat_sessions, generate_series(2, ${conversations}::int)
    where id = ${flooder.sessionId}
    returning id`;
  const sessions = [{ id: flooder.sessionId }, ...(await rowsOf(deps.db, Session, further))];

  // Learners with equal names are on the same path.
  const learners = await insertLearnersWithChatSessions(deps, 500, make.unique("learner"));
  const ask = ({ sessionId, token }: LearnerSessionAndToken, content: string, from: string) =>
    caller.send({ path: `/chat/sessions/${sessionId}/messages`, from, token, body: { content } });
  const firstWords = async (content: string): Promise<number> => {
    const learner = learners.pop();
    if (!learner) throw new Error("the class is too small");
    const { text, firstMilliseconds } = await expectSuccessStatus(ask(learner, content, bystanderIpAddress));
    if (!text.includes('"message_id"')) throw new Error(`an answer came to no end: ${text.slice(0, 200)}`);
    return firstMilliseconds;
  };

  return {
    name: "private answers",
    others: [
      await createProfileReadProbe(stage),
      {
        name: "a stored answer",
        everyMs: 100,
        bound: { times: 5, milliseconds: 80 },
        wait: () => firstWords("Start."),
      },
      {
        name: "a private answer",
        everyMs: 500,
        bound: { times: 4, milliseconds: 200 },
        wait: () => firstWords("What does that mean in my own words?"),
      },
    ],
    async run(isOver, tell) {
      const asking = sessions.map(({ id }) => {
        const conversation = { sessionId: id, token: flooder.token };
        return repeatRequestsUntilAborted(isOver, tell, () =>
          ask(conversation, "And what does this mean?", floodingIpAddress),
        );
      });
      await Promise.all(asking);
    },
  };
}
