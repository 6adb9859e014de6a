import { type Cursor, notACursor } from "../../schema/api/platform/cursor.ts";
import { ValidationError } from "../errors.ts";
import {
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../platform/secrets/encryption.ts";

/**
 * Encrypted cursors, for lists ordered by hidden values, such as the time of anonymous work. Clients cannot
 * read them, nor forge one to probe neighboring rows.
 */
export function createEncryptedCursorCodec(secrets: EncryptionSecrets, list: string) {
  const purpose = `cursor of ${list}`;
  return {
    /** A row's key is a JSON array. */
    seal: (key: string): string => JSON.stringify([encrypt(key, secrets.SECRET_KEY, purpose)]),
    /** Throws 422 for a forged cursor or one of another list. */
    open(cursor: Cursor | undefined): Cursor | undefined {
      if (!cursor) return undefined;
      const [sealed, ...others] = cursor.values;
      try {
        if (others.length > 0) throw new Error("a sealed cursor has one value");
        const { text } = decryptByCurrentOrPrevious(String(sealed), secrets, purpose);
        return { ...cursor, values: JSON.parse(text) };
      } catch {
        throw new ValidationError([{ loc: ["query", "after"], msg: notACursor, type: "value_error" }]);
      }
    },
  };
}
