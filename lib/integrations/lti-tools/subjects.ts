import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/*
 * A tool knows people by pseudonyms of its own: the account's id, encrypted as one block under the tool's key.
 * Two tools cannot compare people, and no table is needed.
 */

const cipher = "aes-128-ecb";
const mark = Buffer.from("lti person: ", "latin1");

export const createSubjectKey = (): string => randomBytes(16).toString("hex");

/** The person's subject at the tool with this key. */
export function encryptSubject(key: string, personId: number): string {
  const block = Buffer.concat([mark, Buffer.alloc(4)]);
  block.writeUInt32BE(personId, mark.length);
  const one = createCipheriv(cipher, Buffer.from(key, "hex"), null).setAutoPadding(false);
  return Buffer.concat([one.update(block), one.final()]).toString("base64url");
}

/** Undefined for a text that is no subject of the tool. */
export function decryptSubject(key: string, subject: string): number | undefined {
  if (!/^[\w-]{22}$/.test(subject)) return undefined;
  const one = createDecipheriv(cipher, Buffer.from(key, "hex"), null).setAutoPadding(false);
  const block = Buffer.concat([one.update(Buffer.from(subject, "base64url")), one.final()]);
  return block.subarray(0, mark.length).equals(mark) ? block.readUInt32BE(mark.length) : undefined;
}
