import { type Cursor, notACursor } from "../../schema/api/cursor.ts";
import { ValidationError } from "../errors.ts";
import { decryptByEither, encrypt, type Secrets } from "../secrets/encryption.ts";

/**
 * Cursors of a list that is in an order by what its reader may not see, as the moment of anonymous work: encrypted, so that none tells
 * it, and nobody makes one to find out what stands before it and what behind it.
 */
export function sealedCursors(secrets: Secrets, list: string) {
  const purpose = `cursor of ${list}`;
  return {
    /** A row's key, a JSON array, as a cursor has it. */
    seal: (key: string): string => JSON.stringify([encrypt(key, secrets.SECRET_KEY, purpose)]),
    /** The cursor that was sealed; 422 for one that was not, or for another list. */
    open(cursor: Cursor | undefined): Cursor | undefined {
      if (!cursor) return undefined;
      const [sealed, ...others] = cursor.values;
      try {
        if (others.length > 0) throw new Error("more than what is sealed");
        const { text } = decryptByEither(String(sealed), secrets, purpose);
        return { ...cursor, values: JSON.parse(text) };
      } catch {
        throw new ValidationError([{ loc: ["query", "after"], msg: notACursor, type: "value_error" }]);
      }
    },
  };
}
