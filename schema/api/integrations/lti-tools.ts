import * as z from "zod";
import { ltiToolTargets } from "../../enums.ts";
import { Id, Instant, list, text, title, upperEnum, webAddress } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const address = (description: string, example: string) =>
  webAddress(1000)
    .refine(
      (url) => URL.canParse(url) && !new URL(url).username && !url.includes("#"),
      "Input should be an address without a name, password or fragment",
    )
    .meta({ description, example });

const fields = {
  name: title(255).meta({ description: "Display name of the tool", example: "Plagiarism check" }),
  login_url: address("Login initiation URL of the tool", "https://tool.example.com/lti/login"),
  launch_url: address("Default target of the tool's items", "https://tool.example.com/lti/launch"),
  deep_linking_url: address(
    "Target of Deep Linking, with which teachers choose content of the tool; null without",
    "https://tool.example.com/lti/launch",
  ).nullable(),
  redirect_uris: list(address("Address that may receive launches", "https://tool.example.com/lti/launch"), {
    min: 1,
    max: 20,
  }).meta({
    description: "Addresses that may receive launches. A launch may redirect only to their hosts",
    example: ["https://tool.example.com/lti/launch"],
  }),
  shares_name: z.boolean().meta({ description: "Whether the tool receives people's names", example: false }),
  shares_email: z
    .boolean()
    .meta({ description: "Whether the tool receives people's email addresses", example: false }),
  custom_parameters: z
    .record(z.string().regex(/^[\w.-]{1,100}$/), text(1000))
    .refine((parameters) => Object.keys(parameters).length <= 50, "Object should have at most 50 keys")
    .meta({
      description: "Sent with each launch. Variables such as `$Context.id` are replaced",
      example: { course: "$Context.label" },
    }),
  target: upperEnum(ltiToolTargets).meta({
    description: "Whether the tool opens in a frame of the item, or in a window",
    example: "FRAME",
  }),
  in_navigation: z.boolean().meta({
    description: "Whether learners and teachers open the tool from the navigation of its courses",
    example: false,
  }),
  course_ids: list(Id, { min: 1, max: 1000 })
    .nullable()
    .meta({ description: "Courses that may use the tool; null for all of the university", example: null }),
};

const jwks_url = address(
  "Address of the tool's public keys; null with `public_jwks`",
  "https://tool.example.com/jwks",
).nullable();
const PublicJwks = z
  .object({
    keys: list(z.record(z.string().max(100), z.unknown()), { min: 1, max: 10 }).meta({
      description: "Public keys",
    }),
  })
  .refine(({ keys }) => keys.every((key) => !("d" in key)), "Input should be public keys")
  .nullable()
  .meta({
    description: "The tool's public keys as a JSON Web Key Set, if `jwks_url` is null",
    example: null,
  });

type Keys = { jwks_url?: string | null | undefined; public_jwks?: object | null | undefined };

const hasOneKind = ({ jwks_url, public_jwks }: Keys): boolean =>
  (jwks_url ?? null) === null ? (public_jwks ?? null) !== null : (public_jwks ?? null) === null;

const keysRule = {
  path: ["jwks_url"],
  message: "Input should be null with public_jwks, and an address without",
};

export const LtiToolCreate = z
  .object({
    ...fields,
    deep_linking_url: fields.deep_linking_url.default(null),
    shares_name: fields.shares_name.default(false),
    shares_email: fields.shares_email.default(false),
    custom_parameters: fields.custom_parameters.default({}),
    target: fields.target.default("FRAME"),
    in_navigation: fields.in_navigation.default(false),
    course_ids: fields.course_ids.default(null),
    jwks_url,
    public_jwks: PublicJwks.optional(),
  })
  .refine(hasOneKind, keysRule)
  .meta({ id: "LtiToolCreate" });

export const LtiToolUpdate = z
  .object({ ...fields, jwks_url, public_jwks: PublicJwks })
  .partial()
  .refine(
    (keys) => (keys.jwks_url === undefined && keys.public_jwks === undefined) || hasOneKind(keys),
    keysRule,
  )
  .meta({ id: "LtiToolUpdate" });

