import * as z from "zod";
import { scormVersions } from "../../enums.ts";
import { personOnRecord } from "../identity/person-on-record.ts";
import {
  Id,
  IdText,
  Instant,
  integer,
  JsonObject,
  lowerEnum,
  storedJsonObject,
  text,
  WideId,
  windowOf,
} from "../platform/fields.ts";

const version = z.enum(scormVersions).meta({ example: "1.2" });

const sco = {
  id: z.string().meta({ description: "The item's identifier in the manifest", example: "item_1" }),
  title: z.string(),
  is_sco: z.boolean().meta({ description: "False for an asset, which reports nothing" }),
};

export const ScormPackageCreate = z
  .object({
    file_id: WideId.meta({
      description: "A READY file with the purpose ASSET, in a course whose content the caller may write",
    }),
  })
  .meta({ id: "ScormPackageCreate" });

export const ScormPackage = z
  .object({
    file_id: WideId.meta({ description: "Use it as `file_id` in the `data_json` of a `scorm` item" }),
    version,
    title: z.string(),
    scos: z
      .array(
        z.object({
          ...sco,
          passing_score: z.number().nullable().meta({
            description: "From 0 to 1: the mastery score of 1.2, or the minimum measure of 2004",
            example: 0.8,
          }),
          completion_threshold: z.number().nullable().meta({ description: "From 0 to 1, of 2004" }),
        }),
      )
      .meta({ description: "Items to launch, in order" }),
    is_sequenced: z.boolean().meta({
      description: "Whether rules of SCORM 2004 decide which item follows, and roll up the result",
    }),
    checked_at: Instant.meta({ description: "When the package was checked" }),
  })
  .meta({ id: "ScormPackage" });

export const ScormLaunchCreate = z
  .object({
    sco: text(255)
      .optional()
      .meta({ description: "The identifier of an item; by default the first that is not complete" }),
    new_attempt: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to start another attempt after a completed one" }),
  })
  .meta({ id: "ScormLaunchCreate" });

const result = {
  completed_at: Instant.nullable().meta({
    description: "When the item's completion rule was first met; null before",
  }),
  passed: z.boolean().nullable().meta({ description: "Null if the package reports neither" }),
  score_scaled: z
    .number()
    .nullable()
    .meta({ description: "The grade by the item's rule, from 0 to 1", example: 0.85 }),
  total_seconds: z.int().meta({ description: "Duration of all sessions" }),
};

export const ScormLaunch = z
  .object({
    version,
    attempt_id: WideId.nullable().meta({
      description: "Null for a preview by staff without a seat, which stores nothing",
    }),
    attempt_number: z.int(),
    session: z
      .string()
      .nullable()
      .meta({
        description:
          "Send it with each commit; a later launch ends it. Null for a preview, and for an asset of a package " +
          "without sequencing",
      }),
    sco: z.string().meta({ description: "The launched item" }),
    scos: z
      .array(
        z.object({
          ...sco,
          completed: z.boolean().meta({ description: "Whether it has reported completion" }),
          passed: z.boolean().nullable().meta({ description: "Null if it reports neither" }),
        }),
      )
      .meta({ description: "Items to launch, in order" }),
    player_url: z.string().meta({
      format: "uri",
      example: "https://p12.packages.example.org/api/v1/scorm/packages/token/player",
      description:
        "The page to frame. It provides the standard's API to the package and posts runtime data to its parent",
    }),
    start: JsonObject.meta({
      description: "Post it to the frame when it says `ready`: the launched file and the runtime data",
    }),
  })
  .meta({ id: "ScormLaunch" });

const sequencing = z.object({
  state: text(400_000).meta({ description: "The state of the sequencer, for the next launch" }),
  next: text(255).nullable().meta({ description: "The item to launch next" }),
  completed: z.boolean().meta({ description: "Of the organization, rolled up" }),
  passed: z.boolean().nullable().meta({ description: "Of the organization; null if unknown" }),
  scaled: z.number().min(0).max(1).nullable().meta({ description: "Of the organization; null if unknown" }),
});

export const ScormCommitCreate = z
  .object({
    session: text(100_000).meta({ description: "Of the launch; it names the attempt" }),
    sequence: integer(1).meta({
      description: "Grows with each commit of the session. A repeated or late commit changes nothing",
    }),
    cmi: storedJsonObject(384).meta({
      description:
        "The runtime data as nested JSON: the element `cmi` of the standard's version. `suspend_data` has at " +
        "most 64,000 characters. At most 384 KiB",
    }),
    seconds: integer(0, 31_536_000)
      .default(0)
      .meta({ description: "Duration of the session so far, used if the SCO reports none" }),
    sequencing: sequencing.optional().meta({
      description: "Only of a sequenced package: its rolled-up result is the attempt's",
    }),
  })
  .meta({ id: "ScormCommitCreate" });

export const ScormCommit = z
  .object({
    attempt_id: WideId,
    sequence: z.int().meta({ description: "The number of the last stored commit" }),
    ...result,
  })
  .meta({ id: "ScormCommit" });

const attempt = {
  id: WideId,
  course_offering_id: Id,
  content_item_id: Id,
  attempt_number: z.int(),
  started_at: Instant,
  committed_at: Instant.nullable().meta({ description: "When data was last stored; null before" }),
  ...result,
};

export const MyScormAttempt = z.object(attempt).meta({ id: "MyScormAttempt" });

export const ScormAttempt = z
  .object({
    ...attempt,
    user_id: Id,
    ...personOnRecord,
    email: z.string().nullable(),
    scos: z
      .array(
        z.object({
          id: z.string(),
          completed: z.boolean().meta({ description: "Whether it has reported completion" }),
          passed: z.boolean().nullable().meta({ description: "Null if it reports neither" }),
          scaled: z.number().nullable().meta({ description: "Its score from 0 to 1; null without one" }),
          seconds: z.int().meta({ description: "Duration of its sessions" }),
        }),
      )
      .meta({ description: "State of each launched item" }),
  })
  .meta({ id: "ScormAttempt" });

export const MyScormAttemptsQuery = z.strictObject({
  course_offering_id: IdText.optional(),
  content_item_id: IdText.optional(),
  ...windowOf({ limit: 100, max: 1000 }),
});

export const ScormAttemptsQuery = z.strictObject({
  user_id: IdText.optional(),
  format: lowerEnum(["json", "csv"])
    .default("json")
    .meta({ description: "`csv` returns one line for each attempt" }),
  ...windowOf({ limit: 500, max: 1000 }),
});

export const ScormPackagePath = z.object({
  package_token: z
    .string()
    .max(200)
    .meta({ description: "From `player_url` of a launch; valid for a day at most" }),
});

export const ScormFilePath = z.object({
  ...ScormPackagePath.shape,
  file_path: z
    .string()
    .max(2000)
    .meta({ description: "The file's path in the package", example: "index.html" }),
});

export type ScormPackage = z.input<typeof ScormPackage>;
export type ScormLaunchCreate = z.output<typeof ScormLaunchCreate>;
export type ScormLaunch = z.input<typeof ScormLaunch>;
export type ScormCommitCreate = z.output<typeof ScormCommitCreate>;
export type ScormCommit = z.input<typeof ScormCommit>;
export type ScormAttempt = z.input<typeof ScormAttempt>;
export type MyScormAttempt = z.input<typeof MyScormAttempt>;
export type MyScormAttemptsQuery = z.output<typeof MyScormAttemptsQuery>;
export type ScormAttemptsQuery = z.output<typeof ScormAttemptsQuery>;
