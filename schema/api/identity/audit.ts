import * as z from "zod";
import { auditActions } from "../../enums.ts";
import { Id, IdText, Instant, JsonObject, lowerEnum, pagination } from "../platform/fields.ts";

export const AuditEvent = z
  .object({
    id: z.int(),
    occurred_at: Instant,
    action: lowerEnum(auditActions),
    actor_id: Id.nullable().meta({
      description: "Null for someone who was not signed in, or has erased their account since",
    }),
    actor_name: z.string().nullable().meta({ description: "Null for people whom the caller may not see" }),
    subject_id: Id.nullable().meta({ description: "The person to whom it was done" }),
    subject_name: z.string().nullable().meta({ description: "Null for people whom the caller may not see" }),
    actor_former_email: z.string().nullable().meta({
      description:
        "Of who has erased their account, and had done something to others: the address that they had",
    }),
    subject_former_email: z
      .string()
      .nullable()
      .meta({ description: "The same of the person to whom it was done" }),
    university_id: Id.nullable(),
    api_key_id: Id.nullable().meta({
      description: "The API key with which it was done, in the actor's name",
    }),
    request_id: z.string().nullable().meta({ description: "The X-Request-ID of the request that did it" }),
    from_address: z.string().nullable().meta({ description: "The network address that it came from" }),
    details: JsonObject,
  })
  .meta({ id: "AuditEvent" });

export const AuditQuery = z.object({
  university_id: IdText.optional(),
  user_id: IdText.optional().meta({ description: "Who did it, or to whom it was done" }),
  action: lowerEnum(auditActions).optional(),
  ...pagination,
});

export type AuditEvent = z.input<typeof AuditEvent>;
export type AuditQuery = z.output<typeof AuditQuery>;
