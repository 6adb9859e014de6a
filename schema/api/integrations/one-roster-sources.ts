import * as z from "zod";
import { oneRosterSyncModes, oneRosterSyncStates } from "../../enums.ts";
import { Id, Instant, title, upperEnum, webAddress } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Url = webAddress(2000).refine(
  (url) => URL.canParse(url) && !new URL(url).username && !url.includes("#"),
  "Input should be an address without a name, password or fragment",
);

const fields = {
  name: title(255).meta({ description: "Display name of the provider", example: "Student records" }),
  service_url: Url.meta({
    description: "Address of the rostering service, version 1.2 or (ending in /v1p1) 1.1",
    example: "https://sis.example.edu/ims/oneroster/rostering/v1p2",
  }),
  token_url: Url.meta({
    description: "Token endpoint of the provider",
    example: "https://sis.example.edu/token",
  }),
  client_id: title(255).meta({ description: "Client id at the provider", example: "learning-platform" }),
};

export const OneRosterSourceCreate = z
  .object({
    ...fields,
    client_secret: title(1000).meta({
      description: "Stored encrypted, and never returned",
      example: "a-long-secret",
    }),
  })
  .meta({ id: "OneRosterSourceCreate" });

export const OneRosterSource = z
  .object({
    id: Id,
    university_id: Id,
    ...fields,
    created_by_user_id: Id.nullable().meta({
      description: "The person in whose name imports run; without an account, they stop",
    }),
    mode: upperEnum(oneRosterSyncModes).meta({ description: "Mode of the next or last sync" }),
    state: upperEnum(oneRosterSyncStates).meta({
      description:
        "REQUESTED: within a minute. IMPORTED: an import was started. PREVIEWED: a dry run was started. UNCONFIRMED: " +
        "would remove more than a third, so it awaits CONFIRMED. FAILED: could not be read, and nothing changed",
    }),
    due_at: Instant.meta({ description: "When the next sync is due" }),
    ended_at: Instant.nullable().meta({ description: "When the last sync ended; null before the first" }),
    synced_at: Instant.nullable().meta({
      description: "When the last applied sync began. The next reads changes since",
    }),
    failure: z.string().nullable().meta({
      example: null,
      description: "Why it could not be read, such as `it answered 403`; null if it was",
    }),
    removals: z.int().nullable().meta({
      example: 0,
      description: "People and enrollments that the last sync removes; null before the first",
    }),
    import_id: Id.nullable().meta({ description: "The import of the last sync; null if nothing changed" }),
    created_at: Instant,
  })
  .meta({ id: "OneRosterSource" });

export const OneRosterSyncCreate = z
  .object({
    mode: upperEnum(oneRosterSyncModes)
      .default("CHANGES")
      .meta({
        example: "PREVIEW",
        description:
          "CHANGES reads what changed since the last sync, FULL everything. PREVIEW starts a dry run. CONFIRMED applies " +
          "one that awaits confirmation, however much it removes",
      }),
  })
  .meta({ id: "OneRosterSyncCreate" });

export const OneRosterSourceQuery = listQuery({});

export type OneRosterSource = z.input<typeof OneRosterSource>;
export type OneRosterSourceCreate = z.output<typeof OneRosterSourceCreate>;
export type OneRosterSyncCreate = z.output<typeof OneRosterSyncCreate>;
export type OneRosterSourceQuery = z.output<typeof OneRosterSourceQuery>;
