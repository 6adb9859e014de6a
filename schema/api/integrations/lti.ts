import * as z from "zod";
import { ltiLinkings } from "../../enums.ts";
import { CalendarDate, Id, Instant, list, title, upperEnum, webAddress } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Name = title(255).meta({ description: "Display name of the LMS", example: "Moodle of the campus" });
const Issuer = webAddress(512).meta({
  description: "The platform's issuer, exactly as given by the platform",
  example: "https://lms.example.edu",
});
const ClientId = title(255).meta({
  description: "Client id of this tool at the platform",
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
  "Authorization endpoint that signs launches, https outside development",
  "https://lms.example.edu/mod/lti/auth.php",
);
const TokenUrl = address(
  "Token endpoint, https outside development",
  "https://lms.example.edu/mod/lti/token.php",
);
const JwksUrl = address(
  "Address of the platform's public keys on the public internet, https outside development",
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
    "Origins whose pages may frame the tool, https outside development. Default: the origins of the " +
    "issuer and of `auth_login_url`",
  example: ["https://lms.example.edu"],
});
const TrustsSourcedId = z.boolean().meta({
  description: "Whether people are matched by the platform's `person_sourcedid`",
  example: false,
});
const TrustsEmail = z.boolean().meta({
  description: "Whether people are matched by the platform's email addresses; set only by a platform_admin",
  example: false,
});
const StaffByInstitutionRole = z.boolean().meta({
  description:
    "Whether staff roles in the institution count for launches outside a course; otherwise only roles " +
    "in a course count",
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
        "Origins whose pages may frame the tool; if empty, those of the issuer and of `auth_login_url`",
      example: ["https://lms.example.edu"],
    }),
    ...trust,
    waiting_deployments: z.int().min(0).meta({
      description: "Number of deployments that await admission",
      example: 0,
    }),
    created_at: Instant.meta({ description: "When the platform was registered" }),
    updated_at: Instant.meta({ description: "When the platform was last updated" }),
  })
  .meta({ id: "LtiPlatform" });

const DeploymentId = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, "Input should be 255 ASCII characters at most")
  .meta({ description: "Id, exactly as given by the platform", minLength: 1, maxLength: 255, example: "1" });

export const LtiDeploymentCreate = z
  .object({ deployment_id: DeploymentId })
  .meta({ id: "LtiDeploymentCreate" });

export const LtiDeployment = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The platform of the deployment" }),
    deployment_id: DeploymentId,
    admitted_at: Instant.nullable().meta({
      description: "When it was admitted; null while pending: its launches then grant nothing",
    }),
    created_at: Instant.meta({ description: "When it first appeared" }),
  })
  .meta({ id: "LtiDeployment" });

export const LtiRegistration = z
  .object({
    registration_url: z.string().meta({
      description: "Link for the LMS, valid once and returned only once",
      example: "https://learn.example.edu/lti/1/register?key=eyJhbGciOiJkaXIi",
    }),
    expires_at: Instant.meta({ description: "When the link expires, after one hour" }),
  })
  .meta({ id: "LtiRegistration" });

const LaunchTicket = z.string().min(1).max(20_000).meta({
  description: "Ticket in the address that the launch opened, valid for one hour in that browser",
  maxLength: 20_000,
});

export const LtiTicket = z.object({ ticket: LaunchTicket }).meta({ id: "LtiTicket" });

/** The facts of a ticket, for the person who decides about it. */
export const LtiTicketFacts = z
  .object({
    university_id: Id,
    platform_name: z.string().meta({ description: "The LMS of the launch" }),
    context_title: z.string().nullable().meta({ description: "Title of the LMS course" }),
    full_name: z.string().nullable().meta({ description: "Name of the launched person in the LMS" }),
  })
  .meta({ id: "LtiTicketFacts" });

export const LtiContextCreate = z
  .object({
    ticket: LaunchTicket,
    course_offering_id: Id.meta({ description: "The offering for the LMS course" }),
    is_own_launch: z.boolean().default(true).meta({
      description: "Whether the launch was the caller's own: then the LMS person is linked to their account",
    }),
  })
  .meta({ id: "LtiContextCreate" });

export const LtiContext = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The LMS" }),
    platform_name: z.string().meta({ description: "Display name of the LMS" }),
    title: z.string().meta({ description: "Title of the LMS course" }),
    course_offering_id: Id,
    links: z.int().min(0).meta({ description: "Number of its links that were launched" }),
    people: z.int().min(0).meta({ description: "Number of people with a seat from it" }),
    staff: z.int().min(0).meta({ description: "Number of people who are staff of the offering by it" }),
    last_launched_at: Instant.nullable().meta({
      description: "Time of the last launch from it; null for never",
    }),
    created_at: Instant.meta({ description: "When it was bound" }),
  })
  .meta({ id: "LtiContext" });

export const LtiPerson = z
  .object({
    id: Id,
    platform_id: Id.meta({ description: "The LMS" }),
    user_id: Id.nullable().meta({ description: "Null while no account is linked" }),
    full_name: z.string().nullable().meta({ description: "Name of the account" }),
    subject: z.string().meta({ description: "The person's id in the LMS" }),
    told_name: z.string().nullable().meta({ description: "The person's name in the LMS" }),
    linked_by: upperEnum(ltiLinkings)
      .nullable()
      .meta({ description: "Origin of the link: data of the LMS, a sign-in, or a new account" }),
    last_launched_at: Instant.nullable().meta({
      description: "When the person last launched; null for never",
    }),
  })
  .meta({ id: "LtiPerson" });

export const LtiRefusedLaunches = z
  .object({
    id: Id,
    day: CalendarDate.meta({ description: "Day in UTC" }),
    reason: z.string().meta({ description: "Reason code, as in the metric", example: "expired" }),
    words: z.string().meta({ description: "Message on the person's page" }),
    launches: z.int().min(1).meta({ description: "Number of launches" }),
    last_at: Instant.meta({ description: "When it last occurred" }),
    last_request_id: z.string().nullable().meta({
      description: "Request id of the last rejected launch, as on its page and in the log; null without one",
    }),
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
