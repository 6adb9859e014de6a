import { createHash, timingSafeEqual } from "node:crypto";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { SignInCode } from "../../schema/api/auth.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { Deps } from "../deps.ts";
import { badRequest } from "../errors.ts";
import type { Bearer } from "../secrets/tokens.ts";
import { fingerprintOf } from "../text/fingerprint.ts";
import { seal, unseal } from "./sealing.ts";

/** How long a page has to exchange a code, in seconds: it does so as soon as it is loaded. */
const lifetime = 60;

const purpose = "code of a sign-in at an identity provider";

type Parts = Pick<Deps, "config" | "now">;
type Sealed = { person: Bearer; challenge: string };

/**
 * A code for an address, which only the browser that has begun the sign-in can exchange for tokens: PKCE, as with
 * the provider. It holds no token, and says nothing to anyone else.
 */
export const sealSignIn = (parts: Parts, person: Bearer, challenge: string): Promise<string> =>
  seal(parts, purpose, lifetime, { person, challenge } satisfies Sealed);

const Taken = z.object({ is_first: z.boolean() });

/**
 * Who has signed in, once for each code; 400 for one that was used or has expired, was changed or belongs to another
 * browser's sign-in.
 */
export async function openSignIn(
  parts: Parts & Pick<Deps, "db">,
  { code, code_verifier }: SignInCode,
): Promise<Bearer> {
  const sealed = await unseal<Sealed>(parts, purpose, code);
  if (!sealed || !isMadeOf(sealed.challenge, code_verifier)) throw refusal();
  // By what is sealed: the same may be spelled in another way.
  const name = `code of a sign-in ${fingerprintOf(sealed)}`;
  const [taken] = await rowsOf(
    parts.db,
    Taken,
    sql`select take_once(${name}, ${parts.now().toISOString()}) as is_first`,
  );
  if (!taken?.is_first) throw refusal();
  return sealed.person;
}

const refusal = () => badRequest("sign_in_code_void");

function isMadeOf(challenge: string, verifier: string): boolean {
  const made = createHash("sha256").update(verifier).digest();
  const wanted = Buffer.from(challenge, "base64url");
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}
