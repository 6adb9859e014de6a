import { sql } from "drizzle-orm";
import * as z from "zod";
import { createHandover } from "../../../lib/community/handovers.ts";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { beginSession } from "../../../lib/tutor/chat/begin-session.ts";
import { daysBefore, minutesAfter, withClock } from "./clock.ts";
import { takeTurn, tutorSettings } from "./take-turn.ts";

type Walk = {
  topic: string;
  /** A learner each: the option of each question, `h` for a hint, `?` for the question, `!` for a hand-off to staff. */
  learners: readonly string[];
  question: string;
  handedOver: string;
};

/** Both topics' scripts are in tutor-scripts. */
export const walks: readonly Walk[] = [
  {
    topic: "The idea of the Fourier series",
    learners: [
      ...["BCA", "AAA", "BCA", "ACA", "BCB", "BhCA", "A", "BC"],
      ...["ACA", "BCA?", "AAC", "AC", "BCA", "BBA", "BC?!", "A"],
    ],
    question: "Why do only the odd multiples take part?",
    handedOver: "The tutor speaks of symmetry, but I do not see it in my plot. Can you show me?",
  },
  {
    topic: "Parameters and return values",
    learners: [
      ...["ABC", "BBA", "ABC", "BCC", "BBC", "AhBC", "B", "AB"],
      ...["ABC?", "BBA", "ABC", "AB", "BBA", "ABA", "ABA?", "AB"],
    ],
    question: "Is printing a value the same as returning it?",
    handedOver: "Does every function need a return?",
  },
];

const Learner = z.object({ id: z.int(), token_version: z.int(), item: z.int() });

/** The topic's learners, in the order in which they joined. Mina meets the class's answers when she signs in. */
const learnersOf = (db: Db, topic: string) =>
  rowsOf(
    db,
    Learner,
    sql`
      select person.id, person.token_version, item.id as item
      from content_items as item
      join course_offerings as run on run.course_id = item.course_id
      join enrollments as taken on taken.course_offering_id = run.id and taken.status in ('active', 'completed')
      join users as person on person.id = taken.user_id
      where item.title = ${topic} and person.email <> 'mina@northgate.example'
      order by person.created_at, person.id`,
  );

/** The class walks two topics with the tutor, over some weeks: the first fill the tree, the others follow it. */
export async function insertWalks(db: Db, now: Date): Promise<void> {
  const visits = await Promise.all(
    walks.map(async ({ topic, learners, ...words }, number) => {
      const people = await learnersOf(db, topic);
      return learners.flatMap((steps, at) => {
        const learner = people[at];
        // The last one came today.
        const days = at === learners.length - 1 ? 0 : 2 + ((at * 7 + number * 3) % 44);
        return learner ? [{ learner, steps, ...words, began: minutesAfter(daysBefore(now, days), -90) }] : [];
      });
    }),
  );
  const inOrder = visits.flat().toSorted((one, other) => one.began.getTime() - other.began.getTime());
  await withClock(db, async (tx, setClock) => {
    for (const { learner, steps, question, handedOver, began } of inOrder) {
      await setClock(began);
      const actor = await findActor(tx, learner);
      if (!actor) throw new Error("A classmate of the demonstration is not there");
      const { maxMaterial, prompt: tutorPrompt } = tutorSettings;
      const about = { content_item_id: learner.item };
      const { id } = await beginSession(tx, actor, about, { now: began, maxMaterial, tutorPrompt });
      for (const [minutes, message] of messagesOf(steps, question).entries()) {
        const moment = minutesAfter(began, minutes + 1);
        await setClock(moment);
        await takeTurn(tx, learner, id, message, moment);
      }
      if (!steps.endsWith("!")) continue;
      const message_ids = await lastMessages(tx, id);
      await createHandover(tx, actor, id, { message_ids, question: handedOver, visible: "STAFF" }, began);
    }
  });
}

const lastMessages = async (db: Db, session: number): Promise<number[]> => {
  const newest = sql`select id from chat_messages where session_id = ${session} order by id desc limit 2`;
  return (await rowsOf(db, z.object({ id: z.int() }), newest)).map(({ id }) => id);
};

function messagesOf(steps: string, question: string): string[] {
  let asked = 0;
  const messages = [...steps.replace("!", "")].map((step) => {
    if (step === "?") return question;
    if (step !== "h") asked += 1;
    const questionId = `q${step === "h" ? asked + 1 : asked}`;
    return JSON.stringify({ questionId, answer: step === "h" ? "@hint" : step });
  });
  return ["Start.", ...messages];
}
