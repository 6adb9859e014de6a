import * as z from "zod";
import { directoryRoles } from "../../enums.ts";
import { Id, Instant, upperEnum, WideId } from "../platform/fields.ts";
import { BooleanText, listQuery } from "../platform/search-and-sort.ts";

const MappedRole = upperEnum(directoryRoles).nullable();

export const DirectoryGroupQuery = listQuery({});

export const DirectoryGroupMapping = z
  .object({
    role: MappedRole.meta({
      description: "What its members hold in the university from now on; null: it gives nothing",
    }),
  })
  .meta({ id: "DirectoryGroupMapping", example: { role: "TA" } });

export const DirectoryGroup = z
  .object({
    id: Id.meta({ description: "By which the directory knows it, too" }),
    display_name: z
      .string()
      .meta({ description: "What the directory calls it", example: "Teaching assistants" }),
    external_id: z
      .string()
      .nullable()
      .meta({ description: "The directory's own id of it; null without one" }),
    role: MappedRole.meta({ description: "What its members hold in the university; null: it gives nothing" }),
    member_count: z.int().min(0).meta({ description: "How many people of the directory are in it" }),
    updated_at: Instant,
  })
  .meta({ id: "DirectoryGroup" });

export const DirectoryRequestQuery = listQuery({
  is_refused: BooleanText.optional().meta({ description: "Only what was refused, or only what was not" }),
});

export const DirectoryRequest = z
  .object({
    id: WideId,
    asked_at: Instant.meta({ description: "When it came" }),
    api_key: z
      .object({ id: Id, name: z.string().meta({ example: "Entra ID" }) })
      .meta({ description: "The key that it came with" }),
    method: z.string().meta({ example: "PATCH", description: "Of HTTP" }),
    path: z.string().meta({
      example: "/Users/12",
      description: "Below the address of SCIM; of what was made, where it is now",
    }),
    user_name: z.string().nullable().meta({
      example: "ada@example.edu",
      description: "The userName of the User that the path names, as it is now; null without one",
    }),
    status: z.int().meta({ example: 400, description: "Of the answer" }),
    scim_type: z.string().nullable().meta({
      example: "invalidPath",
      description: "What was wrong in SCIM's word (`scimType`); null where it has none",
    }),
    detail: z.string().nullable().meta({
      example: "A Group has no 'nothing' to change",
      description: "Why it was refused, without values that were sent; null where it was not",
    }),
    request_id: z
      .string()
      .meta({ description: "By which the service's log knows it, and the directory's if it chose it" }),
  })
  .meta({ id: "DirectoryRequest" });

export type DirectoryRequest = z.input<typeof DirectoryRequest>;
export type DirectoryRequestQuery = z.output<typeof DirectoryRequestQuery>;
export type DirectoryGroup = z.input<typeof DirectoryGroup>;
export type DirectoryGroupMapping = z.output<typeof DirectoryGroupMapping>;
export type DirectoryGroupQuery = z.output<typeof DirectoryGroupQuery>;
