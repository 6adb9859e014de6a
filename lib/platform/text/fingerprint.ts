import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

export const fingerprint = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

export const fingerprintOfJson = (value: unknown): string => fingerprint(canonicalJson(value));
