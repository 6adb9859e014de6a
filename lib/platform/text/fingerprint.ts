import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** SHA-256 of the text in UTF-8, in hexadecimal. */
export const fingerprint = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

export const fingerprintOf = (value: unknown): string => fingerprint(canonicalJson(value));
