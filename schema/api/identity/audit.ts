import * as z from "zod";
import { auditActions } from "../../enums.ts";
import { Id, IdText, Instant, JsonObject, lowerEnum, pagination } from "../platform/fields.ts";

export const AuditEvent = z
  .object({
    id: z.int(),
    occurred_at: Instant,
    action: lowerEnum(auditActions),
    actor_id: Id.nullable().meta({
      description: "The acting person; null if not signed in, or erased since",
    }),
    actor_name: z.string().nullable().meta({ description: "Null for people not visible to the caller" }),
    subject_id: Id.nullable().meta({ description: "The person affected by the action" }),
    subject_name: z.string().nullable().meta({ description: "Null for people not visible to the caller" }),
    actor_former_email: z.string().nullable().meta({
      description: "Former email of an actor who acted on other people and has erased their account",
    }),
    subject_former_email: z
      .string()
      .nullable()
      .meta({ description: "Former email of an affected person who has erased their account" }),
    university_id: Id.nullable(),
    api_key_id: Id.nullable().meta({
      description: "The API key used for the action, in the actor's name",
    }),
    request_id: z.string().nullable().meta({ description: "The X-Request-ID of the request" }),
    from_address: z.string().nullable().meta({ description: "The network address of the request" }),
    details: JsonObject,
  })
  .meta({ id: "AuditEvent" });

export const AuditQuery = z.object({
  university_id: IdText.optional(),
  user_id: IdText.optional().meta({ description: "Only actions by or on this person" }),
  action: lowerEnum(auditActions).optional(),
  ...pagination,
});

export type AuditEvent = z.input<typeof AuditEvent>;
export type AuditQuery = z.output<typeof AuditQuery>;
