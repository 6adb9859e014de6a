import * as z from "zod";
import { invitationStatuses, roles } from "../../enums.ts";
import { MailedToken, NewPassword } from "../identity/auth.ts";
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
    role: RoleName.optional().meta({ description: "Role to grant" }),
    department_id: Id.optional().meta({ description: "The department to which the role is limited" }),
    course_offering_id: Id.optional().meta({ description: "Offering in which to enroll the person" }),
  })
  .check(offersSomething)
  .meta({ id: "InvitationCreate", example: { email: "ada@example.edu", role: "INSTRUCTOR" } });

export const Invitation = z
  .object({
    id: Id,
    university_id: Id,
    email: z.string().meta({ description: "Email of the invited person" }),
    role: RoleName.nullable().meta({ description: "Role granted on acceptance; null for none" }),
    department_id: Id.nullable().meta({
      description: "The department to which the role is limited; null for all",
    }),
    course_offering_id: Id.nullable().meta({
      description: "Offering for a seat as learner or instructor; null for none",
    }),
    teaches: z.boolean().meta({
      description: "Whether the person becomes an instructor of the offering instead of a learner",
    }),
    course_id: Id.nullable().meta({
      description: "Course with an exemption from a prerequisite; null for none",
    }),
    prerequisite_course_id: Id.nullable().meta({
      description: "Prerequisite from which the person is exempted",
    }),
    status: upperEnum(invitationStatuses).meta({
      description: "OPEN until accepted, revoked or expired",
    }),
    invited_by_user_id: Id.nullable().meta({
      description: "The inviter, who must still have the right to grant it on acceptance",
    }),
    created_at: Instant.meta({ description: "When the invitation was first created" }),
    expires_at: Instant.meta({ description: "Seven days after the last mail" }),
    accepted_at: Instant.nullable().meta({
      description: "When the invitation was accepted; null until then",
    }),
    accepted_by_user_id: Id.nullable().meta({ description: "The person who accepted it" }),
  })
  .meta({ id: "Invitation" });

export const InvitationQuery = listQuery({
  q: searchIn("the email address"),
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
    password: NewPassword,
  })
  .meta({ id: "InvitationAcceptanceAnew" });

export type InvitationCreate = z.output<typeof InvitationCreate>;
export type Invitation = z.input<typeof Invitation>;
export type InvitationQuery = z.output<typeof InvitationQuery>;
export type InvitationAcceptanceAnew = z.output<typeof InvitationAcceptanceAnew>;
