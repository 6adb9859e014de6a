import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { HttpError } from "../errors.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { maxDocumentBytes, readDocumentInThread } from "../platform/readers/read-document-text.ts";
import { quotePromptDashLines } from "../platform/text/quote-fences.ts";

type Parts = Pick<Deps, "db" | "fileStore" | "now" | "log">;

const leaseMilliseconds = 10 * 60 * 1000;

/** After this many tries a file has no text. */
const maxTextExtractionTries = 5;

const Claimed = z.object({
  object_id: z.int(),
  key: z.string(),
  media_type: z.string().nullable(),
  size: z.int(),
  tries: z.int(),
});

/**
 * Reads the texts of documents that learners see, one by one, until the signal stops it or none is left. Each
 * is read once for all files with its bytes. Unreadable documents get no text.
 */
export async function extractDocumentTexts({ db, fileStore, now, log }: Parts, signal: AbortSignal) {
  let texts = 0;
  while (!signal.aborted) {
    const at = now();
    const until = new Date(at.getTime() + leaseMilliseconds).toISOString();
    const [one] = await rowsOf(db, Claimed, leaseNextUnreadDocumentQuery(at.toISOString(), until));
    if (!one) break;
    const content = await textOf({ fileStore }, one).catch((error) => {
      log.warn({ object: one.object_id, reason: String(error) }, "a document could not be read");
      // A fault of the document is permanent; the store may recover.
      return (error instanceof HttpError && error.status === 400) || one.tries >= maxTextExtractionTries
        ? null
        : undefined;
    });
    if (content === undefined) continue;
    await db.execute(sql`
      update file_texts set content = ${content}, characters = ${content?.length ?? null}, read_at = ${now().toISOString()}, leased_until = null
      where object_id = ${one.object_id}`);
    texts += 1;
  }
  return { texts };
}

/** Leases the next unread document to a worker until then. */
export const leaseNextUnreadDocumentQuery = (moment: string, until: string): SQL => sql`
  with next as (
    select one.object_id from file_texts as one
    where one.read_at is null and (one.leased_until is null or one.leased_until <= ${moment})
    order by one.object_id limit 1 for no key update skip locked
  )
  update file_texts as one set leased_until = ${until}, tries = one.tries + 1
  from next join stored_objects as object on object.id = next.object_id
  where one.object_id = next.object_id
  returning one.object_id, object.key,
    (select file.media_type from files as file where file.object_id = object.id limit 1) as media_type, object.size, one.tries`;

async function textOf(
  { fileStore }: Pick<Parts, "fileStore">,
  { key, media_type, size }: z.output<typeof Claimed>,
): Promise<string | null> {
  if (media_type === null || size > maxDocumentBytes) return null;
  const stream = await fileStore.read(key);
  if (!stream) return null;
  const bytes = Buffer.concat(await stream.toArray());
  const { text } = await readDocumentInThread({ bytes, mediaType: media_type });
  return quotePromptDashLines(text);
}
