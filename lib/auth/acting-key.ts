import type { ApiKeyScope } from "../../schema/enums.ts";

/** The key that a machine came with. */
export type ActingKey = {
  id: number;
  university_id: number;
  scopes: readonly ApiKeyScope[];
  /** The day in UTC, `2026-03-10`; null before its first use. */
  last_used_on: string | null;
};
