import { randomBytes } from "node:crypto";
import { fingerprint } from "../text/fingerprint.ts";

/** 256 random bits for a mail; only the hash of it is stored. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** As a token is stored. It is random throughout, so that no salt and no slow hash is needed. */
export const hashOfToken = (token: string): string => fingerprint(token);
