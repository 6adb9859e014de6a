import * as z from "zod";
import { Email } from "../platform/email.ts";
import { Instant, JsonObject } from "../platform/fields.ts";
import { MailedToken, NewPassword, Password } from "./auth.ts";

const CurrentPassword = Password.optional().meta({
  description: "Required unless the account has no password because an identity provider signs the person in",
});

export const PasswordChange = z
  .object({
    current_password: CurrentPassword,
    new_password: NewPassword.meta({ example: "another word of mine" }),
  })
  .meta({ id: "PasswordChange" });

export const PasswordResetRequest = z.object({ email: Email }).meta({ id: "PasswordResetRequest" });

export const PasswordReset = z
  .object({ token: MailedToken, new_password: NewPassword })
  .meta({ id: "PasswordReset" });

export const EmailVerification = z
  .object({
    token: MailedToken,
    password: NewPassword.optional().meta({
      description:
        "New password, for callers who are not signed in: takes over the account. The rules are those of " +
        "`POST /auth/register`",
    }),
  })
  .meta({ id: "EmailVerification" });

export const EmailChange = z
  .object({ email: Email, current_password: CurrentPassword })
  .meta({ id: "EmailChange" });

/** The same response for any address, so it does not reveal accounts. */
export const MailNoted = z.object({ detail: z.string() }).meta({
  id: "MailNoted",
  example: { detail: "If there is an account with this address, a mail is on its way" },
});

export const AccountState = z.object({ is_active: z.boolean() }).meta({ id: "AccountState" });

export const AccountErasure = z
  .object({
    password: Password.optional().meta({
      description: "Required unless the account has no password; without one, a recent sign-in is required",
    }),
    keep_certificates: z.boolean().default(false).meta({
      description: "Whether issued certificates stay verifiable with their printed name",
    }),
  })
  .meta({ id: "AccountErasure" });

/** The person's rows by table name. */
export const AccountExport = z
  .object({ exported_at: Instant })
  .catchall(z.array(JsonObject))
  .meta({ id: "AccountExport", example: { exported_at: "2026-09-01T08:00:00.000Z", users: [{ id: 1 }] } });

export type PasswordChange = z.output<typeof PasswordChange>;
export type EmailVerification = z.output<typeof EmailVerification>;
export type PasswordReset = z.output<typeof PasswordReset>;
export type EmailChange = z.output<typeof EmailChange>;
export type AccountErasure = z.output<typeof AccountErasure>;
