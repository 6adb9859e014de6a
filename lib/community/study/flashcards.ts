import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type DueFlashcardQuery,
  Flashcard,
  type FlashcardCreate,
  type FlashcardFromAnswer,
  type FlashcardFromQuestion,
  type FlashcardQuery,
  type FlashcardUpdate,
  maxCardSideCharacters,
} from "../../../schema/api/community/flashcards.ts";
import { flashcards } from "../../../schema/db/community/flashcards.ts";
import { visibleContentItemCondition } from "../../courses/content/visibility.ts";
import { itemLanguageSql } from "../../courses/language.ts";
import { badRequest, fieldValueMessagePlaceholders, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureTokenReachesWholeAccount,
  itemInTokenReachCondition,
  tokenReachCondition,
} from "../../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery, descending } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

export const cardColumns = {
  id: flashcards.id,
  deck_id: flashcards.deck_id,
  content_item_id: flashcards.content_item_id,
  language_code: itemLanguageSql(sql`flashcards.content_item_id`),
  message_id: flashcards.message_id,
  front: flashcards.front,
  back: flashcards.back,
  state: flashcards.state,
  due: flashcards.due,
  stability: flashcards.stability,
  difficulty: flashcards.difficulty,
  scheduled_days: flashcards.scheduled_days,
  reps: flashcards.reps,
  lapses: flashcards.lapses,
  last_review: flashcards.last_review,
  created_at: flashcards.created_at,
  updated_at: flashcards.updated_at,
};

export const ownFlashcardCondition = (actor: Actor, cardId: number): SQL | undefined =>
  and(eq(flashcards.id, cardId), ownCards(actor));

/** Cards without an item need a token for the whole account. */
const ownCards = (actor: Actor): SQL | undefined =>
  and(eq(flashcards.user_id, actor.id), itemInTokenReachCondition(actor, flashcards.content_item_id));

export async function listFlashcards(
  db: ReadDb,
  actor: Actor,
  { deck_id, content_item_id, without_deck, ...window }: FlashcardQuery,
): Promise<JsonListPage<Flashcard>> {
  const filter = and(
    ownCards(actor),
    deck_id ? eq(flashcards.deck_id, deck_id) : undefined,
    content_item_id ? eq(flashcards.content_item_id, content_item_id) : undefined,
    without_deck === undefined ? undefined : sql`(${flashcards.deck_id} is null) = ${without_deck}::boolean`,
  );
  const page = createPageQuery(window, [descending(flashcards.created_at), descending(flashcards.id)]);
  return queryJsonPage(db, page.rows(cardColumns, sql`${flashcards}`, filter));
}

/** Longest overdue first. */
export async function listDueFlashcards(
  db: ReadDb,
  actor: Actor,
  { deck_id, limit }: DueFlashcardQuery,
  now: Date,
): Promise<JsonListPage<Flashcard>> {
  const filter = and(
    ownCards(actor),
    deck_id ? eq(flashcards.deck_id, deck_id) : undefined,
    lte(flashcards.due, now.toISOString()),
  );
  const page = createPageQuery({ skip: 0, limit }, [ascending(flashcards.due), ascending(flashcards.id)]);
  return queryJsonPage(db, page.rows(cardColumns, sql`${flashcards}`, filter));
}

/** 404 for another user's card. */
export async function getFlashcard(db: ReadDb, actor: Actor, cardId: number): Promise<Flashcard> {
  const [card] = await db.select(cardColumns).from(flashcards).where(ownFlashcardCondition(actor, cardId));
  if (!card) throw notFound("Flashcard");
  return card;
}

/**
 * The card is due immediately. 400 for another user's deck or an item that the caller cannot see; 403 for a
 * deck or a card without an item if the token is limited.
 */
export async function createFlashcard(
  db: Db,
  actor: Actor,
  { front, back, deck_id = null, content_item_id = null }: FlashcardCreate,
  now: Date,
): Promise<Flashcard> {
  if (content_item_id === null || deck_id !== null) ensureTokenReachesWholeAccount(actor);
  const seen = sql`
    select from content_items
    join modules on modules.id = content_items.module_id
    join courses on courses.id = content_items.course_id
    where ${and(sql`content_items.id = ${content_item_id}`, visibleContentItemCondition(actor), tokenReachCondition(actor, sql`courses.university_id`))}`;
  const card = await insertCard(
    db,
    sql`
      select ${actor.id}, ${deck_id}::int, ${content_item_id}::int, null, ${front}, ${back}, ${now.toISOString()}
      where ${content_item_id}::int is null or exists (${seen})`,
  );
  if (!card)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Flashcard", "content_item_id", content_item_id),
    );
  return card;
}

/**
 * By default the question in front and the tutor's answer on the back. 400 for a message that is no answer in
 * the caller's conversations, and for another user's deck.
 */
