import * as z from "zod";
import { ltiLinkings } from "../../enums.ts";
import { CalendarDate, Id, Instant, list, title, upperEnum, webAddress } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Name = title(255).meta({ description: "What people call the LMS", example: "Moodle of the campus" });
const Issuer = webAddress(512).meta({
  description: "The platform's issuer, exactly as it writes it",
  example: "https://lms.example.edu",
});
const ClientId = title(255).meta({
  description: "As which this tool is known there",
  example: "k3jT9sQx",
});
const address = (description: string, example: string) =>
  webAddress(1000)
    .refine(
      (address) => URL.canParse(address) && !new URL(address).username && !address.includes("#"),
      "Input should be an address without a name, password or fragment",
    )
    .meta({ description, example });
const LoginUrl = address(
  "Where a launch is sent to be signed (its authorization endpoint), https outside development",
  "https://lms.example.edu/mod/lti/auth.php",
);
const TokenUrl = address(
  "Where the tool gets its tokens, https outside development",
  "https://lms.example.edu/mod/lti/token.php",
);
const JwksUrl = address(
  "Where its public keys are, https outside development; asked over the public internet alone",
  "https://lms.example.edu/mod/lti/certs.php",
);

/** An origin that is safe in a CSP: it cannot end a directive. */
export const originPattern = /^https?:\/\/[a-z0-9.-]{1,253}(:\d{1,5})?$/;
const FrameOrigins = list(
  z
    .string()
    .trim()
    .toLowerCase()
    .max(300)
    .regex(originPattern, "Input should be an origin such as https://lms.example.edu")
    .meta({ maxLength: 300 }),
  { max: 20 },
).meta({
  description:
    "Whose pages may frame the tool's, https outside development; without any, the origins of the issuer and of `auth_login_url`",
  example: ["https://lms.example.edu"],
});
const TrustsSourcedId = z.boolean().meta({
  description:
    "Whether people may be found by the number that the platform tells of them (`person_sourcedid`)",
  example: false,
});
const TrustsEmail = z.boolean().meta({
  description:
    "Whether people may be found by the address that the platform tells of them; set by a platform_admin alone",
  example: false,
});
const StaffByInstitutionRole = z.boolean().meta({
  description:
    "Whether whoever is staff of the institution is so where a launch comes from no course; else only roles of a course count",
  example: false,
});

const trust = {
  trusts_sourced_id: TrustsSourcedId,
  trusts_email: TrustsEmail,
  staff_by_institution_role: StaffByInstitutionRole,
};
const addresses = {
  auth_login_url: LoginUrl,
  auth_token_url: TokenUrl,
  jwks_url: JwksUrl,
};

export const LtiPlatformCreate = z
  .object({
    name: Name,
    issuer: Issuer,
    client_id: ClientId,
    ...addresses,
    frame_origins: FrameOrigins.default([]),
    trusts_sourced_id: TrustsSourcedId.default(false),
    trusts_email: TrustsEmail.default(false),
    staff_by_institution_role: StaffByInstitutionRole.default(false),
  })
  .meta({ id: "LtiPlatformCreate" });

export const LtiPlatformUpdate = z
  .object({ name: Name, ...addresses, frame_origins: FrameOrigins, ...trust })
  .partial()
  .meta({ id: "LtiPlatformUpdate" });

export const LtiPlatform = z
  .object({
    id: Id,
    university_id: Id,
    name: Name,
    issuer: Issuer,
    client_id: ClientId,
    ...addresses,
    frame_origins: z.array(z.string()).meta({
      description:
        "Whose pages may frame the tool's; without any, those of the issuer and of `auth_login_url`",
      example: ["https://lms.example.edu"],
    }),
    ...trust,
    waiting_deployments: z.int().min(0).meta({
      description: "How many deployments wait for someone to admit them",
      example: 0,
    }),
    created_at: Instant.meta({ description: "When it was registered" }),
    updated_at: Instant.meta({ description: "When it was changed last" }),
  })
  .meta({ id: "LtiPlatform" });

const DeploymentId = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, "Input should be 255 ASCII characters at most")
  .meta({ description: "As the platform spells it", minLength: 1, maxLength: 255, example: "1" });

export const LtiDeploymentCreate = z
  .object({ deployment_id: DeploymentId })
  .meta({ id: "LtiDeploymentCreate" });

export const LtiDeployment = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The platform that it is of" }),
    deployment_id: DeploymentId,
    admitted_at: Instant.nullable().meta({
      description: "When it was admitted; null while it waits, and its launches give nobody anything",
    }),
    created_at: Instant.meta({ description: "When it was first heard of" }),
  })
  .meta({ id: "LtiDeployment" });

