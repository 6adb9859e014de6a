import type { ApiKeyScope } from "../../../schema/enums.ts";

export type ActingApiKey = {
  id: number;
  university_id: number;
  scopes: readonly ApiKeyScope[];
  /** A UTC date such as `2026-03-10`; null before the first use. */
  last_used_on: string | null;
};