export async function createFlashcardFromAnswer(
  db: Db,
  actor: Actor,
  { message_id, front, back, deck_id = null }: FlashcardFromAnswer,
  now: Date,
): Promise<Flashcard> {
  if (deck_id !== null) ensureTokenReachesWholeAccount(actor);
  const card = await insertCard(
    db,
    sql`
      select ${actor.id}, ${deck_id}::int, s.content_item_id, m.id,
             coalesce(${front ?? null}, left(question.content, ${maxCardSideCharacters}), s.content_context ->> 'title'),
             coalesce(${back ?? null}, left(coalesce(${wordsAlone}, m.content), ${maxCardSideCharacters})), ${now.toISOString()}
      from chat_messages as m join chat_sessions as s on s.id = m.session_id
      left join lateral (${askedBefore}) as question on true
      where m.id = ${message_id} and m.role = 'assistant'
        and ${and(sql`s.user_id = ${actor.id}`, itemInTokenReachCondition(actor, sql`s.content_item_id`))}`,
  );
  if (!card)
    throw badRequest("does_not_exist", fieldValueMessagePlaceholders("Flashcard", "message_id", message_id));
  return card;
}

/**
 * For a tutor's question that the caller answered: question and options in front, the correct one on the
 * back. An unanswered question's card would reveal the key. Idempotent per question. 400 for any other
 * message and for another user's deck.
 */
export async function createFlashcardFromQuestion(
  db: Db,
  actor: Actor,
  { message_id, deck_id = null }: FlashcardFromQuestion,
  now: Date,
): Promise<{ card: Flashcard; isNew: boolean }> {
  if (deck_id !== null) ensureTokenReachesWholeAccount(actor);
  const [made] = await rowsOf(
    db,
    Flashcard.extend({ is_new: z.boolean() }),
    sql`
      with answered as (
        select step.content_item_id, step.question_hash, asked.question, asked.question_key ->> 'answer' as answer
        from chat_messages as m join chat_sessions as s on s.id = m.session_id
        join tutor_steps as step on step.content_item_id = s.content_item_id and step.user_id = s.user_id
          and step.question_hash = question_hash(m.question)
        join tutor_questions as asked on asked.id = step.question_id
        where m.id = ${message_id} and m.role = 'assistant' and m.question is not null
          and ${and(sql`s.user_id = ${actor.id}`, itemInTokenReachCondition(actor, sql`s.content_item_id`))}
        order by step.id desc limit 1
      ), made as (
        insert into flashcards (user_id, deck_id, content_item_id, message_id, question_hash, front, back, due)
        select ${actor.id}, ${deck_id}::int, content_item_id, ${message_id}, question_hash,
               left(question ->> 'question' || E'\n' || ${optionsOf(sql`answered`)}, ${maxCardSideCharacters}),
               left(${optionsOf(sql`answered`, sql`where option ->> 'id' = answered.answer`)}, ${maxCardSideCharacters}), ${now.toISOString()}
        from answered
        on conflict (user_id, content_item_id, question_hash) where question_hash is not null
        do update set message_id = flashcards.message_id
        returning *, xmax = 0 as is_new
      )
      select ${wireColumnsSql(cardColumns)}, is_new from made as flashcards`,
  );
  if (!made) throw badRequest("no_answered_question", { id: message_id });
  const { is_new, ...card } = made;
  return { card, isNew: is_new };
}

const optionsOf = (row: SQL, which = sql``): SQL => sql`(
  select string_agg('- ' || (option ->> 'id') || ') ' || (option ->> 'text'), E'\n' order by place)
  from jsonb_array_elements(${row}.question -> 'options') with ordinality as listed (option, place) ${which})`;

/**
 * The question before the answer `m`: the learner's free text, or the tutor's question if they chose an
 * option or made a move. Null for a greeting or no question.
 */
const askedBefore = sql`
  select case
    when btrim(said.content) = 'Start.' or btrim(said.content) like '{%"followup"%' then null
    when btrim(said.content) like '{%' or btrim(said.content) like '@%' then (
      select asked.question ->> 'question' from chat_messages as asked
      where asked.session_id = m.session_id and asked.id < said.id and asked.role = 'assistant'
      order by asked.id desc limit 1)
    else said.content end as content
  from (select id, content, role from chat_messages
        where session_id = m.session_id and id < m.id order by id desc limit 1) as said
  where role = 'user'`;

/** An answer without its question block; null if nothing else is left. */
const wordsAlone = sql`nullif(btrim(regexp_replace(m.content, '\`\`\`mcq.*?(\`\`\`|$)', '', 'g'), E' \\n'), '')`;

async function insertCard(db: Db, values: SQL): Promise<Flashcard | undefined> {
  const [card] = await rowsOf(
    db,
    Flashcard,
    sql`
      with made as (
        insert into flashcards (user_id, deck_id, content_item_id, message_id, front, back, due) ${values}
        returning *
      )
      select ${wireColumnsSql(cardColumns)} from made as flashcards`,
  );
  return card;
}

/** 404 for another user's card, 400 for another user's deck, 403 as above. */
export async function updateFlashcard(
  db: Db,
  actor: Actor,
  cardId: number,
  change: FlashcardUpdate,
): Promise<Flashcard> {
  if (change.deck_id !== undefined) ensureTokenReachesWholeAccount(actor);
  const [card] = await db
    .update(flashcards)
    .set(partialUpdateValues(change, flashcards))
    .where(ownFlashcardCondition(actor, cardId))
    .returning(cardColumns);
  if (!card) throw notFound("Flashcard");
  return card;
}

/** Also deletes its reviews. 404 for another user's card. */
export async function deleteFlashcard(db: Db, actor: Actor, cardId: number): Promise<void> {
  const deleted = await db
    .delete(flashcards)
    .where(ownFlashcardCondition(actor, cardId))
    .returning({ id: flashcards.id });
  if (deleted.length === 0) throw notFound("Flashcard");
}
