import * as z from "zod";
import { identityProviderKinds, roles } from "../../enums.ts";
import { Email } from "../platform/email.ts";
import { CalendarDate, Id, IdText, list, text, title, upperEnum } from "../platform/fields.ts";
import { Locale, TimeZone } from "./users.ts";

export const Password = z
  .string()
  .min(1)
  .meta({ format: "password", example: "correct horse battery staple" });

export const NewPassword = Password.meta({
  format: "password",
  example: "correct horse battery staple",
  description:
    "With `PASSWORD_REJECT_COMMON` it must not be a common password or a simple variation, nor consist of the person's name or address, a " +
    "university's name, or words of this service",
});

export const MailedToken = z
  .string()
  .min(1)
  .max(128)
  .meta({ maxLength: 128, example: "c2l4dGVlbiByYW5kb20gYnl0ZXMsIG9yIG1vcmU" });

export const EmailCheck = z.object({ email: Email });

export const EmailAvailability = z.object({ available: z.boolean() }).meta({ id: "EmailAvailability" });

export const Registration = z
  .object({
    email: Email,
    password: NewPassword,
    full_name: title(255).meta({ example: "Ada Lovelace" }),
    locale: Locale.optional(),
    time_zone: TimeZone.optional(),
  })
  .meta({ id: "Registration" });

const OnboardingProfile = z.object({
  date_of_birth: CalendarDate.nullish().meta({ example: "2004-05-01" }),
  learning_goal: text(2000).nullish(),
  study_level: text(255).nullish(),
  grade: text(255).nullish(),
});

export const OnboardingRegistration = z
  .object({
    ...Registration.shape,
    profile: OnboardingProfile.nullish(),
    subject_preferences: list(Id, { max: 1000 }).nullish(),
  })
  .meta({ id: "OnboardingRegistration" });

export const Credentials = z.object({ email: Email, password: Password }).meta({ id: "Credentials" });

export const TokenPair = z
  .object({ access_token: z.string(), refresh_token: z.string(), token_type: z.literal("bearer") })
  .meta({ id: "TokenPair" });

/** An identity provider for sign-in: the name for paths, the label for a button. */
export const IdentityProvider = z
  .object({
    name: z.string(),
    label: z.string(),
    kind: z.enum(identityProviderKinds).meta({
      description:
        "The kind decides the login address: `/auth/oidc/{name}/login` or `/auth/saml/{name}/login`",
    }),
  })
  .meta({ id: "IdentityProvider", example: { name: "campus", label: "Campus account", kind: "oidc" } });

export const IdentityProviderQuery = z.object({
  university_id: IdText.optional().meta({ description: "Also return the providers of this university" }),
});

/** An account that anyone may sign in as; only in development. */
export const DemonstrationAccount = z
  .object({
    email: z.string(),
    password: z.string().meta({ description: "The password for `POST /auth/login`" }),
    full_name: z.string(),
    role: upperEnum(roles).meta({ description: "The role in the university" }),
  })
  .meta({ id: "DemonstrationAccount" });

export const IdentityProviderName = z.object({ provider: text(64).meta({ example: "campus" }) });

export const LoginQuery = z.object({
  redirect_to: text(2000).default("/").meta({
    description: "Target after the sign-in: a path, or an address at an origin in `BACKEND_CORS_ORIGINS`",
    example: "/courses",
  }),
  code_challenge: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .meta({
      description:
        "For pages that keep tokens themselves: the SHA-256 of a random `code_verifier`, in " +
        "base64url. `redirect_to` receives a `sign_in_code` for `POST /auth/oidc/tokens`, or the " +
        "HTTP status of the failure as `sign_in_error`",
      example: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    }),
});

/** The parameters that a discovery service returns; `entityID` has the spelling of its protocol. */
export const DiscoveredQuery = LoginQuery.extend({
  entityID: text(512).optional().meta({
    description: "Entity ID of the chosen institution; absent if none was chosen",
    example: "https://idp.example.edu/saml",
  }),
  university_id: IdText.optional().meta({
    description: "Selects the university if several have this provider",
  }),
});

/** A launch page's code for tokens. */
export const LaunchCode = z
  .object({
    code: z
      .string()
      .regex(/^[\w-]{43}$/)
      .meta({
        description: "The `code` in the page's address, valid for one minute and one use",
        example: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      }),
    code_verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/)
      .optional()
      .meta({
        description: "The verifier of the hash sent with the launch, if the page created one",
        example: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      }),
  })
  .meta({ id: "LaunchCode" });

/** The session of a launch, for its page only, which keeps the tokens in memory. */
export const LaunchSession = TokenPair.extend({
  launch: z
    .object({
      university_id: Id,
      course_id: Id,
      course_offering_id: Id,
      content_item_id: Id.nullable().meta({ description: "The item that the link opens" }),
      module_id: Id.nullable().meta({
        description: "The module that the link opens; if both are null, the link opens the course",
      }),
      role: upperEnum(["student", "ta", "instructor"]).meta({
        description: "The person's role in the launch",
      }),
      deep_linking: z
        .object({
          ticket: z.string().meta({
            description: "Ticket for `POST /offerings/{offering_id}/lti-links`, valid for one hour",
          }),
          accept_multiple: z.boolean().meta({ description: "Whether the LMS accepts several links" }),
        })
        .nullable()
        .meta({
          description: "The LMS's request for links; null for other launches",
        }),
    })
    .meta({ description: "The launched resource. The tokens are limited to its offering" }),
}).meta({ id: "LaunchSession" });

/** A sign-in page's code for tokens; a code alone is useless, as it was in a URL. */
export const SignInCode = z
  .object({
    code: text(2000).meta({
      example: "c2lnbi1pbiBjb2Rl",
      description: "The `sign_in_code` that `redirect_to` received",
    }),
    code_verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/)
      .meta({
        description: "The verifier of the sign-in's `code_challenge`",
        example: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      }),
  })
  .meta({ id: "SignInCode" });

/** Parameters of a provider's redirect, which may contain others. */
export const CallbackQuery = z.object({
  state: z.string().optional().meta({ description: "The `state` that the provider returns from the login" }),
  code: z.string().optional().meta({ description: "Authorization code, exchanged for tokens" }),
  error: z
    .string()
    .optional()
    .meta({ description: "Error code of the provider, if there is no code", example: "access_denied" }),
});

export type DemonstrationAccount = z.input<typeof DemonstrationAccount>;
export type Registration = z.output<typeof Registration>;
export type OnboardingRegistration = z.output<typeof OnboardingRegistration>;
export type SignInCode = z.output<typeof SignInCode>;
export type Credentials = z.output<typeof Credentials>;
