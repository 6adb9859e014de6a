import * as z from "zod";
import { apiKeyScopes } from "../../enums.ts";
import { CalendarDate, Id, Instant, list, title } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Scopes = list(z.enum(apiKeyScopes), { min: 1, max: apiKeyScopes.length }).meta({
  description: "Permissions of the key in its university. Operations state the scope that they require",
});

export const ApiKeyCreate = z
  .object({
    name: title(255).meta({ example: "Registrar's system" }),
    scopes: Scopes,
    expires_at: Instant.meta({ description: "Expiry, in the future and at most five years from now" }),
  })
  .meta({ id: "ApiKeyCreate" });

export const ApiKey = z
  .object({
    id: Id,
    university_id: Id,
    name: z.string(),
    scopes: z.array(z.enum(apiKeyScopes)).meta({ description: "Permissions of the key in its university" }),
    maker: z.object({ id: Id, full_name: z.string() }).meta({
      description: "The person in whose name the key acts: its creator, or the last person who adopted it",
    }),
    is_valid: z.boolean().meta({
      description:
        "Whether the key is accepted: not expired or revoked, and `maker` administers the university",
    }),
    created_at: Instant,
    expires_at: Instant.meta({ description: "When the key expires" }),
    revoked_at: Instant.nullable().meta({ description: "When the key was revoked; null if it was not" }),
    last_used_on: CalendarDate.nullable().meta({
      description: "Day of the last use, in UTC; null for never",
    }),
  })
  .meta({ id: "ApiKey" });

export const ApiKeyCreated = z
  .object({
    ...ApiKey.shape,
    key: z.string().meta({
      description: "The key, returned only once; send it as `Authorization: Bearer lk_…`",
      example: "lk_7_mC1Nf5xJXyS1rJ3hGm3pQzX0o9cA2vT8kUeWdL4bYs0",
    }),
  })
  .meta({ id: "ApiKeyCreated" });

export const ApiKeyQuery = listQuery({});

export type ApiKey = z.input<typeof ApiKey>;
export type ApiKeyCreate = z.output<typeof ApiKeyCreate>;
export type ApiKeyCreated = z.input<typeof ApiKeyCreated>;
export type ApiKeyQuery = z.output<typeof ApiKeyQuery>;
