import * as z from "zod";
import { directoryRoles } from "../../enums.ts";
import { Id, Instant, upperEnum, WideId } from "../platform/fields.ts";
import { BooleanText, listQuery } from "../platform/search-and-sort.ts";

const MappedRole = upperEnum(directoryRoles).nullable();

export const DirectoryGroupQuery = listQuery({});

export const DirectoryGroupMapping = z
  .object({
    role: MappedRole.meta({
      description: "Role of the members in the university; null for none",
    }),
  })
  .meta({ id: "DirectoryGroupMapping", example: { role: "TA" } });

export const DirectoryGroup = z
  .object({
    id: Id.meta({ description: "Id, also used by the directory" }),
    display_name: z
      .string()
      .meta({ description: "Display name in the directory", example: "Teaching assistants" }),
    external_id: z.string().nullable().meta({ description: "The directory's own id; null if it sent none" }),
    role: MappedRole.meta({ description: "Role of the members in the university; null for none" }),
    member_count: z.int().min(0).meta({ description: "Number of directory people in the group" }),
    updated_at: Instant,
  })
  .meta({ id: "DirectoryGroup" });

export const DirectoryRequestQuery = listQuery({
  is_refused: BooleanText.optional().meta({
    description: "`true`: only rejected requests; `false`: only accepted ones",
  }),
});

export const DirectoryRequest = z
  .object({
    id: WideId,
    asked_at: Instant.meta({ description: "When the request arrived" }),
    api_key: z
      .object({ id: Id, name: z.string().meta({ example: "Entra ID" }) })
      .meta({ description: "The API key of the request" }),
    method: z.string().meta({ example: "PATCH", description: "HTTP method" }),
    path: z.string().meta({
      example: "/Users/12",
      description: "Path below the SCIM address; for created resources, their path",
    }),
    user_name: z.string().nullable().meta({
      example: "ada@example.edu",
      description: "Current userName of the User in the path; null without one",
    }),
    status: z.int().meta({ example: 400, description: "HTTP status of the response" }),
    scim_type: z.string().nullable().meta({
      example: "invalidPath",
      description: "SCIM error type (`scimType`); null without one",
    }),
    detail: z.string().nullable().meta({
      example: "A Group has no 'nothing' to change",
      description: "Reason of the rejection, without sent values; null if accepted",
    }),
    request_id: z
      .string()
      .meta({ description: "Request id in the service's log; chosen by the directory, if it sent one" }),
  })
  .meta({ id: "DirectoryRequest" });

export type DirectoryRequest = z.input<typeof DirectoryRequest>;
export type DirectoryRequestQuery = z.output<typeof DirectoryRequestQuery>;
export type DirectoryGroup = z.input<typeof DirectoryGroup>;
export type DirectoryGroupMapping = z.output<typeof DirectoryGroupMapping>;
export type DirectoryGroupQuery = z.output<typeof DirectoryGroupQuery>;
