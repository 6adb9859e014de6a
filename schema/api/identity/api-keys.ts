import * as z from "zod";
import { apiKeyScopes } from "../../enums.ts";
import { CalendarDate, Id, Instant, list, title } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Scopes = list(z.enum(apiKeyScopes), { min: 1, max: apiKeyScopes.length }).meta({
  description: "What the key may do, in its university alone. Each operation names its scope",
});

export const ApiKeyCreate = z
  .object({
    name: title(255).meta({ example: "Registrar's system" }),
    scopes: Scopes,
    expires_at: Instant.meta({ description: "In the future, and at most five years from now" }),
  })
  .meta({ id: "ApiKeyCreate" });

export const ApiKey = z
  .object({
    id: Id,
    university_id: Id,
    name: z.string(),
    scopes: z.array(z.enum(apiKeyScopes)).meta({ description: "What it may do, in its university alone" }),
    maker: z
      .object({ id: Id, full_name: z.string() })
      .meta({ description: "In whose name it acts: whoever made it, or adopted it last" }),
    is_valid: z.boolean().meta({
      description:
        "Whether it is taken: neither expired nor revoked, and its maker administers the university",
    }),
    created_at: Instant,
    expires_at: Instant.meta({ description: "From when on it is worth nothing" }),
    revoked_at: Instant.nullable().meta({ description: "When it was revoked; null: it is not" }),
    last_used_on: CalendarDate.nullable().meta({ description: "The day, in UTC, on which it was last used" }),
  })
  .meta({ id: "ApiKey" });

export const ApiKeyCreated = z
  .object({
    ...ApiKey.shape,
    key: z.string().meta({
      description: "The key, which is told this once: sent as `Authorization: Bearer lk_…`",
      example: "lk_7_mC1Nf5xJXyS1rJ3hGm3pQzX0o9cA2vT8kUeWdL4bYs0",
    }),
  })
  .meta({ id: "ApiKeyCreated" });

export const ApiKeyQuery = listQuery({});

export type ApiKey = z.input<typeof ApiKey>;
export type ApiKeyCreate = z.output<typeof ApiKeyCreate>;
export type ApiKeyCreated = z.input<typeof ApiKeyCreated>;
export type ApiKeyQuery = z.output<typeof ApiKeyQuery>;
