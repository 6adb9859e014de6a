import bcrypt from "bcryptjs";

/** bcrypt reads no more of a password than this. */
const bytesConsidered = 72;

/** The password cut to 72 bytes of UTF-8 on a character boundary, as it is hashed and verified. */
export function cutPassword(password: string): string {
  const bytes = new TextEncoder().encode(password);
  if (bytes.length <= bytesConsidered) return password;
  let end = bytesConsidered;
  while (isContinuation(bytes[end])) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** The bcrypt hash with its own salt; `cost` is the logarithm of the rounds. */
export const hashPassword = (password: string, cost: number): Promise<string> =>
  bcrypt.hash(cutPassword(password), cost);

/**
 * Whether the password belongs to the hash. Without a hash (no such account, or one without a password) the
 * same comparison runs against a stand-in of the same cost, so that the time tells nothing.
 */
export async function verifyPassword(password: string, hash: string | null | undefined, cost: number) {
  const matches = await bcrypt.compare(cutPassword(password), hash ?? standInHash(cost));
  return matches && Boolean(hash);
}

/** A well-formed hash of that cost that no password is known to match. */
const standInHash = (cost: number): string =>
  `$2b$${String(cost).padStart(2, "0")}$abcdefghijklmnopqrstuu5Lm1GlEFYvnR4cQ0uDcvEZX2yVr0xWe`;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