export const LtiTool = z
  .object({
    id: Id,
    university_id: Id.nullable().meta({ description: "Null for a tool of the platform" }),
    ...fields,
    client_id: z.string().meta({
      description: "The tool's client id here; its issuer is the service's address",
      example: "0b1e6f52-6f0e-4a53-8f3a-5a3c4c1d2e3f",
    }),
    jwks_url,
    public_jwks: z
      .object({ keys: z.array(z.record(z.string(), z.unknown())).meta({ description: "Public keys" }) })
      .nullable()
      .meta({ description: "The tool's public keys; null with `jwks_url`" }),
    redirect_uris: z.array(z.string()).meta({ description: "Addresses that may receive launches" }),
    custom_parameters: z.record(z.string(), z.string()).meta({ description: "Sent with each launch" }),
    course_ids: z
      .array(Id)
      .nullable()
      .meta({ description: "Courses that may use the tool; null for all of the university" }),
    deployment_ids: z.array(z.string()).meta({
      description:
        "LTI deployment ids, in the order of `course_ids`. A tool of the platform has `university-` and the id of " +
        "each university instead",
      example: ["1"],
    }),
    created_at: Instant.meta({ description: "When the tool was registered" }),
    updated_at: Instant.meta({ description: "When the tool was last updated" }),
  })
  .meta({ id: "LtiTool" });

export const LtiToolRegistration = z
  .object({
    registration_url: z.string().meta({
      description: "Address of the tool with the registration link, valid once and returned only once",
    }),
    expires_at: Instant.meta({ description: "When the link expires, after one hour" }),
  })
  .meta({ id: "LtiToolRegistration" });

export const LtiToolRegistrationCreate = z
  .object({
    registration_url: address(
      "Dynamic Registration address of the tool",
      "https://tool.example.com/lti/register",
    ),
  })
  .meta({ id: "LtiToolRegistrationCreate" });

/** What teachers see of a tool. */
export const CourseLtiTool = z
  .object({
    id: Id,
    name: z.string().meta({ description: "Display name of the tool", example: "Plagiarism check" }),
    has_deep_linking: z.boolean().meta({ description: "Whether teachers can choose content at the tool" }),
  })
  .meta({ id: "CourseLtiTool" });

/** A tool in the navigation of an offering. */
export const NavigationTool = z
  .object({
    id: Id,
    name: z.string().meta({ description: "Display name of the tool", example: "Plagiarism check" }),
  })
  .meta({ id: "NavigationTool" });

export const LtiToolLaunch = z
  .object({
    launch_url: z.string().meta({
      description: "Open it in a frame or window of the browser, within five minutes",
      example: "https://learn.example.edu/lti/tools/start?launch=eyJhbGciOiJkaXIi",
    }),
    target: upperEnum(ltiToolTargets).meta({
      description: "A frame of the page, or a window",
      example: "FRAME",
    }),
    tool_name: z.string().meta({ description: "Display name of the tool", example: "Plagiarism check" }),
    expires_at: Instant.meta({ description: "When the address expires" }),
  })
  .meta({ id: "LtiToolLaunch" });

export const LtiToolQuery = listQuery({});
export const CourseLtiToolQuery = listQuery({});
export const NavigationToolQuery = listQuery({});

export type LtiTool = z.input<typeof LtiTool>;
export type LtiToolCreate = z.output<typeof LtiToolCreate>;
export type LtiToolUpdate = z.output<typeof LtiToolUpdate>;
export type LtiToolQuery = z.output<typeof LtiToolQuery>;
export type LtiToolLaunch = z.input<typeof LtiToolLaunch>;
export type CourseLtiTool = z.input<typeof CourseLtiTool>;
export type CourseLtiToolQuery = z.output<typeof CourseLtiToolQuery>;
export type NavigationTool = z.input<typeof NavigationTool>;
export type NavigationToolQuery = z.output<typeof NavigationToolQuery>;
