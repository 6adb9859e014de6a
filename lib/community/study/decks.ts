import { and, eq, type SQL } from "drizzle-orm";
import * as z from "zod";
import type {
  FlashcardDeck,
  FlashcardDeckCreate,
  FlashcardDeckUpdate,
} from "../../../schema/api/community/flashcards.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { flashcardDecks } from "../../../schema/db/community/flashcards.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";

const columnsAt = (now: Date) => ({
  id: flashcardDecks.id,
  title: flashcardDecks.title,
  description: flashcardDecks.description,
  card_count: typedSql(z.int())`(
    select count(*)::int from flashcards where deck_id = flashcard_decks.id)`.as("card_count"),
  due_count: typedSql(z.int())`(
    select count(*)::int from flashcards
    where deck_id = flashcard_decks.id and due <= ${now.toISOString()})`.as("due_count"),
  created_at: flashcardDecks.created_at,
  updated_at: flashcardDecks.updated_at,
});

const own = (actor: Actor, deckId: number): SQL | undefined =>
  and(eq(flashcardDecks.id, deckId), eq(flashcardDecks.user_id, actor.id));

export async function listDecks(
  db: ReadDb,
  actor: Actor,
  query: Pagination,
  now: Date,
): Promise<ListPage<FlashcardDeck>> {
  const page = createPageQuery(query, [ascending(flashcardDecks.title), ascending(flashcardDecks.id)]);
  const rows = await db
    .select({ ...columnsAt(now), page_key: page.key })
    .from(flashcardDecks)
    .where(page.where(eq(flashcardDecks.user_id, actor.id)))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows);
}

/** 404 for another user's deck. */
export async function getDeck(db: ReadDb, actor: Actor, deckId: number, now: Date): Promise<FlashcardDeck> {
  const [deck] = await db.select(columnsAt(now)).from(flashcardDecks).where(own(actor, deckId));
  if (!deck) throw notFound("Deck");
  return deck;
}

/** 400 if the caller has a deck with that title. */
export async function createDeck(
  db: Db,
  actor: Actor,
  input: FlashcardDeckCreate,
  now: Date,
): Promise<FlashcardDeck> {
  const [deck] = await db
    .insert(flashcardDecks)
    .values({ ...input, user_id: actor.id })
    .returning(columnsAt(now));
  if (!deck) throw notFound("Deck");
  return deck;
}

/** 404 for another user's deck. */
export async function updateDeck(
  db: Db,
  actor: Actor,
  deckId: number,
  change: FlashcardDeckUpdate,
  now: Date,
): Promise<FlashcardDeck> {
  const [deck] = await db
    .update(flashcardDecks)
    .set(partialUpdateValues(change, flashcardDecks))
    .where(own(actor, deckId))
    .returning(columnsAt(now));
  if (!deck) throw notFound("Deck");
  return deck;
}

/** Also deletes its cards. 404 for another user's deck. */
export async function deleteDeck(db: Db, actor: Actor, deckId: number): Promise<void> {
  const deleted = await db
    .delete(flashcardDecks)
    .where(own(actor, deckId))
    .returning({ id: flashcardDecks.id });
  if (deleted.length === 0) throw notFound("Deck");
}