export const LtiRegistration = z
  .object({
    registration_url: z.string().meta({
      description: "What the LMS is given: good once, and told once",
      example: "https://learn.example.edu/lti/1/register?key=eyJhbGciOiJkaXIi",
    }),
    expires_at: Instant.meta({ description: "Until when it is good: an hour" }),
  })
  .meta({ id: "LtiRegistration" });

const LaunchTicket = z.string().min(1).max(20_000).meta({
  description: "The ticket in the address that the launch led to, good for an hour",
  maxLength: 20_000,
});

export const LtiTicket = z.object({ ticket: LaunchTicket }).meta({ id: "LtiTicket" });

/** The facts of a ticket, for the person who decides about it. */
export const LtiTicketFacts = z
  .object({
    university_id: Id,
    platform_name: z.string().meta({ description: "The LMS that launched" }),
    context_title: z.string().nullable().meta({ description: "The course there" }),
    full_name: z.string().nullable().meta({ description: "What the LMS calls whoever was launched" }),
  })
  .meta({ id: "LtiTicketFacts" });

export const LtiContextCreate = z
  .object({
    ticket: LaunchTicket,
    course_offering_id: Id.meta({ description: "The offering that the course of the LMS is bound to" }),
    is_own_launch: z.boolean().default(true).meta({
      description: "Whether the launch was the caller's own: then the LMS knows their account from now on",
    }),
  })
  .meta({ id: "LtiContextCreate" });

export const LtiContext = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The LMS" }),
    platform_name: z.string().meta({ description: "What people call the LMS" }),
    title: z.string().meta({ description: "What people of the LMS call the course" }),
    course_offering_id: Id,
    links: z.int().min(0).meta({ description: "How many of its links were launched" }),
    people: z.int().min(0).meta({ description: "How many have their seat from it" }),
    staff: z.int().min(0).meta({ description: "How many it makes staff of the offering" }),
    last_launched_at: Instant.nullable().meta({ description: "When someone came from there last" }),
    created_at: Instant.meta({ description: "When it was bound" }),
  })
  .meta({ id: "LtiContext" });

export const LtiPerson = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The LMS" }),
    user_id: Id.nullable().meta({ description: "Null while no account is linked" }),
    full_name: z.string().nullable().meta({ description: "The account's" }),
    subject: z.string().meta({ description: "As which the LMS knows them" }),
    told_name: z.string().nullable().meta({ description: "What the LMS calls them" }),
    linked_by: upperEnum(ltiLinkings)
      .nullable()
      .meta({ description: "How they were linked: by what the LMS told, a sign-in, or a new account" }),
    last_launched_at: Instant.nullable().meta({ description: "When they came last" }),
  })
  .meta({ id: "LtiPerson" });

export const LtiRefusedLaunches = z
  .object({
    id: Id,
    day: CalendarDate.meta({ description: "In UTC" }),
    reason: z.string().meta({ description: "A word for it, as the metric has it", example: "expired" }),
    words: z.string().meta({ description: "What their page said" }),
    launches: z.int().min(1).meta({ description: "How many" }),
    last_at: Instant.meta({ description: "When the last one was" }),
    last_request_id: z
      .string()
      .nullable()
      .meta({ description: "The last one's request, as its page and the log have it" }),
  })
  .meta({ id: "LtiRefusedLaunches" });

export const LtiPersonQuery = listQuery({});
export const LtiRefusedLaunchQuery = listQuery({});
export const LtiContextQuery = listQuery({});

export const LtiPlatformQuery = listQuery({});
export const LtiDeploymentQuery = listQuery({});

export type LtiPlatform = z.input<typeof LtiPlatform>;
export type LtiPlatformCreate = z.output<typeof LtiPlatformCreate>;
export type LtiPlatformUpdate = z.output<typeof LtiPlatformUpdate>;
export type LtiPlatformQuery = z.output<typeof LtiPlatformQuery>;
export type LtiDeployment = z.input<typeof LtiDeployment>;
export type LtiDeploymentQuery = z.output<typeof LtiDeploymentQuery>;
export type LtiContext = z.input<typeof LtiContext>;
export type LtiContextCreate = z.output<typeof LtiContextCreate>;
export type LtiContextQuery = z.output<typeof LtiContextQuery>;
export type LtiPerson = z.input<typeof LtiPerson>;
export type LtiTicketFacts = z.input<typeof LtiTicketFacts>;
export type LtiPersonQuery = z.output<typeof LtiPersonQuery>;
export type LtiRefusedLaunches = z.input<typeof LtiRefusedLaunches>;
export type LtiRefusedLaunchQuery = z.output<typeof LtiRefusedLaunchQuery>;
