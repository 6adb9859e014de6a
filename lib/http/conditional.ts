import { hash } from "node:crypto";
import { etag } from "hono/etag";

/** Middleware: whoever sends the ETag of what they have (`If-None-Match`) gets a 304 in place of the same again. */
export const conditional = etag({ weak: true });

/**
 * The headers of an answer that seldom changes: browsers keep it for the one who asked, and ask each time whether it
 * still holds. The tag is weak, as the answer may be compressed on its way.
 */
export const revalidatedHeaders = (body: string): Record<string, string> => ({
  ETag: `W/"${hash("sha1", body, "base64url")}"`,
  "Cache-Control": "private, no-cache",
});
