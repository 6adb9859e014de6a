import * as z from "zod";
import { activityVerbs, roles } from "../../enums.ts";
import { CourseSummary } from "../courses/courses.ts";
import { Enrollment } from "../courses/enrollments.ts";
import { AccountEmail } from "../platform/email.ts";
import { CalendarDate, Id, IdText, Instant, title, upperEnum } from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { UniversityLooks } from "./looks.ts";
import { ExternalId, nameThere, source } from "./members.ts";

/** A well-formed BCP 47 language tag, such as `en` or `pt-BR`. */
export const Locale = z
  .string()
  .max(16)
  .refine(isWellFormedLocale, "Input should be a language tag such as en or pt-BR")
  .meta({ example: "en" });

/** A time zone of the IANA database, such as `Europe/London`. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isKnownTimeZone, "Input should be a time zone such as Europe/London")
  .meta({ example: "Europe/London" });

/** The reach of the current sign-in; lists omit everything beyond. */
const SignInReach = z
  .object({
    university_id: Id.nullable().meta({
      description: "University to which its identity provider or LMS limits the sign-in; null for no limit",
    }),
    course_offering_id: Id.nullable().meta({
      description: "Offering to which an LTI launch limits the sign-in, with its course; null for no limit",
    }),
    reaches_account: z.boolean().meta({
      description: "Whether the caller can use data outside universities, such as decks and the export",
    }),
    withheld: z
      .array(
        z.object({
          university_id: Id,
          university_name: z.string().meta({ description: "The university's name" }),
          is_suspended: z.boolean().meta({ description: "Whether the university suspends the caller" }),
          provider: z.string().nullable().meta({
            description: "Identity provider that the university requires; null if this is not the reason",
          }),
        }),
      )
      .meta({
        description:
          "Universities of the caller that this sign-in cannot use, although it is not limited to one",
      }),
  })
  .meta({ description: "Limits of the current sign-in" });

export const Profile = z
  .object({
    id: Id,
    email: AccountEmail,
    full_name: z.string(),
    email_verified_at: Instant.nullable(),
    is_active: z.boolean(),
    locale: z.string(),
    time_zone: z.string(),
    tutor_sees_results: z.boolean().meta({
      description:
        "Whether the tutor may use the person's results on its topic, in private answers only: attempts, " +
        "submissions and answers to its questions",
    }),
    current_streak_days: z.int(),
    last_activity_date: CalendarDate.nullable(),
    created_at: Instant,
    avatar_url: z.string().nullable().meta({
      example: null,
      description: "Address of the picture, readable without a token. Changes with the picture",
    }),
    looks: UniversityLooks.nullable().optional(),
    sign_in: SignInReach,
  })
  .meta({ id: "Profile" });

export const ProfileQuery = z.object({
  looks: BooleanText.optional().meta({
    description: "Whether to return `looks`, the appearance of the caller's university",
  }),
});

export const OwnRole = z
  .object({
    role: upperEnum(roles).meta({ example: "INSTRUCTOR" }),
    university_id: Id,
    department_id: Id.nullable().meta({
      description: "The department to which the role is limited; null if not limited",
    }),
    course_id: Id.nullable().meta({
      description: "The course to which the role of an offering's instructor is limited; null if not limited",
    }),
    offering_id: Id.nullable().meta({
      description: "The offering to which the role of LMS staff is limited; null if not limited",
    }),
  })
  .meta({ id: "OwnRole" });

export const ProfileUpdate = z
  .object({
    full_name: title(255),
    locale: Locale,
    time_zone: TimeZone,
    tutor_sees_results: z
      .boolean()
      .meta({ description: "Whether the tutor may use the caller's results; false by default" }),
  })
  .partial()
  .meta({ id: "ProfileUpdate" });

export const User = z
  .object({
    id: Id,
    email: AccountEmail,
    full_name: z.string(),
    locale: z.string(),
    time_zone: z.string(),
    is_active: z.boolean(),
    current_streak_days: z.int().nullable().meta({
      description: "Null for other people: it would show on which day they submitted anonymous work",
    }),
    created_at: Instant,
    updated_at: Instant,
    avatar_url: z.string().nullable().meta({
      example: null,
      description: "Address of the picture, readable without a token. Changes with the picture",
    }),
  })
  .meta({ id: "User" });

export const Membership = z
  .object({
    university_id: Id,
    ...nameThere,
    ...source,
    is_active: z.boolean().meta({ description: "False while the university suspends the person" }),
  })
  .meta({ id: "Membership" });

export const UserWithMemberships = User.extend({
  memberships: z.array(Membership).meta({
    description:
      "Memberships in universities where the caller is staff and the person has a role or an enrollment",
  }),
}).meta({ id: "UserWithMemberships" });

export const UserQuery = listQuery({
  q: searchIn(
    "the name, the email address or, with `university_id`, a whole external id or the university's " +
      "name for the person (for callers who may read its people)",
  ),
  university_id: IdText.optional().meta({
    description:
      "Only people with a role or an enrollment in it. Required with `external_id`, and with `sort` by " +
      "`family_name` or `external_id`",
  }),
  external_id: ExternalId.optional().meta({
    description: "Only people with this id, current or former, in `university_id`",
  }),
  role: upperEnum(roles).optional().meta({ description: "Only people with this role" }),
  is_active: BooleanText.optional(),
  sort: sortedBy(["id", "full_name", "email", "created_at", "family_name", "external_id"]),
}).check(({ value, issues }) => {
  const { external_id, sort, university_id } = value;
  const asksThere = external_id !== undefined || /^-?(family_name|external_id)$/.test(sort);
  if (asksThere && university_id === undefined)
    issues.push({ code: "custom", path: ["university_id"], message: "Field required", input: value });
});

export const RecentActivity = z
  .object({
    type: upperEnum(activityVerbs),
    title: z
      .string()
      .nullable()
      .meta({ description: "Title of the content item, else of the module, else of the course" }),
    content_item_id: Id.nullable(),
    course_offering_id: Id.nullable(),
    occurred_at: Instant,
  })
  .meta({ id: "RecentActivity" });

export const Overview = z
  .object({
    active_enrollments: z.array(Enrollment).meta({
      description: "The newest 100. `GET /enrollments/my-enrollments` has all",
    }),
    recommended_courses: z.array(CourseSummary).meta({
      description: "At most 5, by preferred subjects, then subjects of their courses, then popularity",
    }),
    recent_activity: z.array(RecentActivity).meta({ description: "The last 10 activities, newest first" }),
    stats: z.object({ completed_courses: z.int(), current_streak: z.int() }),
  })
  .meta({ id: "Overview" });

export type Profile = z.input<typeof Profile>;
export type OwnRole = z.input<typeof OwnRole>;
export type ProfileUpdate = z.output<typeof ProfileUpdate>;
export type User = z.input<typeof User>;
export type UserWithMemberships = z.input<typeof UserWithMemberships>;
export type UserQuery = z.output<typeof UserQuery>;
export type Overview = z.input<typeof Overview>;

function isWellFormedLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Old Java names that JavaScript accepts, some with other meanings elsewhere; the IANA database lacks them. */
const ofOldJava =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*|US\/Pacific-New)$/i;

/** JavaScript accepts offsets such as `+01:00` as zones; the IANA database does not. */
function isKnownTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z]/.test(name) && !ofOldJava.test(name);
  } catch {
    return false;
  }
}
