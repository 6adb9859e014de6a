import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Question } from "../../schema/question.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { doInSteps } from "../db/query/steps.ts";
import { choicesOf } from "../dialogue/choices.ts";

const atOnce = 200;

const Row = z.object({ id: z.int(), question: z.custom<Question>(), has_key: z.boolean() });

/**
 * Computes the choices of stored answers again, from their questions, where an earlier version computed them: in steps,
 * until `signal`. Answers how many steps were done.
 */
export const renewChoices = (db: Db, signal: AbortSignal): Promise<number> =>
  doInSteps(db, { rows: atOnce, signal }, async (tx, rows) => {
    // choicesVersion as a literal, as the index has it: a test holds the two together.
    const nodes = await rowsOf(
      tx,
      Row,
      sql`select id, question, question_key is not null as has_key from cache_nodes
          where question is not null and (choices ->> 'version') is distinct from '2'
          order by id limit ${rows} for no key update skip locked`,
    );
    if (nodes.length === 0) return false;
    const renewed = nodes.map(({ id, question, has_key: hasKey }) => ({
      id,
      choices: choicesOf(question, { hasKey }),
    }));
    await tx.execute(sql`
      update cache_nodes as node set choices = renewed.choices
      from jsonb_to_recordset(${JSON.stringify(renewed)}::jsonb) as renewed (id bigint, choices jsonb)
      where node.id = renewed.id`);
    return nodes.length === rows;
  });
