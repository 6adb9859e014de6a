import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { FoundWords, OwnWords, OwnWordsQuery } from "../../../schema/api/community/own-words.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { openableItemCondition } from "../../courses/content/item-access.ts";
import { courseLanguageSql } from "../../courses/language.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { itemInTokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { containsAllWordsCondition } from "../../platform/db/query/search-and-sort.ts";
import { excerptAroundFirstMatch } from "./excerpt.ts";

/**
 * Rows per kind that one request scans, which bounds its time; the client continues from there. Rows are
 * found by owner, so the text needs no index.
 */
const maxOwnWordsRowsScanned = 500;

const Row = z.object({
  id: z.int(),
  said: z.string(),
  title: z.string().nullable(),
  created_at: StoredInstant,
  content_item_id: z.int().nullable(),
  course_id: z.int().nullable(),
  language_code: z.string().nullable(),
  course_offering_id: z.int().nullable(),
  deck_id: z.int().nullable(),
  session_id: z.int().nullable(),
});

const List = z.object({ rows: z.array(Row), looked_at: z.int(), last: z.int().nullable() });
type List = z.output<typeof List>;

const Found = z.object({ notes: List, flashcards: List, messages: List });

/** Rows with `id, said, title, created_at, content_item_id, deck_id, session_id`. */
type Words = { ids: SQL; said: SQL };

/**
 * Searches the caller's notes, flashcards and conversations (free text and the tutor's answers) for all
 * words. Only topics that the caller may open and the token reaches; cards stay findable without their topic.
 */
export async function searchOwnStudyTexts(
  db: ReadDb,
  actor: Actor,
  { q, kind, before, limit }: OwnWordsQuery,
  now: Date,
): Promise<OwnWords> {
  const own = (user: SQL, item: SQL) => {
    const reach = itemInTokenReachCondition(actor, item);
    return sql`${user} = ${actor.id}${reach ? sql` and ${reach}` : sql``}`;
  };
  const kinds: Record<NonNullable<typeof kind>, Words> = {
    NOTE: {
      ids: sql`select id from notes as one where ${own(sql`one.user_id`, sql`one.content_item_id`)}`,
      said: sql`select id, body as said, created_at, content_item_id, null::int as deck_id, null::bigint as session_id
        from notes`,
    },
    FLASHCARD: {
      ids: sql`select id from flashcards as one where ${own(sql`one.user_id`, sql`one.content_item_id`)}`,
      said: sql`select id, front || E'\n' || back as said, created_at, content_item_id, deck_id, null::bigint as session_id
        from flashcards`,
    },
    MESSAGE: {
      ids: sql`select message.id from chat_sessions as one join chat_messages as message on message.session_id = one.id
        where ${own(sql`one.user_id`, sql`one.content_item_id`)}`,
      said: sql`select message.id, ${saidIn} as said, message.created_at, session.content_item_id, null::int as deck_id, session_id
        from chat_messages as message join chat_sessions as session on session.id = session_id`,
    },
  };
  const list = (name: NonNullable<typeof kind>): SQL =>
    kind === undefined || kind === name
      ? listIn(kinds[name], { actor, q, before, limit, now, isCard: name === "FLASHCARD" })
      : sql`json_build_object('rows', '[]'::json, 'looked_at', 0, 'last', null)`;
  const [found] = await rowsOf(
    db,
    Found,
    sql`select ${list("NOTE")} as notes, ${list("FLASHCARD")} as flashcards, ${list("MESSAGE")} as messages`,
  );
  const shown = (of: List | undefined) => shownOf(of ?? { rows: [], looked_at: 0, last: null }, q, limit);
  return {
    notes: shown(found?.notes),
    flashcards: shown(found?.flashcards),
    messages: shown(found?.messages),
  };
}

/** The tutor's text with its question but no question blocks; empty for choices and moves. */
const saidIn = sql`case
  when message.role = 'assistant' then
    regexp_replace(message.content, '\`\`\`mcq.*?(\`\`\`|$)', '', 'g') || coalesce(E'\n' || (message.question ->> 'question'), '')
  when btrim(message.content) = 'Start.' or btrim(message.content) ~ '^[{@]' then ''
  else message.content end`;

type Wanted = {
  actor: Actor;
  q: string;
  before: number | undefined;
  limit: number;
  now: Date;
  isCard: boolean;
};

function listIn({ ids, said }: Words, { actor, q, before, limit, now, isCard }: Wanted): SQL {
  const isOpen = openableItemCondition(sql`hit.content_item_id`, actor, now);
  return sql`(
    with looked as materialized (
      select id from (${ids}) as own ${before === undefined ? sql`` : sql`where id < ${before}::bigint`}
      order by id desc limit ${maxOwnWordsRowsScanned}
    ), plain as materialized (
      select words.*, searched(words.said) as searched from looked join (${said}) as words on words.id = looked.id
    ), hits as materialized (
      select * from plain where ${containsAllWordsCondition(sql`plain.searched`, q)}
    ), open as (
      select hit.* from (select * from hits order by id desc) as hit ${isCard ? sql`` : sql`where ${isOpen}`}
      limit ${limit + 1}
    )
    select json_build_object(
      'rows', coalesce((
        select json_agg(json_build_object(
          'id', open.id, 'said', open.said, 'created_at', open.created_at, 'content_item_id', open.content_item_id,
          'title', coalesce(item.title, (select title from flashcard_decks where flashcard_decks.id = open.deck_id)),
          'course_id', item.course_id, 'language_code', ${courseLanguageSql(sql`item.course_id`)}, 'course_offering_id', ${offeringOf(actor)},
          'deck_id', open.deck_id, 'session_id', open.session_id) order by open.id desc)
        from open left join content_items as item on item.id = open.content_item_id), '[]'::json),
      'looked_at', (select count(*) from looked), 'last', (select min(id) from looked)))`;
}

const offeringOf = (actor: Actor): SQL => sql`(
  select run.id from course_offerings as run
  left join enrollments as held on held.course_offering_id = run.id and held.user_id = ${actor.id} and held.is_admitted
  where run.course_id = item.course_id
  order by held.id is null, run.id desc limit 1)`;

/** The cursor is after the last result, or after the scanned rows. */
function shownOf({ rows, looked_at, last }: List, q: string, limit: number): OwnWords["notes"] {
  const items = rows.slice(0, limit).map(
    ({ said, created_at, ...row }): FoundWords => ({
      ...row,
      ...excerptAroundFirstMatch(said, q),
      created_at: toInstant(created_at),
    }),
  );
  if (rows.length > limit) return { items, before: items.at(-1)?.id ?? null };
  return { items, before: looked_at === maxOwnWordsRowsScanned ? last : null };
}
