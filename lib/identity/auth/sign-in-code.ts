import { createHash, timingSafeEqual } from "node:crypto";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { SignInCode } from "../../../schema/api/identity/auth.ts";
import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { TokenBearer } from "../../platform/secrets/tokens.ts";
import { fingerprintOfJson } from "../../platform/text/fingerprint.ts";
import { sealToken, unsealToken } from "./sealing.ts";

/** In seconds. The page exchanges the code on load. */
const lifetime = 60;

const purpose = "code of a sign-in at an identity provider";

type Parts = Pick<Deps, "config" | "now">;
type Sealed = { person: TokenBearer; challenge: string };

/**
 * A one-time code for the URL, bound by PKCE to the browser that started the sign-in. Contains no token and
 * is encrypted.
 */
export const createSignInCode = (parts: Parts, person: TokenBearer, challenge: string): Promise<string> =>
  sealToken(parts, purpose, lifetime, { person, challenge } satisfies Sealed);

const Taken = z.object({ is_first: z.boolean() });

/** 400 if the code was used, has expired, was changed or belongs to another browser. */
export async function redeemSignInCode(
  parts: Parts & Pick<Deps, "db">,
  { code, code_verifier }: SignInCode,
): Promise<TokenBearer> {
  const sealed = await unsealToken<Sealed>(parts, purpose, code);
  if (!sealed || !isMadeOf(sealed.challenge, code_verifier)) throw refusal();
  // Keyed by the sealed content, since a base64url text can be spelled in several ways.
  const name = `code of a sign-in ${fingerprintOfJson(sealed)}`;
  const [taken] = await rowsOf(
    parts.db,
    Taken,
    sql`select claim_single_use_key_for_hour(${name}, ${parts.now().toISOString()}) as is_first`,
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
