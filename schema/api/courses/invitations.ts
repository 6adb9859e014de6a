import * as z from "zod";
import { invitationStatuses, roles } from "../../enums.ts";
import { MailedToken, Password } from "../identity/auth.ts";
import { Email } from "../platform/email.ts";
import { Id, IdText, Instant, title, upperEnum } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const RoleName = upperEnum(roles).meta({ example: "INSTRUCTOR" });

type Offer = { role?: unknown; department_id?: unknown; course_offering_id?: unknown };

/** An offer must contain something, and only a role can have a department. */
function offersSomething({ value, issues }: z.core.ParsePayload<Offer>): void {
  const { role, department_id, course_offering_id } = value;
  if (role === undefined && course_offering_id === undefined)
    issues.push({ code: "custom", path: ["role"], message: "Field required", input: value });
  if (role === undefined && department_id !== undefined)
    issues.push({
      code: "custom",
      path: ["department_id"],
      message: "Input should come with a role",
      input: department_id,
    });
}

export const InvitationCreate = z
  .object({
    email: Email,
    role: RoleName.optional().meta({ description: "The role that accepting grants" }),
    department_id: Id.optional().meta({ description: "The one department in which the role counts" }),
    course_offering_id: Id.optional().meta({ description: "The offering in which accepting enrolls" }),
  })
  .check(offersSomething)
  .meta({ id: "InvitationCreate", example: { email: "ada@example.edu", role: "INSTRUCTOR" } });

export const Invitation = z
  .object({
    id: Id,
    university_id: Id,
    email: z.string().meta({ description: "Who is invited: whoever has this address" }),
    role: RoleName.nullable().meta({ description: "The role that accepting grants; null for none" }),
    department_id: Id.nullable().meta({
      description: "The one department in which the role counts; null: all",
    }),
    course_offering_id: Id.nullable().meta({
      description: "The offering in which accepting enrolls, or which one then teaches; null: none",
    }),
    teaches: z.boolean().meta({
      description: "Whether accepting makes one an instructor of the offering, in place of enrolling in it",
    }),
    course_id: Id.nullable().meta({
      description: "The course that one may then take without a prerequisite; null: none",
    }),
    prerequisite_course_id: Id.nullable().meta({
      description: "The prerequisite that accepting excuses from",
    }),
    status: upperEnum(invitationStatuses).meta({
      description: "OPEN until it is accepted or revoked, or has expired",
    }),
    invited_by_user_id: Id.nullable().meta({
      description: "In whose name it counts: they have to be allowed to still when it is accepted",
    }),
    created_at: Instant.meta({ description: "When it was made first" }),
    expires_at: Instant.meta({ description: "Seven days after it was sent last" }),
    accepted_at: Instant.nullable().meta({ description: "When it was accepted; null until then" }),
    accepted_by_user_id: Id.nullable().meta({ description: "Who accepted it" }),
  })
  .meta({ id: "Invitation" });

export const InvitationQuery = listQuery({
  q: searchIn("the e-mail address"),
  role: RoleName.optional(),
  status: upperEnum(invitationStatuses).optional(),
  email: Email.optional(),
  course_offering_id: IdText.optional(),
  department_id: IdText.optional(),
  sort: sortedBy(["id", "email"], "-id"),
});

export const InvitationAcceptance = z.object({ token: MailedToken }).meta({ id: "InvitationAcceptance" });

export const InvitationAcceptanceAnew = z
  .object({
    token: MailedToken,
    full_name: title(255).meta({ example: "Ada Lovelace" }),
    password: Password,
  })
  .meta({ id: "InvitationAcceptanceAnew" });

export type InvitationCreate = z.output<typeof InvitationCreate>;
export type Invitation = z.input<typeof Invitation>;
export type InvitationQuery = z.output<typeof InvitationQuery>;
export type InvitationAcceptanceAnew = z.output<typeof InvitationAcceptanceAnew>;
